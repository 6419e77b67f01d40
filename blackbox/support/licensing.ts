import { admin, newApplication, newClient, newMachine, OPS } from './admin.ts'
import { call } from './calls.ts'
import { askMachineToken, authorize, bearer, exchange, landing } from './oauth.ts'
import { goThrough } from './pages.ts'
import type { Person } from './person.ts'
import { type Answer, type Fields, keepFresh, unique } from './service.ts'
import { type Member, newMember, newOwnedTenant, type Role, type Tenant, tokensIn } from './tenants.ts'

export type Headers = Record<string, string>

export interface LicenseType {
  id: string
  applicationId: string
  slug: string
  name: string
  description: string | null
  features: Record<string, boolean>
  displayOrder: number
  status: string
  createdAt: string
  updatedAt: string
}

export interface Subscription {
  id: string
  applicationId: string
  applicationName: string
  licenseTypeId: string
  licenseTypeName: string
  licenseTypeSlug: string
  quantityPurchased: number
  quantityAssigned: number
  quantityAvailable: number
  status: string
  currentPeriodStart: string
  currentPeriodEnd: string | null
  createdAt: string
}

export interface Assignment {
  id: string
  userId: string
  licenseTypeId: string
  licenseTypeName: string
  assignedAt: string
}

/** Somebody with a token that speaks for the tenant they are a member of. */
export interface Inside extends Member {
  inside: Headers
}

export const LICENSES = '/api/integration/licenses'
export const LICENSING = '/api/licensing'

/** The whole answer to a check of who holds nothing. */
export const UNLICENSED = { hasLicense: false, licenseType: null, licenseTypeName: null, features: [] }

export const DAY_MS = 86_400_000
/** So many days from now; less than none is in the past. */
export const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

/** Whoever runs the instance. */
export const asOps = keepFresh<Headers>(() => machineHeaders(OPS, 'admin'))

async function machineHeaders(
  machine: { clientId: string; clientSecret: string },
  scope?: string,
): Promise<Headers> {
  const { status, body } = await askMachineToken(machine, { scope })
  if (status !== 200) throw new Error(`machine: ${status} ${JSON.stringify(body)}`)
  return bearer(body.access_token)
}

/** A machine of its own, bound to a tenant unless that is left out. */
export const newMachineHeaders = async (
  applicationId: string,
  scopes: string[],
  tenantId?: string,
): Promise<Headers> =>
  machineHeaders(await newMachine(applicationId, scopes, tenantId === undefined ? {} : { tenantId }))

export const runInstance = async <Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<Body>> => call<Body>(method, LICENSING + path, { headers: await asOps(), body })

export function succeed<Body>(status: number, answer: Answer<Body>): Body {
  if (answer.status === status) return answer.body
  throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`)
}

export async function newLicensedApplication(
  licensingMode: 'PER_SEAT' | 'TENANT_WIDE' | 'FREE' = 'PER_SEAT',
): Promise<string> {
  const fields = { name: 'A licensed application', slug: unique('app'), licensingMode }
  return succeed(201, await admin<{ id: string }>('POST', '/applications', fields)).id
}

export const newType = async (applicationId: string, fields: object = {}): Promise<LicenseType> =>
  succeed(
    201,
    await runInstance<LicenseType>('POST', '/license-types', {
      applicationId,
      name: 'Pro',
      slug: unique('pro'),
      features: { reports: true, export: true, audit: false },
      ...fields,
    }),
  )

export const newSubscription = async (
  tenantId: string,
  licenseTypeId: string,
  fields: object = {},
): Promise<Subscription> =>
  succeed(
    201,
    await runInstance<Subscription>('POST', `/tenants/${tenantId}/subscriptions`, {
      licenseTypeId,
      quantityPurchased: 5,
      ...fields,
    }),
  )

export const changeSubscription = (id: string, change: object) =>
  runInstance<Subscription>('PATCH', `/subscriptions/${id}`, change)

export async function getInside(member: Member, tenant: Tenant): Promise<Inside> {
  return { ...member, inside: bearer((await tokensIn(member.person, tenant)).access_token) }
}

export async function newInside(
  { tenant, owner }: { tenant: Tenant; owner: Member },
  role?: Role,
): Promise<Inside> {
  return getInside(await newMember(owner.headers, tenant.id, role), tenant)
}

export async function newTenantInside(name?: string): Promise<{ tenant: Tenant; owner: Inside }> {
  const { tenant, owner } = await newOwnedTenant(name)
  return { tenant, owner: await getInside(owner, tenant) }
}

/** A tenant with seats of an application that nobody else uses. */
export async function newSeats(seats = 5) {
  const application = await newLicensedApplication()
  const [{ tenant, owner }, pro] = await Promise.all([newTenantInside(), newType(application)])
  const subscription = await newSubscription(tenant.id, pro.id, { quantityPurchased: seats })
  return { application, tenant, owner, pro, subscription }
}

/** The token that a third-party application gets, with everything it may ask for. */
export async function thirdPartyHeaders(person: Person, extra: Fields = {}): Promise<Headers> {
  const client = await newClient(await newApplication({ trusted: false }), 'SPA')
  const browser = await person.signIn()
  const response = await goThrough(browser, await authorize(browser, client, extra), person)
  const { code = '' } = landing(response)
  return bearer((await exchange(client, code)).body.access_token)
}

const withQuery = (path: string, query: Record<string, string>) =>
  `${LICENSES}/${path}?${new URLSearchParams(query)}`

/** Asks one of the doors that read, with the fields in the address. */
export const ask = (headers: Headers, path: string, query: Record<string, string>) =>
  call('GET', withQuery(path, query), { headers })

/** Asks with the fields in the body, and some in the address if need be. */
export const askByPost = (
  headers: Headers,
  path: string,
  { body, query = {} }: { body?: unknown; query?: Record<string, string> },
) => call('POST', withQuery(path, query), { headers, body })

export const grant = (headers: Headers, body: unknown, more: Headers = {}) =>
  call<Assignment>('POST', `${LICENSES}/grant`, { headers: { ...headers, ...more }, body })

export const revoke = (headers: Headers, body: unknown) =>
  call('POST', `${LICENSES}/revoke`, { headers, body })

export const change = (headers: Headers, body: unknown) =>
  call<Assignment>('POST', `${LICENSES}/change`, { headers, body })

/** What the lists say of an application: who holds it, and how many they are. */
export async function readHolders(headers: Headers, application: string) {
  const path = `${LICENSES}/apps/${application}`
  const users = succeed(200, await call<{ userId: string }[]>('GET', `${path}/users`, { headers }))
  const { count } = succeed(200, await call<{ count: number }>('GET', `${path}/count`, { headers }))
  return { users, count }
}

export const hasLicense = async (headers: Headers, userId: string, applicationId: string) =>
  succeed(200, await ask(headers, 'check', { userId, applicationId })).hasLicense

export const listSubscriptions = async (tenantId: string): Promise<Subscription[]> =>
  succeed(200, await runInstance<Subscription[]>('GET', `/tenants/${tenantId}/subscriptions`))

export interface Overview {
  tenantId: string
  tenantName: string
  totalSeatsOwned: number
  totalSeatsAssigned: number
  totalSeatsAvailable: number
  subscriptions: Omit<Subscription, 'id'>[]
}

export const readOverview = async (tenantId: string): Promise<Overview> =>
  succeed(200, await runInstance<Overview>('GET', `/tenants/${tenantId}/license-overview`))

export interface LedgerEntry {
  sequence: number
  occurredAt: string
  actor: string | null
  reason: string
  subject: string
  subjectId: string
  userId: string | null
  applicationId: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

export const readLedger = async (tenantId: string, query = '') =>
  succeed(
    200,
    await runInstance<{ entries: LedgerEntry[]; next: number | null }>(
      'GET',
      `/tenants/${tenantId}/ledger${query}`,
    ),
  )
