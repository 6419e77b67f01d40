/** oidc-provider as its documentation advises for production, with PostgreSQL behind it. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import Provider, { type Account, type Configuration, type JWK } from 'oidc-provider'
import type pg from 'pg'
import { adaptersOn, createPayloadTable } from './oidc-provider-adapter.ts'
import { type Place, readPlace, serve } from './peer.ts'

const PEOPLE = 1000
const RESOURCE = 'https://api.company.test'
const RESOURCE_SCOPE = 'api:read'

const FACTS = {
  ...{ clientId: 'web', clientSecret: randomBytes(32).toString('base64url') },
  ...{ machineId: 'machine', machineSecret: randomBytes(32).toString('base64url') },
  ...{ redirectUri: 'https://app.company.test/callback', people: String(PEOPLE) },
  ...{ resource: RESOURCE, resourceScope: RESOURCE_SCOPE },
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

/** Accounts are the application's own; the documentation has them looked up each time, so that one that is gone is gone. */
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

/** The service signs with RS256 and a key of 2048 bits; so does this, or their signatures could not be compared. */
function createKey(): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'first' } as JWK
}

/** Clients that are known from the start are part of the configuration, and stay in memory as its documentation has it. */
const CLIENTS: Configuration['clients'] = [
  {
    ...{ client_id: FACTS.clientId, client_secret: FACTS.clientSecret },
    ...{ redirect_uris: [FACTS.redirectUri], grant_types: ['authorization_code', 'refresh_token'] },
  },
  {
    ...{ client_id: FACTS.machineId, client_secret: FACTS.machineSecret },
    ...{ redirect_uris: [], response_types: [], grant_types: ['client_credentials'] },
  },
]

/** Access tokens for the resource are JWTs, as the service's are; without one they are opaque, its default. */
const resourceIndicators = {
  enabled: true,
  getResourceServerInfo: () => ({
    ...{ scope: RESOURCE_SCOPE, accessTokenFormat: 'jwt' as const },
    jwt: { sign: { alg: 'RS256' as const } },
  }),
}

const configure = (pool: pg.Pool): Configuration => ({
  adapter: adaptersOn(pool),
  clients: CLIENTS,
  findAccount: findPerson(pool),
  jwks: { keys: [createKey()] },
  // Both have to be set in production: keys that sign cookies, and an interaction of one's own.
  cookies: { keys: [randomBytes(32).toString('base64url')] },
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    // Anybody who is a confidential client may ask, which is also its default; saying so keeps it quiet.
    introspection: { enabled: true, allowedPolicy: (_ctx, client) => client.clientAuthMethod !== 'none' },
    resourceIndicators,
  },
  rotateRefreshToken: true,
  // Its defaults for tokens in seconds, which it asks to be thought over and said.
  ttl: {
    ...{ AccessToken: 3600, ClientCredentials: 600, IdToken: 3600, RefreshToken: 14 * 86_400 },
    ...{ Grant: 14 * 86_400, Session: 14 * 86_400, Interaction: 3600 },
  },
})

/** Where a person would sign in and agree. Whoever the request names is taken to have done both. */
async function finishInteraction(provider: Provider, req: IncomingMessage, res: ServerResponse) {
  const { params } = await provider.interactionDetails(req, res)
  const accountId = String(params.login_hint)
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) })
  grant.addOIDCScope('openid email profile offline_access')
  grant.addResourceScope(RESOURCE, RESOURCE_SCOPE)
  const grantId = await grant.save()
  await provider.interactionFinished(req, res, { login: { accountId }, consent: { grantId } })
}

async function start(place: Place): Promise<void> {
  await createPayloadTable(place.pool)
  await createPeople(place.pool)
  const provider = new Provider(place.url, configure(place.pool))
  const answer = provider.callback()
  const server = createServer((req, res) => {
    if (!req.url?.startsWith('/interaction/')) return answer(req, res)
    finishInteraction(provider, req, res).catch((error) => res.writeHead(500).end(String(error)))
  })
  await serve(server, place, FACTS)
}

await start(readPlace(process.env))
