/** better-auth with PostgreSQL, configured as its documentation recommends for production. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { oauthProvider } from '@better-auth/oauth-provider'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt, organization } from 'better-auth/plugins'
import { type PeerSettings, readPeerSettings, serve } from './peer.ts'

/** The default limit of an organization. */
const MEMBERS = 100
const PASSWORD = randomBytes(16).toString('base64url')
const RESOURCE = 'https://api.company.test'
const SCOPE = 'api:read'

const emailOf = (number: number) => `person-${number}@company.test`

/** Clients that better-auth keeps in memory, as its documentation offers for trusted clients. */
const trustedClients = new Set<string>()

const configure = ({ url, pool }: PeerSettings) =>
  ({
    baseURL: url,
    secret: randomBytes(32).toString('base64url'),
    database: pool,
    // The defaults: scrypt, and a session query per request.
    emailAndPassword: { enabled: true },
    // Joins instead of several queries, as its PostgreSQL page recommends.
    advanced: { database: { joins: true } },
    // The default allows three sign-ins in ten seconds.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'error' },
    // Its documentation recommends this with the OAuth provider, which has its own token route.
    disabledPaths: ['/token'],
    plugins: [
      organization(),
      // The same algorithm and key size as the service, so that the results are comparable.
      jwt({
        disableSettingJwtHeader: true,
        jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 } },
      }),
      oauthProvider({
        loginPage: '/sign-in',
        consentPage: '/consent',
        scopes: ['openid', 'profile', 'email', 'offline_access', SCOPE],
        // Tokens for a resource are JWTs.
        resources: [RESOURCE],
        clientRegistrationDefaultResources: [RESOURCE],
        cachedTrustedClients: trustedClients,
        cachedResources: new Set([RESOURCE]),
        clientPrivileges: ({ user }) => user?.email === emailOf(1),
      }),
    ],
  }) satisfies BetterAuthOptions

type Auth = Awaited<ReturnType<typeof openAuth>>

/** Migrations run first, because `betterAuth` writes its configuration to the database. */
async function openAuth(settings: PeerSettings) {
  const options = configure(settings)
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  return betterAuth(options)
}

/** All people share one password hash, to save time. */
async function createPeople(auth: Auth): Promise<string[]> {
  const { internalAdapter, password } = await auth.$context
  const hash = await password.hash(PASSWORD)
  const ids: string[] = []
  for (let number = 1; number <= MEMBERS; number++) {
    const { id } = await internalAdapter.createUser(
      { email: emailOf(number), name: `Person Number ${number}`, emailVerified: true },
      { method: 'email-password' },
    )
    await internalAdapter.linkAccount({ userId: id, accountId: id, providerId: 'credential', password: hash })
    ids.push(id)
  }
  return ids
}

/** The first person is the owner. */
async function createOrganization(auth: Auth, [ownerId, ...others]: string[]): Promise<string> {
  const created = await auth.api.createOrganization({
    body: { name: 'Company', slug: 'company', userId: ownerId },
  })
  for (const userId of others)
    await auth.api.addMember({ body: { userId, organizationId: created.id, role: 'member' } })
  return created.id
}

async function createClient(auth: Auth): Promise<{ clientId: string; clientSecret: string }> {
  const body = { email: emailOf(1), password: PASSWORD }
  const { headers } = await auth.api.signInEmail({ body, returnHeaders: true })
  const client = await auth.api.adminCreateOAuthClient({
    headers: { cookie: headers.getSetCookie().join('; ') },
    body: {
      client_name: 'Machine',
      grant_types: ['client_credentials'],
      client_credentials_scopes: [SCOPE],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  })
  if (!client.client_secret) throw new Error('The client has no secret.')
  trustedClients.add(client.client_id)
  return { clientId: client.client_id, clientSecret: client.client_secret }
}

async function start(settings: PeerSettings): Promise<void> {
  const auth = await openAuth(settings)
  // The key is created on the first request. Concurrent first requests would create several keys.
  await auth.api.getJwks()
  const people = await createPeople(auth)
  const organizationId = await createOrganization(auth, people)
  const outputs = {
    password: PASSWORD,
    people: String(people.length),
    organizationId,
    ...(await createClient(auth)),
    resource: RESOURCE,
    resourceScope: SCOPE,
  }
  await serve(createServer(toNodeHandler(auth)), settings, outputs)
}

await start(readPeerSettings(process.env))
