import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Configuration, Provider } from 'oidc-provider'
import { vi } from 'vitest'
import type { SsoProvider } from '../../src/config/sso.ts'
import { freePort } from '../support/program.ts'

/** A user at the upstream provider. */
export interface UpstreamPerson {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  given_name?: string
  family_name?: string
  picture?: string
}

/** A real OpenID provider that signs in the user that the test sets. */
export interface Upstream {
  settings: SsoProvider
  /** The user who signs in next; undefined to cancel. */
  person: UpstreamPerson | undefined
  /** The auth_time; now unless set. */
  signedInAt: Date | undefined
  start(baseUrl: string): Promise<void>
  stop(): Promise<void>
}

/** Suppresses warnings of the provider about settings for production. */
async function withoutWarnings<T>(work: () => T | Promise<T>): Promise<T> {
  const muted = (['info', 'warn'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
  try {
    return await work()
  } finally {
    for (const spy of muted) spy.mockRestore()
  }
}

const { Provider: OpenIdProvider } = await withoutWarnings(() => import('oidc-provider'))

const keys = [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })]

interface Options {
  label: string
  /** Sends profile claims in the ID token, and supports client_secret_basic only. */
  oldFashioned?: boolean
  /** Sends auth_time in every ID token, not only on request. */
  tellsTime?: boolean
}

export async function prepareUpstream(
  name: string,
  { label, oldFashioned = false, tellsTime = false }: Options,
): Promise<Upstream> {
  const port = Number(await freePort())
  const settings: SsoProvider = {
    name,
    label,
    issuer: `http://127.0.0.1:${port}`,
    clientId: 'latchkey',
    clientSecret: randomBytes(16).toString('hex'),
    scopes: 'openid profile email',
    trustEmail: false,
    trustReauthentication: false,
  }
  let server: ReturnType<typeof createServer> | undefined
  const upstream: Upstream = {
    settings,
    person: undefined,
    signedInAt: undefined,
    async start(baseUrl) {
      const configuration = configure(settings, { baseUrl, oldFashioned, tellsTime })
      const provider = await withoutWarnings(() => new OpenIdProvider(settings.issuer, configuration))
      const answer = provider.callback()
      server = createServer((request, response) =>
        request.url?.startsWith('/interaction/')
          ? void interact(provider, upstream, { request, response })
          : void answer(request, response),
      )
      await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    },
    async stop() {
      server?.closeAllConnections()
      await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
    },
  }
  return upstream
}

const people = new Map<string, UpstreamPerson>()

async function interact(
  provider: Provider,
  { person, signedInAt }: Upstream,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  if (person) people.set(person.sub, person)
  const ts = signedInAt && Math.floor(signedInAt.getTime() / 1000)
  const result = person
    ? { login: { accountId: person.sub, ...(ts !== undefined && { ts }) } }
    : { error: 'access_denied' }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

function configure(
  { name, clientId, clientSecret }: SsoProvider,
  { baseUrl, oldFashioned, tellsTime }: { baseUrl: string; oldFashioned: boolean; tellsTime: boolean },
): Configuration {
  const method = oldFashioned ? 'client_secret_basic' : 'client_secret_post'
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${baseUrl}/sso/${name.toLowerCase()}/callback`],
        token_endpoint_auth_method: method,
        require_auth_time: tellsTime,
      },
    ],
    clientAuthMethods: [method],
    pkce: { required: () => true },
    jwks: { keys },
    cookies: { keys: ['upstream'] },
    claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name', 'picture'] },
    conformIdTokenClaims: !oldFashioned,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ ...people.get(accountId), sub: accountId }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  }
}

/** A server that accepts connections and never responds. */
export async function startSilentServer(): Promise<{ issuer: string; stop(): Promise<void> }> {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    issuer: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
