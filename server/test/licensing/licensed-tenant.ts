import type { LicensingMode, SubscriptionStatus } from '../../src/db/tables.ts'
import { newId } from '../../src/lib/ids.ts'
import { type ApiResponse, call, insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, machineToken, token } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'

export const DAY_MS = 86_400_000
const BASE_PATH = '/api/integration/licenses'

export type TypeName = 'basic' | 'pro'

/** A tenant with its own application, two license types, and a machine client that grants and revokes seats. */
export interface LicensedTenant {
  service: TestService
  company: TestTenant
  applicationId: string
  types: Record<TypeName, string>
  /** The subscription to `pro`. */
  subscriptionId: string
  machine: { clientId: string; clientSecret: string }
}

export interface TestMember {
  id: string
  email: string
  membershipId: string
}

interface FirmOptions {
  mode?: LicensingMode
  /** The purchased seats of `pro`. */
  seats?: number
  currentPeriodEnd?: Date | null
  status?: SubscriptionStatus
}

/** The enabled features of each type, as a check returns them. */
export const FEATURES: Record<TypeName, string[]> = { basic: ['view'], pro: ['edit', 'view'] }

export async function createLicensedTenant(service: TestService, options: FirmOptions = {}): Promise<LicensedTenant> {
  const { mode: licensingMode = 'PER_SEAT', seats = 5, ...terms } = options
  const { url } = service
  const company = await insertTenant(service)
  const draft = { name: `Desk of ${company.name}`, licensingMode }
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', draft)
  // Inserted directly into the database, like the tenant.
  const insertType = async (slug: TypeName, display_order: number) => {
    const features = { ...Object.fromEntries(FEATURES[slug].map((key) => [key, true])), never: false }
    const now = service.ctx.now()
    const type = { id: newId(), application_id: applicationId, slug, name: `The ${slug}`, description: null }
    await service.ctx.db
      .insertInto('license_types')
      .values({
        ...type,
        features: JSON.stringify(features),
        display_order,
        created_at: now,
        updated_at: now,
      })
      .execute()
    return type.id
  }
  const types = { basic: await insertType('basic', 1), pro: await insertType('pro', 2) }
  const machine = await admin<LicensedTenant['machine']>(url, '/api/admin/clients', {
    applicationId,
    kind: 'MACHINE',
    name: 'Back office',
    tenantId: company.id,
    scopes: ['licenses:read', 'licenses:write'],
  })
  const firm = { service, company, applicationId, types, subscriptionId: '', machine }
  const { id: subscriptionId } = await createSubscription(firm, 'pro', { quantityPurchased: seats, ...terms })
  return { ...firm, subscriptionId }
}

/** The same firm, with requests sent to another node. */
export const onNode = (service: TestService, firm: LicensedTenant): LicensedTenant => ({ ...firm, service })

export async function addTenantMember({ service, company }: LicensedTenant, traits: object = {}): Promise<TestMember> {
  const person = await insertUser(service, traits)
  return { ...person, membershipId: await insertMembership(service, company, person) }
}

export const addTenantMembers = (firm: LicensedTenant, count: number): Promise<TestMember[]> =>
  Promise.all(Array.from({ length: count }, () => addTenantMember(firm)))

export async function addLicensedMember(firm: LicensedTenant, type: TypeName = 'pro'): Promise<TestMember> {
  const worker = await addTenantMember(firm)
  await requireStatus(201, grant(firm, worker, type))
  return worker
}

export async function requireStatus(status: number, request: Promise<ApiResponse>): Promise<ApiResponse> {
  const response = await request
  if (response.status !== status) throw new Error(`${response.status} ${JSON.stringify(response.body)}`)
  return response
}

interface SubscriptionTerms {
  quantityPurchased: number
  status?: SubscriptionStatus
  currentPeriodEnd?: Date | null
}

export const createSubscription = (
  { service, company, types }: LicensedTenant,
  type: TypeName,
  terms: SubscriptionTerms,
) =>
  admin<{ id: string }>(service.url, `/api/licensing/tenants/${company.id}/subscriptions`, {
    licenseTypeId: types[type],
    ...terms,
  })

/** Calls as a machine client with instance-wide administrator rights. */
export async function callAsOps({ url }: TestService, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  return call(url + path, { method, headers, body })
}

export const changeSubscription = (
  { service, subscriptionId }: LicensedTenant,
  terms: Partial<SubscriptionTerms>,
): Promise<ApiResponse> => callAsOps(service, 'PATCH', `/api/licensing/subscriptions/${subscriptionId}`, terms)

export async function overview({ service, company }: LicensedTenant) {
  const { body } = await callAsOps(service, 'GET', `/api/licensing/tenants/${company.id}/license-overview`)
  return body as { subscriptions: Record<string, unknown>[] } & Record<string, unknown>
}

/** The seats of the subscription to `pro`, from the overview. */
export async function getSeatSummary(firm: LicensedTenant) {
  const { subscriptions } = await overview(firm)
  const entry = subscriptions.find(({ licenseTypeId }) => licenseTypeId === firm.types.pro)
  const { quantityPurchased, quantityAssigned, quantityAvailable, status } = entry ?? {}
  return { quantityPurchased, quantityAssigned, quantityAvailable, status }
}

/** Requests a new token each time, because the test clock may have passed the end of the last one. */
export async function getMachineToken({ service, machine }: LicensedTenant): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = machine
  const form = { grant_type: 'client_credentials', client_id, client_secret }
  return (await token(service.url, form)).body.access_token
}

async function callLicenses(firm: LicensedTenant, method: string, path: string, body?: unknown): Promise<ApiResponse> {
  const headers = { authorization: `Bearer ${await getMachineToken(firm)}` }
  return call(firm.service.url + BASE_PATH + path, { method, headers, body })
}

type UserRef = Pick<TestMember, 'id'>

export const grant = (firm: LicensedTenant, { id: userId }: UserRef, type: TypeName = 'pro'): Promise<ApiResponse> =>
  callLicenses(firm, 'POST', '/grant', toGrantRequest(firm, userId, type))

export const change = (firm: LicensedTenant, { id: userId }: UserRef, type: TypeName): Promise<ApiResponse> =>
  callLicenses(firm, 'POST', '/change', toGrantRequest(firm, userId, type))

const toGrantRequest = ({ applicationId, types }: LicensedTenant, userId: string, type: TypeName) => ({
  userId,
  applicationId,
  licenseTypeId: types[type],
})

export const revoke = (firm: LicensedTenant, { id: userId }: UserRef): Promise<ApiResponse> =>
  callLicenses(firm, 'POST', '/revoke', { userId, applicationId: firm.applicationId })

export async function check(firm: LicensedTenant, { id: userId }: UserRef, extraQuery: Record<string, string> = {}) {
  const query = new URLSearchParams({ userId, applicationId: firm.applicationId, ...extraQuery })
  return (await callLicenses(firm, 'GET', `/check?${query}`)).body
}

/** The slug of the license type that a user holds, or null. */
export const findLicenseType = async (firm: LicensedTenant, worker: UserRef, extraQuery: Record<string, string> = {}) =>
  (await check(firm, worker, extraQuery)).licenseType

export const NO_LICENSE = { hasLicense: false, licenseType: null, licenseTypeName: null, features: [] }

/** Lists the license holders, and expects the count route to return the same number. */
export async function listHolderIds(firm: LicensedTenant): Promise<string[]> {
  const path = `/apps/${firm.applicationId}`
  const list = (await callLicenses(firm, 'GET', `${path}/users`)).body as unknown as { userId: string }[]
  const { count } = (await callLicenses(firm, 'GET', `${path}/count`)).body
  if (count !== list.length) throw new Error(`the count is ${count}, but ${list.length} holders are listed`)
  return list.map(({ userId }) => userId)
}

export const toSeatRefusal = (reason: string) => ({
  status: 400,
  body: { error: 'NO_SEATS_AVAILABLE', details: { reason } },
})

/** Reads the seats of the firm from the database. */
export const listSeatRows = ({ service, company }: LicensedTenant) =>
  service.ctx.db
    .selectFrom('seats')
    .selectAll()
    .where('tenant_id', '=', company.id)
    .orderBy('assigned_at')
    .orderBy('id')
    .execute()
