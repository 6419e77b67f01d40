/** better-auth as its documentation advises for production, with PostgreSQL behind it. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { oauthProvider } from '@better-auth/oauth-provider'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt, organization } from 'better-auth/plugins'
import { type Place, readPlace, serve } from './peer.ts'

/** As many as an organization may have when nothing is said. */
const MEMBERS = 100
const PASSWORD = randomBytes(16).toString('base64url')
const RESOURCE = 'https://api.company.test'
const SCOPE = 'api:read'

const emailOf = (number: number) => `person-${number}@company.test`

/** Clients and resources that stay in memory, as its documentation offers for those that are trusted. */
const trusted = new Set<string>()

const configure = ({ url, pool }: Place) =>
  ({
    baseURL: url,
    secret: randomBytes(32).toString('base64url'),
    database: pool,
    // Passwords are hashed by scrypt, and sessions are looked up each time; both are its defaults.
    emailAndPassword: { enabled: true },
    // One query instead of several where tables belong together, as its page on PostgreSQL advises.
    advanced: { database: { joins: true } },
    // It would refuse the load after the third sign-in of ten seconds.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'error' },
    // With the OAuth provider, tokens come from its own route and not beside every session: so its documentation.
    disabledPaths: ['/token'],
    plugins: [
      organization(),
      // The service signs with RS256 and a key of 2048 bits; so does this, or their signatures could not be compared.
      jwt({
        disableSettingJwtHeader: true,
        jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 } },
      }),
      oauthProvider({
        ...{ loginPage: '/sign-in', consentPage: '/consent' },
        scopes: ['openid', 'profile', 'email', 'offline_access', SCOPE],
        // A token is a JWT when it is for a resource.
        ...{ resources: [RESOURCE], clientRegistrationDefaultResources: [RESOURCE] },
        ...{ cachedTrustedClients: trusted, cachedResources: new Set([RESOURCE]) },
        clientPrivileges: ({ user }) => user?.email === emailOf(1),
      }),
    ],
  }) satisfies BetterAuthOptions

type Auth = Awaited<ReturnType<typeof openAuth>>

/** The schema comes first, by its own helper: what it is configured with is written when it opens. */
async function openAuth(place: Place) {
  const options = configure(place)
  const { runMigrations } = await getMigrations(options)
  await runMigrations()
  return betterAuth(options)
}

/** People who share a password, and its hash with it: what that costs is measured when they sign in, not here. */
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

/** The first of them owns it; the others are members. */
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
      ...{ client_name: 'Machine', grant_types: ['client_credentials'], client_credentials_scopes: [SCOPE] },
      token_endpoint_auth_method: 'client_secret_basic',
    },
  })
  if (!client.client_secret) throw new Error('The client has no secret.')
  trusted.add(client.client_id)
  return { clientId: client.client_id, clientSecret: client.client_secret }
}

async function start(place: Place): Promise<void> {
  const auth = await openAuth(place)
  // It makes its key when one is first asked for. Asked by many at once, it would make many, and publish them all.
  await auth.api.getJwks()
  const people = await createPeople(auth)
  const organizationId = await createOrganization(auth, people)
  const facts = {
    ...{ password: PASSWORD, people: String(people.length), organizationId, ...(await createClient(auth)) },
    ...{ resource: RESOURCE, resourceScope: SCOPE },
  }
  await serve(createServer(toNodeHandler(auth)), place, facts)
}

await start(readPlace(process.env))
