import type { ClientAuth, Configuration } from 'openid-client'
import { type SsoProvider, ssoPath } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { createProviderFetch } from './provider-fetch.ts'

/**
 * Single sign-on through OpenID providers. The protocol is implemented by openid-client; this folder decides which user
 * an identity belongs to, and whether it may sign in.
 */

/** Loaded on first use: most instances have no provider. */
export const loadClient = () => import('openid-client')
type Library = Awaited<ReturnType<typeof loadClient>>

/** The provider of this name, case-insensitively. */
export const findProvider = ({ config }: Ctx, name: string): SsoProvider | undefined =>
  config.sso.find((provider) => provider.name === name.toUpperCase())

export function getProvider(ctx: Ctx, name: string): SsoProvider {
  const provider = findProvider(ctx, name)
  if (!provider) throw new AppError('SSO_PROVIDER_NOT_CONFIGURED')
  return provider
}

/** The redirect URI, which must be registered at the provider. */
export const redirectUriOf = ({ config }: Ctx, provider: SsoProvider): string =>
  `${config.baseUrl}${ssoPath(provider)}/callback`

const TIMEOUT_SECONDS = 5
/** The provider metadata is cached this long. */
const CACHE_MS = 24 * 3_600_000

const configurations = new WeakMap<SsoProvider, { configuration: Promise<Configuration>; until: number }>()

/** Returns the openid-client configuration. The metadata is fetched once; a failure is not cached. */
export async function getConfiguration(ctx: Ctx, provider: SsoProvider): Promise<Configuration> {
  const now = ctx.now().getTime()
  const cached = configurations.get(provider)
  if (cached && now < cached.until) return cached.configuration
  const configuration = discover(ctx, provider)
  configurations.set(provider, { configuration, until: now + CACHE_MS })
  configuration.catch(() => configurations.delete(provider))
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
      [library.customFetch]: createProviderFetch(ctx, provider),
      // Optional for tokens from the token endpoint (OpenID Connect Core §3.1.3.7), but cheap.
      execute: [...insecure, library.enableNonRepudiationChecks],
    })
  } catch (error) {
    throw unavailable(provider, error)
  }
}

/**
 * Prefers client_secret_post, because providers decode Basic credentials differently; else the OpenID Connect default.
 */
function authenticateBy({ ClientSecretPost, ClientSecretBasic }: Library, secret: string): ClientAuth {
  const inBody = ClientSecretPost(secret)
  const inHeader = ClientSecretBasic(secret)
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const authenticate = methods.includes('client_secret_post') ? inBody : inHeader
    authenticate(server, ...rest)
  }
}

/** Converts an error of openid-client to the error that is shown to the user. */
export function toProviderError(provider: SsoProvider, error: unknown): AppError {
  if (error instanceof AppError) return error
  const values = { provider: provider.label }
  if (hasName(error, 'AuthorizationResponseError')) {
    const message = t('You were not signed in by {provider}. Try again, or sign in another way.', values)
    return new AppError('INVALID_REQUEST', { message, cause: describeError(error) })
  }
  if (isProviderFailure(error)) return unavailable(provider, error)
  const message = t('The response of {provider} could not be confirmed. Try again.', values)
  return new AppError('INVALID_REQUEST', { message, cause: describeError(error) })
}

/** Properties of openid-client errors. */
interface LibraryError {
  code?: unknown
  status?: number
  error?: string
}

const hasName = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/** The provider is unreachable, fails, or rejects our client credentials. */
function isProviderFailure(error: unknown): boolean {
  const { code, status = 0, error: oauthError = '' } = error as LibraryError
  if (hasName(error, 'ResponseBodyError')) {
    return status >= 500 || ['invalid_client', 'unauthorized_client'].includes(oauthError)
  }
  return error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM'
}

const unavailable = ({ label }: SsoProvider, error: unknown): AppError =>
  new AppError('UNAVAILABLE', {
    message: t('{provider} cannot be reached just now. Try again shortly, or sign in another way.', {
      provider: label,
    }),
    headers: { 'Retry-After': '10' },
    cause: describeError(error),
  })

const MAX_REASON_LENGTH = 300

/** The error for the log, without attached data such as tokens. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { error: oauthError } = error as LibraryError
  const parts = [error.message, oauthError ?? codeOf(error), causeOf(error)]
  return parts
    .filter((part) => part !== undefined)
    .join(': ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_REASON_LENGTH)
}

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

const causeOf = ({ cause }: Error): string | undefined =>
  cause instanceof Error ? (codeOf(cause) ?? cause.message) : undefined
