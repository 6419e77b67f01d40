import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import type { Configuration, Provider } from 'oidc-provider'

/** Somebody as the provider knows them. */
export interface PersonThere {
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
  /** Tells names and addresses in the ID token instead of userinfo, and takes the secret in the header only. */
  oldFashioned?: boolean
}

/**
 * A real OpenID provider on this machine. Its sign-in page, `/interaction/…`, asks no questions: who comes with
 * `?person={"sub":…}` is that person, and who comes without has changed their mind.
 */
export async function startOpenIdProvider({ redirectUri, oldFashioned }: Options): Promise<OpenIdProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { clientId: 'latchkey', clientSecret: randomBytes(16).toString('hex') }
  const people = new Map<string, PersonThere>()
  const method = oldFashioned ? 'client_secret_basic' : 'client_secret_post'
  const provider = await make(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: method,
      },
    ],
    clientAuthMethods: [method],
    conformIdTokenClaims: !oldFashioned,
    claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name', 'picture'] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
  })
  const answer = provider.callback()
  server.on('request', (request, response) =>
    request.url?.startsWith('/interaction/')
      ? void signIn(provider, people, { request, response })
      : void answer(request, response),
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

async function make(issuer: string, configuration: Configuration): Promise<Provider> {
  // It warns of much that matters only to a provider in earnest.
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

/** Signs in whoever has come, and lets us know everything about them. */
async function signIn(
  provider: Provider,
  people: Map<string, PersonThere>,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const sent = new URL(request.url ?? '', provider.issuer).searchParams.get('person')
  if (sent === null) {
    await provider.interactionFinished(request, response, { error: 'access_denied' })
    return
  }
  const person = JSON.parse(sent) as PersonThere
  people.set(person.sub, person)
  const grant = new provider.Grant({ clientId: 'latchkey', accountId: person.sub })
  grant.addOIDCScope('openid profile email')
  const result = { login: { accountId: person.sub }, consent: { grantId: await grant.save() } }
  await provider.interactionFinished(request, response, result)
}
