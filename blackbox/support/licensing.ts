import { callAdmin, newApplication, newClient, newMachine, OPS } from './admin.ts'
import { call } from './calls.ts'
import { authorize, bearer, exchangeCode, readRedirect, requestMachineToken } from './oauth.ts'
import { completePages } from './pages.ts'
import type { Person } from './person.ts'
import { type ApiResponse, cached, type Fields, unique } from './service.ts'
import { getTenantTokens, type Member, newMember, newOwnedTenant, type Role, type Tenant } from './tenants.ts'

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

/** A member with a token for the tenant. */
export interface TenantMember extends Member {
  tenantHeaders: Headers
}

export const LICENSES = '/api/integration/licenses'
export const LICENSING = '/api/licensing'

/** The complete response for a user without a license. */
export const UNLICENSED = { hasLicense: false, licenseType: null, licenseTypeName: null, features: [] }

export const DAY_MS = 86_400_000
/** Negative: in the past. */
export const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

export const getOperatorHeaders = cached<Headers>(() => machineHeaders(OPS, 'admin'))

async function machineHeaders(machine: { clientId: string; clientSecret: string }, scope?: string): Promise<Headers> {
  const { status, body } = await requestMachineToken(machine, { scope })
  if (status !== 200) throw new Error(`machine: ${status} ${JSON.stringify(body)}`)
  return bearer(body.access_token)
}

/** Creates a machine. Without `tenantId` it is not bound to a tenant. */
export const newMachineHeaders = async (applicationId: string, scopes: string[], tenantId?: string): Promise<Headers> =>
  machineHeaders(await newMachine(applicationId, scopes, tenantId === undefined ? {} : { tenantId }))

export const callLicensing = async <Body = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiResponse<Body>> => call<Body>(method, LICENSING + path, { headers: await getOperatorHeaders(), body })

export function expectStatus<Body>(status: number, response: ApiResponse<Body>): Body {
  if (response.status === status) return response.body
  throw new Error(`${response.status} instead of ${status}: ${JSON.stringify(response.body)}`)
}

export async function newLicensedApplication(
  licensingMode: 'PER_SEAT' | 'TENANT_WIDE' | 'FREE' = 'PER_SEAT',
): Promise<string> {
  const fields = { name: 'A licensed application', slug: unique('app'), licensingMode }
  return expectStatus(201, await callAdmin<{ id: string }>('POST', '/applications', fields)).id
}

export const newLicenseType = async (applicationId: string, fields: object = {}): Promise<LicenseType> =>
  expectStatus(
    201,
    await callLicensing<LicenseType>('POST', '/license-types', {
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
  expectStatus(
    201,
    await callLicensing<Subscription>('POST', `/tenants/${tenantId}/subscriptions`, {
      licenseTypeId,
      quantityPurchased: 5,
      ...fields,
    }),
  )

export const changeSubscription = (id: string, change: object) =>
  callLicensing<Subscription>('PATCH', `/subscriptions/${id}`, change)

export async function toTenantMember(member: Member, tenant: Tenant): Promise<TenantMember> {
  return { ...member, tenantHeaders: bearer((await getTenantTokens(member.person, tenant)).access_token) }
}

export async function newTenantMember(
  { tenant, owner }: { tenant: Tenant; owner: Member },
  role?: Role,
): Promise<TenantMember> {
  return toTenantMember(await newMember(owner.headers, tenant.id, role), tenant)
}

export async function newTenantWithOwner(name?: string): Promise<{ tenant: Tenant; owner: TenantMember }> {
  const { tenant, owner } = await newOwnedTenant(name)
  return { tenant, owner: await toTenantMember(owner, tenant) }
}

/** A tenant with seats of a new application. */
export async function newTenantWithSeats(seats = 5) {
  const application = await newLicensedApplication()
  const [{ tenant, owner }, pro] = await Promise.all([newTenantWithOwner(), newLicenseType(application)])
  const subscription = await newSubscription(tenant.id, pro.id, { quantityPurchased: seats })
  return { application, tenant, owner, pro, subscription }
}

/** The token of a third-party application with all scopes. */
export async function thirdPartyHeaders(person: Person, extra: Fields = {}): Promise<Headers> {
  const client = await newClient(await newApplication({ trusted: false }), 'SPA')
  const browser = await person.signIn()
  const response = await completePages(browser, await authorize(browser, client, extra), person)
  const { code = '' } = readRedirect(response)
  return bearer((await exchangeCode(client, code)).body.access_token)
}

const withQuery = (path: string, query: Record<string, string>) => `${LICENSES}/${path}?${new URLSearchParams(query)}`

/** Sends the fields in the query. */
export const getLicense = (headers: Headers, path: string, query: Record<string, string>) =>
  call('GET', withQuery(path, query), { headers })

/** Sends the fields in the body, and optionally some in the query. */
export const postLicense = (
  headers: Headers,
  path: string,
  { body, query = {} }: { body?: unknown; query?: Record<string, string> },
) => call('POST', withQuery(path, query), { headers, body })

export const grantSeat = (headers: Headers, body: unknown, more: Headers = {}) =>
  call<Assignment>('POST', `${LICENSES}/grant`, { headers: { ...headers, ...more }, body })

export const revokeSeat = (headers: Headers, body: unknown) => call('POST', `${LICENSES}/revoke`, { headers, body })

export const changeSeat = (headers: Headers, body: unknown) =>
  call<Assignment>('POST', `${LICENSES}/change`, { headers, body })

/** The holders of an application and their count, from both lists. */
export async function readLicenseHolders(headers: Headers, application: string) {
  const path = `${LICENSES}/apps/${application}`
  const users = expectStatus(200, await call<{ userId: string }[]>('GET', `${path}/users`, { headers }))
  const { count } = expectStatus(200, await call<{ count: number }>('GET', `${path}/count`, { headers }))
  return { users, count }
}

export const hasLicense = async (headers: Headers, userId: string, applicationId: string) =>
  expectStatus(200, await getLicense(headers, 'check', { userId, applicationId })).hasLicense

export const listSubscriptions = async (tenantId: string): Promise<Subscription[]> =>
  expectStatus(200, await callLicensing<Subscription[]>('GET', `/tenants/${tenantId}/subscriptions`))

export interface Overview {
  tenantId: string
  tenantName: string
  totalSeatsOwned: number
  totalSeatsAssigned: number
  totalSeatsAvailable: number
  subscriptions: Omit<Subscription, 'id'>[]
}

export const readOverview = async (tenantId: string): Promise<Overview> =>
  expectStatus(200, await callLicensing<Overview>('GET', `/tenants/${tenantId}/license-overview`))

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
  expectStatus(
    200,
    await callLicensing<{ entries: LedgerEntry[]; next: number | null }>('GET', `/tenants/${tenantId}/ledger${query}`),
  )
