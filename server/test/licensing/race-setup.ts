import { expect } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { startTwoProcesses, type TwoProcesses } from '../support/two-processes.ts'
import { signIn } from '../support/world.ts'
import { createReplay, readLicenseState, replayLedger } from './replay.ts'

/** One tenant with 50 members, served by two processes of the service, for concurrent requests. */

const SECRET = 'the-secret-of-a-machine-in-a-test-1'

const DECLARATION = `
users:
  - { email: owner@races.test, password: latchkey-demo-2026 }
tenants:
  - { slug: races, name: Races, members: [{ email: owner@races.test, role: owner }] }
applications:
  - { slug: stage, name: Stage }
  - { slug: attic, name: Attic }
clients:
  - { clientId: ops, secret: ${SECRET}, application: stage, kind: MACHINE, name: Ops, scopes: [admin] }
  - clientId: desk
    secret: ${SECRET}
    application: stage
    kind: MACHINE
    name: Desk
    tenant: races
    scopes: [licenses:read, licenses:write]
licenseTypes:
  - { application: stage, slug: stalls, name: Stalls, displayOrder: 1 }
  - { application: stage, slug: boxes, name: Boxes, displayOrder: 2 }
  - { application: attic, slug: planks, name: Planks }
subscriptions:
  - { tenant: races, application: stage, licenseType: stalls, quantityPurchased: 0 }
  - { tenant: races, application: stage, licenseType: boxes, quantityPurchased: 0 }
  - { tenant: races, application: attic, licenseType: planks, quantityPurchased: 0 }
`

export const MEMBER_COUNT = 50
export type TypeName = 'stalls' | 'boxes' | 'planks'
type Node = 0 | 1

interface SubscriptionIds {
  id: string
  applicationId: string
  licenseTypeId: string
}

export interface Member {
  userId: string
  membershipId: string
}

/** The status code of a response, followed by its error code and reason. */
export type Outcome = string

export interface RaceSetup {
  members: Member[]
  grant(member: Member, type: TypeName, node: Node): Promise<Outcome>
  revoke(member: Member, type: TypeName, node: Node): Promise<Outcome>
  change(member: Member, type: TypeName, node: Node): Promise<Outcome>
  /** One outcome for each row, or the outcome of the request if that fails as a whole. */
  grantInBulk(rows: [Member, TypeName][], node: Node): Promise<Outcome[]>
  changeSubscription(type: TypeName, change: object, node: Node): Promise<Outcome>
  remove(member: Member, node: Node): Promise<Outcome>
  setStatus(member: Member, status: 'ACTIVE' | 'SUSPENDED', node: Node): Promise<Outcome>
  /** Makes everyone an ACTIVE member without a seat, and sets the number of purchased seats. */
  reset(seats: Partial<Record<TypeName, number>>): Promise<void>
  /** Reads the seats from the database. */
  listSeats(type: TypeName): Promise<{ userId: string; status: string }[]>
  /** Expects the tables, the ledger and every API of both nodes to agree. */
  expectConsistent(): Promise<void>
  /** The number of deadlocks that PostgreSQL has detected so far. */
  countDeadlocks(): Promise<number>
  close(): Promise<void>
}

interface RequestOptions {
  method?: string
  body?: object
  headers?: Record<string, string>
}

interface Body {
  error?: string
  details?: { reason?: string }
  access_token?: string
  results?: Body[]
  statusCode?: number
}

const toOutcome = (status: number, { error, details }: Body): Outcome =>
  [status, error, details?.reason].filter((part) => part !== undefined).join(' ')

async function request(url: string, { method = 'GET', body, headers = {} }: RequestOptions = {}) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

async function authorize(url: string, clientId: string): Promise<Record<string, string>> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: SECRET }
  const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token } = (await response.json()) as Body
  return { authorization: `Bearer ${access_token}` }
}

export function countOutcomes(outcomes: Outcome[]): Record<Outcome, number> {
  const counts: Record<Outcome, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

export async function startRaceSetup(): Promise<RaceSetup> {
  const two = await startTwoProcesses(DECLARATION)
  const { urls, db, baseUrl } = two
  const { rows: tenants } = await db.query<{ id: string }>(`select id from tenants where slug = 'races'`)
  const tenantId = tenants[0]?.id ?? ''
  const subscriptions = await listSubscriptions(two)
  const members = await addMembers(two, tenantId)
  const [desk, ops] = [await authorize(urls[0], 'desk'), await authorize(urls[0], 'ops')]
  const owner = { cookie: await signIn(urls[0], 'owner@races.test', { origin: baseUrl }), origin: baseUrl }
  const replay = createReplay()

  const send = async (node: Node, path: string, options: RequestOptions): Promise<Outcome> => {
    const { status, body } = await request(urls[node] + path, options)
    return toOutcome(status, body)
  }
  const changeSeat = (verb: string) => (member: Member, type: TypeName, node: Node) => {
    const { applicationId, licenseTypeId } = subscriptions[type]
    const body = { userId: member.userId, applicationId, licenseTypeId }
    return send(node, `/api/integration/licenses/${verb}`, { method: 'POST', body, headers: desk })
  }
  const toMemberPath = ({ membershipId }: Member) => `/api/tenants/${tenantId}/members/${membershipId}`

  return {
    members,
    grant: changeSeat('grant'),
    revoke: changeSeat('revoke'),
    change: changeSeat('change'),
    async grantInBulk(rows, node) {
      const grants = rows.map(([{ userId }, type]) => ({ userId, ...subscriptions[type] }))
      const options = { method: 'POST', body: { grants }, headers: desk }
      const { status, body } = await request(`${urls[node]}/api/integration/licenses/grant/bulk`, options)
      return body.results?.map((row) => toOutcome(row.statusCode ?? 0, row)) ?? [toOutcome(status, body)]
    },
    changeSubscription: (type, change, node) => {
      const options = { method: 'PATCH', body: change, headers: ops }
      return send(node, `/api/licensing/subscriptions/${subscriptions[type].id}`, options)
    },
    remove: (member, node) => send(node, toMemberPath(member), { method: 'DELETE', headers: owner }),
    setStatus: (member, status, node) =>
      send(node, toMemberPath(member), { method: 'PATCH', body: { status }, headers: owner }),
    async reset(seats) {
      await db.query('delete from seats where tenant_id = $1', [tenantId])
      await db.query(`update memberships set status = 'ACTIVE' where tenant_id = $1`, [tenantId])
      await insertMissingMemberships(two, tenantId, members)
      for (const type of ['stalls', 'boxes', 'planks'] as const) {
        await db.query(
          `update subscriptions set quantity_purchased = $2, status = 'ACTIVE', current_period_end = null
           where id = $1`,
          [subscriptions[type].id, seats[type] ?? 0],
        )
      }
    },
    async listSeats(type) {
      const { rows } = await db.query<{ userId: string; status: string }>(
        'select user_id as "userId", status from seats where subscription_id = $1',
        [subscriptions[type].id],
      )
      return rows
    },
    async expectConsistent() {
      const rows = await readLicenseState(db, tenantId)
      const { sequence, ...replayed } = await replayLedger(db, tenantId, replay)
      expect(replayed).toEqual(rows)
      const seats = Object.values(rows.seats) as { userId: string; subscriptionId: string; status: string }[]
      for (const url of urls) {
        const overview = await getJson<Overview>(`${url}/api/licensing/tenants/${tenantId}/license-overview`, ops)
        for (const entry of overview.subscriptions) {
          const { id } = Object.values(subscriptions).find((type) => type.licenseTypeId === entry.licenseTypeId) ?? {}
          const assigned = seats.filter(({ subscriptionId, status }) => subscriptionId === id && status === 'ASSIGNED')
          const { quantityPurchased, quantityAssigned, quantityAvailable } = entry
          expect(quantityAssigned).toBe(assigned.length)
          expect(quantityAvailable).toBeGreaterThanOrEqual(0)
          expect(quantityAssigned + quantityAvailable).toBe(quantityPurchased)
        }
        for (const applicationId of new Set(Object.values(subscriptions).map((type) => type.applicationId))) {
          const licensed = overview.subscriptions
            .filter((entry) => entry.applicationId === applicationId && entry.status !== 'EXPIRED')
            .reduce((sum, { quantityAssigned }) => sum + quantityAssigned, 0)
          const at = `${url}/api/integration/licenses`
          const users = await getJson<{ userId: string }[]>(`${at}/apps/${applicationId}/users`, desk)
          expect(users).toHaveLength(licensed)
          expect(await getJson(`${at}/apps/${applicationId}/count`, desk)).toEqual({ count: licensed })
          // Check one holder and one member without a license, if there are any.
          const holders = new Set(users.map(({ userId }) => userId))
          const others = members.map(({ userId }) => userId).filter((userId) => !holders.has(userId))
          for (const userId of [users[0]?.userId, others[0]].filter((id) => id !== undefined)) {
            const query = new URLSearchParams({ userId, applicationId, minRevision: String(sequence) })
            const hasLicense = holders.has(userId)
            expect(await getJson(`${at}/check?${query}`, desk)).toMatchObject({ hasLicense })
          }
        }
      }
    },
    async countDeadlocks() {
      const { rows } = await db.query<{ deadlocks: number }>(
        'select deadlocks::int from pg_stat_database where datname = current_database()',
      )
      return rows[0]?.deadlocks ?? 0
    },
    close: two.close,
  }
}

interface Overview {
  subscriptions: {
    applicationId: string
    licenseTypeId: string
    quantityPurchased: number
    quantityAssigned: number
    quantityAvailable: number
    status: string
  }[]
}

async function getJson<T>(url: string, headers: Record<string, string>): Promise<T> {
  const { status, body } = await request(url, { headers })
  expect({ url, status }).toEqual({ url, status: 200 })
  return body as T
}

async function listSubscriptions({ db }: TwoProcesses): Promise<Record<TypeName, SubscriptionIds>> {
  const { rows } = await db.query<SubscriptionIds & { slug: string }>(
    `select subscriptions.id, slug, license_types.application_id as "applicationId",
       license_type_id as "licenseTypeId"
     from subscriptions join license_types on license_types.id = license_type_id`,
  )
  return Object.fromEntries(rows.map(({ slug, ...row }) => [slug, row])) as Record<TypeName, SubscriptionIds>
}

/** The accounts have no password, because none of them signs in. */
async function addMembers(two: TwoProcesses, tenantId: string): Promise<Member[]> {
  const members = Array.from({ length: MEMBER_COUNT }, () => ({ userId: newId(), membershipId: newId() }))
  await two.db.query(
    `insert into users (id, email, email_verified, created_at, updated_at)
     select id, id || '@races.test', true, now(), now() from unnest($1::uuid[]) as id`,
    [members.map(({ userId }) => userId)],
  )
  await insertMissingMemberships(two, tenantId, members)
  return members
}

const insertMissingMemberships = ({ db }: TwoProcesses, tenantId: string, members: Member[]) =>
  db.query(
    `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
     select membership_id, $1, user_id, 'member', 'ACTIVE', now(), now(), now()
     from unnest($2::uuid[], $3::uuid[]) as member (membership_id, user_id)
     on conflict (tenant_id, user_id) do nothing`,
    [tenantId, members.map(({ membershipId }) => membershipId), members.map(({ userId }) => userId)],
  )
