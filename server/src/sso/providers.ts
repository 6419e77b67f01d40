import type { ClientAuth, Configuration } from 'openid-client'
import { type SsoProvider, ssoPath } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { fetchFrom } from './provider-fetch.ts'

/**
 * Single sign-on: people come through an outside provider, and link their accounts there to the one they have here.
 * The protocol is openid-client's; who they are here, and whether they may come in, is decided in this slice.
 */

/** Loaded with the first who comes this way: most instances have no provider. */
export const loadClient = () => import('openid-client')
type Library = Awaited<ReturnType<typeof loadClient>>

/** The provider of this name, in any letter case. */
export const findProvider = ({ config }: Ctx, name: string): SsoProvider | undefined =>
  config.sso.find((provider) => provider.name === name.toUpperCase())

export function getProvider(ctx: Ctx, name: string): SsoProvider {
  const provider = findProvider(ctx, name)
  if (!provider) throw new AppError('SSO_PROVIDER_NOT_CONFIGURED')
  return provider
}

/** Where a provider sends people back to; it must be registered there. */
export const redirectUriOf = ({ config }: Ctx, provider: SsoProvider): string =>
  `${config.baseUrl}${ssoPath(provider)}/callback`

/** No request to a provider takes longer. */
const TIMEOUT_SECONDS = 5
/** What a provider says about itself is asked for again after this long. */
const GOOD_FOR_MS = 24 * 3_600_000

const opened = new WeakMap<SsoProvider, { configuration: Promise<Configuration>; until: number }>()

/** What is needed to talk to a provider. It is asked once; after a failure the next who comes asks again. */
export async function openProvider(ctx: Ctx, provider: SsoProvider): Promise<Configuration> {
  const now = ctx.now().getTime()
  const known = opened.get(provider)
  if (known && now < known.until) return known.configuration
  const configuration = discover(ctx, provider)
  opened.set(provider, { configuration, until: now + GOOD_FOR_MS })
  configuration.catch(() => opened.delete(provider))
  return configuration
}

async function discover(ctx: Ctx, provider: SsoProvider): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = provider
  const library = await loadClient()
  const insecure = issuer.startsWith('http://') ? [library.allowInsecureRequests] : []
  const authentication = authenticateBy(library, clientSecret)
  try {
    return await library.discovery(new URL(issuer), clientId, undefined, authentication, {
      timeout: TIMEOUT_SECONDS,
      [library.customFetch]: fetchFrom(ctx, provider),
      // The token comes straight from the provider, but a signature costs little to check.
      execute: [...insecure, library.enableNonRepudiationChecks],
    })
  } catch (error) {
    throw unavailable(provider, error)
  }
}

/** In the body where the provider takes it, because not all read Basic alike; else as OpenID Connect has it. */
function authenticateBy({ ClientSecretPost, ClientSecretBasic }: Library, secret: string): ClientAuth {
  const inBody = ClientSecretPost(secret)
  const inHeader = ClientSecretBasic(secret)
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const authenticate = methods.includes('client_secret_post') ? inBody : inHeader
    authenticate(server, ...rest)
  }
}

/** What a person is told when a provider refuses, fails or answers something that is not to be believed. */
export function toRefusal(provider: SsoProvider, error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isNamed(error, 'AuthorizationResponseError')) {
    const message = `You were not signed in by ${provider.label}. Try again, or sign in another way.`
    return new AppError('INVALID_REQUEST', { message, cause: describe(error) })
  }
  if (isTrouble(error)) return unavailable(provider, error)
  const message = `What ${provider.label} answered could not be confirmed. Try again.`
  return new AppError('INVALID_REQUEST', { message, cause: describe(error) })
}

/** What the library's errors say beside the rest. */
interface Complaint {
  code?: unknown
  status?: number
  error?: string
}

const isNamed = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** Not the person's doing: the provider cannot be reached, fails, or does not know us. */
function isTrouble(error: unknown): boolean {
  const { code, status = 0, error: said = '' } = error as Complaint
  if (isNamed(error, 'ResponseBodyError')) {
    return status >= 500 || ['invalid_client', 'unauthorized_client'].includes(said)
  }
  return error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM'
}

const unavailable = ({ label }: SsoProvider, error: unknown): AppError =>
  new AppError('UNAVAILABLE', {
    message: `${label} cannot be reached just now. Try again shortly, or sign in another way.`,
    headers: { 'Retry-After': '10' },
    cause: describe(error),
  })

const LONGEST_REASON = 300

/** For the log: what went wrong, without what the errors of the library carry along, which may be tokens. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { error: said } = error as Complaint
  const parts = [error.message, said ?? codeOf(error), causeOf(error)]
  return parts
    .filter((part) => part !== undefined)
    .join(': ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, LONGEST_REASON)
}

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

const causeOf = ({ cause }: Error): string | undefined =>
  cause instanceof Error ? (codeOf(cause) ?? cause.message) : undefined
