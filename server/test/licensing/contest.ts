import { expect } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { startTwo, type TwoProcesses } from '../support/two-processes.ts'
import { signIn } from '../support/world.ts'
import { fromTheStart, readOn, readRows } from './replay.ts'

/** A tenant whose seats many are after at once, on two processes of the service. */

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

export const PEOPLE = 50
export type TypeName = 'stalls' | 'boxes' | 'planks'
type Node = 0 | 1

interface Sold {
  id: string
  applicationId: string
  licenseTypeId: string
}

export interface Person {
  userId: string
  membershipId: string
}

/** What an answer comes down to: the status, and why it is what it is. */
export type Outcome = string

export interface Contest {
  people: Person[]
  grant(person: Person, type: TypeName, node: Node): Promise<Outcome>
  revoke(person: Person, type: TypeName, node: Node): Promise<Outcome>
  change(person: Person, type: TypeName, node: Node): Promise<Outcome>
  /** One outcome for each row, and that of the call when that itself fails. */
  grantMany(rows: [Person, TypeName][], node: Node): Promise<Outcome[]>
  subscribe(type: TypeName, change: object, node: Node): Promise<Outcome>
  remove(person: Person, node: Node): Promise<Outcome>
  setStatus(person: Person, status: 'ACTIVE' | 'SUSPENDED', node: Node): Promise<Outcome>
  /** Everybody is an ACTIVE member, nobody has a seat, and there are so many to have. */
  reset(seats: Partial<Record<TypeName, number>>): Promise<void>
  /** Past the service: who has a seat, and in what state. */
  seatsOf(type: TypeName): Promise<{ userId: string; status: string }[]>
  /** Everything that tells of seats tells the same, on both nodes. */
  agree(): Promise<void>
  /** How often two have waited for each other in a circle. */
  deadlocks(): Promise<number>
  close(): Promise<void>
}

interface Asked {
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

const outcomeOf = (status: number, { error, details }: Body): Outcome =>
  [status, error, details?.reason].filter((part) => part !== undefined).join(' ')

async function ask(url: string, { method = 'GET', body, headers = {} }: Asked = {}) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

async function tokenOf(url: string, clientId: string): Promise<Record<string, string>> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: SECRET }
  const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token } = (await response.json()) as Body
  return { authorization: `Bearer ${access_token}` }
}

/** How many of each there were. */
export function tally(outcomes: Outcome[]): Record<Outcome, number> {
  const counts: Record<Outcome, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

export async function openContest(): Promise<Contest> {
  const two = await startTwo(DECLARATION)
  const { urls, db, baseUrl } = two
  const { rows: tenants } = await db.query<{ id: string }>(`select id from tenants where slug = 'races'`)
  const tenantId = tenants[0]?.id ?? ''
  const sold = await listSold(two)
  const people = await addPeople(two, tenantId)
  const [desk, ops] = [await tokenOf(urls[0], 'desk'), await tokenOf(urls[0], 'ops')]
  const owner = { cookie: await signIn(urls[0], 'owner@races.test', { origin: baseUrl }), origin: baseUrl }
  const replay = fromTheStart()

  const send = async (node: Node, path: string, asked: Asked): Promise<Outcome> => {
    const { status, body } = await ask(urls[node] + path, asked)
    return outcomeOf(status, body)
  }
  const seat = (verb: string) => (person: Person, type: TypeName, node: Node) => {
    const { applicationId, licenseTypeId } = sold[type]
    const body = { userId: person.userId, applicationId, licenseTypeId }
    return send(node, `/api/integration/licenses/${verb}`, { method: 'POST', body, headers: desk })
  }
  const member = ({ membershipId }: Person) => `/api/tenants/${tenantId}/members/${membershipId}`

  return {
    people,
    grant: seat('grant'),
    revoke: seat('revoke'),
    change: seat('change'),
    async grantMany(rows, node) {
      const grants = rows.map(([{ userId }, type]) => ({ userId, ...sold[type] }))
      const asked = { method: 'POST', body: { grants }, headers: desk }
      const { status, body } = await ask(`${urls[node]}/api/integration/licenses/grant/bulk`, asked)
      return body.results?.map((row) => outcomeOf(row.statusCode ?? 0, row)) ?? [outcomeOf(status, body)]
    },
    subscribe: (type, change, node) => {
      const asked = { method: 'PATCH', body: change, headers: ops }
      return send(node, `/api/licensing/subscriptions/${sold[type].id}`, asked)
    },
    remove: (person, node) => send(node, member(person), { method: 'DELETE', headers: owner }),
    setStatus: (person, status, node) =>
      send(node, member(person), { method: 'PATCH', body: { status }, headers: owner }),
    async reset(seats) {
      await db.query('delete from seats where tenant_id = $1', [tenantId])
      await db.query(`update memberships set status = 'ACTIVE' where tenant_id = $1`, [tenantId])
      await join(two, tenantId, people)
      for (const type of ['stalls', 'boxes', 'planks'] as const) {
        await db.query(
          `update subscriptions set quantity_purchased = $2, status = 'ACTIVE', current_period_end = null
           where id = $1`,
          [sold[type].id, seats[type] ?? 0],
        )
      }
    },
    async seatsOf(type) {
      const { rows } = await db.query<{ userId: string; status: string }>(
        'select user_id as "userId", status from seats where subscription_id = $1',
        [sold[type].id],
      )
      return rows
    },
    async agree() {
      const rows = await readRows(db, tenantId)
      const { sequence, ...told } = await readOn(db, tenantId, replay)
      expect(told).toEqual(rows)
      const seats = Object.values(rows.seats) as { userId: string; subscriptionId: string; status: string }[]
      for (const url of urls) {
        const overview = await look<Overview>(
          `${url}/api/licensing/tenants/${tenantId}/license-overview`,
          ops,
        )
        for (const entry of overview.subscriptions) {
          const { id } = Object.values(sold).find((type) => type.licenseTypeId === entry.licenseTypeId) ?? {}
          const own = seats.filter(
            ({ subscriptionId, status }) => subscriptionId === id && status === 'ASSIGNED',
          )
          const { quantityPurchased, quantityAssigned, quantityAvailable } = entry
          expect(quantityAssigned).toBe(own.length)
          expect(quantityAvailable).toBeGreaterThanOrEqual(0)
          expect(quantityAssigned + quantityAvailable).toBe(quantityPurchased)
        }
        for (const applicationId of new Set(Object.values(sold).map((type) => type.applicationId))) {
          const good = overview.subscriptions
            .filter((entry) => entry.applicationId === applicationId && entry.status !== 'EXPIRED')
            .reduce((sum, { quantityAssigned }) => sum + quantityAssigned, 0)
          const at = `${url}/api/integration/licenses`
          const users = await look<{ userId: string }[]>(`${at}/apps/${applicationId}/users`, desk)
          expect(users).toHaveLength(good)
          expect(await look(`${at}/apps/${applicationId}/count`, desk)).toEqual({ count: good })
          // One who has it and one who has not, as far as there are such.
          const holders = new Set(users.map(({ userId }) => userId))
          const others = people.map(({ userId }) => userId).filter((userId) => !holders.has(userId))
          for (const userId of [users[0]?.userId, others[0]].filter((id) => id !== undefined)) {
            const query = new URLSearchParams({ userId, applicationId, minRevision: String(sequence) })
            const hasLicense = holders.has(userId)
            expect(await look(`${at}/check?${query}`, desk)).toMatchObject({ hasLicense })
          }
        }
      }
    },
    async deadlocks() {
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

async function look<T>(url: string, headers: Record<string, string>): Promise<T> {
  const { status, body } = await ask(url, { headers })
  expect({ url, status }).toEqual({ url, status: 200 })
  return body as T
}

async function listSold({ db }: TwoProcesses): Promise<Record<TypeName, Sold>> {
  const { rows } = await db.query<Sold & { slug: string }>(
    `select subscriptions.id, slug, license_types.application_id as "applicationId",
       license_type_id as "licenseTypeId"
     from subscriptions join license_types on license_types.id = license_type_id`,
  )
  return Object.fromEntries(rows.map(({ slug, ...row }) => [slug, row])) as Record<TypeName, Sold>
}

/** Without a password: nobody of them signs in. */
async function addPeople(two: TwoProcesses, tenantId: string): Promise<Person[]> {
  const people = Array.from({ length: PEOPLE }, () => ({ userId: newId(), membershipId: newId() }))
  await two.db.query(
    `insert into users (id, email, email_verified, created_at, updated_at)
     select id, id || '@races.test', true, now(), now() from unnest($1::uuid[]) as id`,
    [people.map(({ userId }) => userId)],
  )
  await join(two, tenantId, people)
  return people
}

/** Makes members of those who are none. */
const join = ({ db }: TwoProcesses, tenantId: string, people: Person[]) =>
  db.query(
    `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
     select membership, $1, person, 'member', 'ACTIVE', now(), now(), now()
     from unnest($2::uuid[], $3::uuid[]) as place (membership, person)
     on conflict (tenant_id, user_id) do nothing`,
    [tenantId, people.map(({ membershipId }) => membershipId), people.map(({ userId }) => userId)],
  )
