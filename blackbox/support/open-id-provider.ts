import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import type { Configuration, Provider } from 'oidc-provider'

/** The claims of an account at the provider. */
export interface ProviderAccount {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  given_name?: string
  family_name?: string
  picture?: string
}

export interface OpenIdProvider {
  issuer: string
  clientId: string
  clientSecret: string
  stop(): Promise<void>
}

interface Options {
  redirectUri: string
  /** Returns profile claims in the ID token instead of userinfo, and accepts the client secret only in the header. */
  isLegacy?: boolean
}

/**
 * A real OpenID provider. Its sign-in page, `/interaction/…`, needs no input: `?person={"sub":…}` signs in as that
 * account, and without the parameter the sign-in is canceled.
 */
export async function startOpenIdProvider({ redirectUri, isLegacy }: Options): Promise<OpenIdProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { clientId: 'latchkey', clientSecret: randomBytes(16).toString('hex') }
  const people = new Map<string, ProviderAccount>()
  const method = isLegacy ? 'client_secret_basic' : 'client_secret_post'
  const provider = await createProvider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: method,
      },
    ],
    clientAuthMethods: [method],
    conformIdTokenClaims: !isLegacy,
    claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name', 'picture'] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
  })
  const handle = provider.callback()
  server.on('request', (request, response) =>
    request.url?.startsWith('/interaction/')
      ? void signIn(provider, people, { request, response })
      : void handle(request, response),
  )
  return {
    issuer,
    ...client,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function createProvider(issuer: string, configuration: Configuration): Promise<Provider> {
  // Its warnings are relevant for production only.
  const silenced = (['info', 'warn'] as const).map((name) => mock.method(console, name, () => {}))
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  try {
    const { Provider } = await import('oidc-provider')
    return new Provider(issuer, {
      ...configuration,
      jwks: { keys: [key] },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      pkce: { required: () => true },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    })
  } finally {
    for (const method of silenced) method.mock.restore()
  }
}

/** Signs in the account of the query, with consent to all claims. */
async function signIn(
  provider: Provider,
  people: Map<string, ProviderAccount>,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const sent = new URL(request.url ?? '', provider.issuer).searchParams.get('person')
  if (sent === null) {
    await provider.interactionFinished(request, response, { error: 'access_denied' })
    return
  }
  const person = JSON.parse(sent) as ProviderAccount
  people.set(person.sub, person)
  const grant = new provider.Grant({ clientId: 'latchkey', accountId: person.sub })
  grant.addOIDCScope('openid profile email')
  const result = { login: { accountId: person.sub }, consent: { grantId: await grant.save() } }
  await provider.interactionFinished(request, response, result)
}
