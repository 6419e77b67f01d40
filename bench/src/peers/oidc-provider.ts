/** oidc-provider with PostgreSQL, configured as its documentation recommends for production. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider, { type Account, type Configuration, type JWK } from 'oidc-provider'
import type pg from 'pg'
import { createAdapterFactory, createPayloadTable } from './oidc-provider-adapter.ts'
import { type PeerSettings, readPeerSettings, serve } from './peer.ts'

const PEOPLE = 1000
const RESOURCE = 'https://api.company.test'
const RESOURCE_SCOPE = 'api:read'

const OUTPUTS = {
  clientId: 'web',
  clientSecret: randomBytes(32).toString('base64url'),
  machineId: 'machine',
  machineSecret: randomBytes(32).toString('base64url'),
  redirectUri: 'https://app.company.test/callback',
  people: String(PEOPLE),
  resource: RESOURCE,
  resourceScope: RESOURCE_SCOPE,
}

async function createPeople(pool: pg.Pool): Promise<void> {
  await pool.query(
    'create table people (id text primary key, email text not null unique, given_name text not null, family_name text not null)',
  )
  await pool.query(
    `insert into people select 'person-' || i, 'person-' || i || '@company.test', 'Person', 'Number ' || i
     from generate_series(1, $1::int) as i`,
    [PEOPLE],
  )
}

interface Person {
  id: string
  email: string
  given_name: string
  family_name: string
}

/** Queries the account each time, as the documentation recommends, so that a deleted account has no access. */
const findPerson =
  (pool: pg.Pool) =>
  async (_ctx: unknown, id: string): Promise<Account | undefined> => {
    const text = 'select id, email, given_name, family_name from people where id = $1'
    const [person] = (await pool.query<Person>({ name: 'findPerson', text, values: [id] })).rows
    if (!person) return undefined
    const { email, given_name, family_name } = person
    const claims = { sub: id, email, email_verified: true, given_name, family_name }
    return { accountId: id, claims: () => claims }
  }

/** The same algorithm and key size as the service, so that the results are comparable. */
function createKey(): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'first' } as JWK
}

/** Static clients, which oidc-provider keeps in memory. */
const CLIENTS: Configuration['clients'] = [
  {
    client_id: OUTPUTS.clientId,
    client_secret: OUTPUTS.clientSecret,
    redirect_uris: [OUTPUTS.redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
  },
  {
    client_id: OUTPUTS.machineId,
    client_secret: OUTPUTS.machineSecret,
    redirect_uris: [],
    response_types: [],
    grant_types: ['client_credentials'],
  },
]

/** Access tokens for the resource are JWTs, like those of the service. Without a resource they are opaque, the default. */
const resourceIndicators = {
  enabled: true,
  getResourceServerInfo: () => ({
    scope: RESOURCE_SCOPE,
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'RS256' as const } },
  }),
}

const configure = (pool: pg.Pool): Configuration => ({
  adapter: createAdapterFactory(pool),
  clients: CLIENTS,
  findAccount: findPerson(pool),
  jwks: { keys: [createKey()] },
  // Both are required in production.
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    // The default policy. Setting it avoids a warning.
    introspection: { enabled: true, allowedPolicy: (_ctx, client) => client.clientAuthMethod !== 'none' },
    resourceIndicators,
  },
  rotateRefreshToken: true,
  // The defaults, in seconds. Setting them avoids a warning.
  ttl: {
    AccessToken: 3600,
    ClientCredentials: 600,
    IdToken: 3600,
    RefreshToken: 14 * 86_400,
    Grant: 14 * 86_400,
    Session: 14 * 86_400,
    Interaction: 3600,
  },
})

/** Completes sign-in and consent for the account in `login_hint`, without a page. */
async function finishInteraction(provider: Provider, req: IncomingMessage, res: ServerResponse) {
  const { params } = await provider.interactionDetails(req, res)
  const accountId = String(params.login_hint)
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
  grant.addOIDCScope('openid email profile offline_access')
  grant.addResourceScope(RESOURCE, RESOURCE_SCOPE)
  const grantId = await grant.save()
  await provider.interactionFinished(req, res, { login: { accountId }, consent: { grantId } })
}

async function start(settings: PeerSettings): Promise<void> {
  await createPayloadTable(settings.pool)
  await createPeople(settings.pool)
  const provider = new Provider(settings.url, configure(settings.pool))
  const handle = provider.callback()
  const server = createServer((req, res) => {
    if (!req.url?.startsWith('/interaction/')) return handle(req, res)
    finishInteraction(provider, req, res).catch((error) => res.writeHead(500).end(String(error)))
  })
  await serve(server, settings, OUTPUTS)
}

await start(readPeerSettings(process.env))
