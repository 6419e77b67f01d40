import type { LicensingMode, SubscriptionStatus } from '../../src/db/tables.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Answer, addPerson, call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, machineToken, token } from '../support/world.ts'
import { type Company, employ, newCompany } from '../tenants/company.ts'

export const DAY = 86_400_000
const AT = '/api/integration/licenses'

export type TypeName = 'basic' | 'pro'

/** A tenant with an application of its own, its licence types, and a machine that gives and takes seats there. */
export interface Firm {
  service: TestService
  company: Company
  applicationId: string
  types: Record<TypeName, string>
  /** Of `pro`. */
  subscriptionId: string
  machine: { clientId: string; clientSecret: string }
}

export interface Worker {
  id: string
  email: string
  membershipId: string
}

interface Terms {
  mode?: LicensingMode
  /** How many of `pro` are bought. */
  seats?: number
  currentPeriodEnd?: Date | null
  status?: SubscriptionStatus
}

/** What each of the types lets people do, as a check shows it. */
export const FEATURES: Record<TypeName, string[]> = { basic: ['view'], pro: ['edit', 'view'] }

export async function openFirm(service: TestService, terms: Terms = {}): Promise<Firm> {
  const { mode: licensingMode = 'PER_SEAT', seats = 5, ...rest } = terms
  const { url } = service
  const company = await newCompany(service)
  const draft = { name: `Desk of ${company.name}`, licensingMode }
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', draft)
  // Laid out past the service, like the tenant.
  const newType = async (slug: TypeName, display_order: number) => {
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
  const types = { basic: await newType('basic', 1), pro: await newType('pro', 2) }
  const machine = await admin<Firm['machine']>(url, '/api/admin/clients', {
    ...{ applicationId, kind: 'MACHINE', name: 'Back office', tenantId: company.id },
    scopes: ['licenses:read', 'licenses:write'],
  })
  const firm = { service, company, applicationId, types, subscriptionId: '', machine }
  const { id: subscriptionId } = await subscribe(firm, 'pro', { quantityPurchased: seats, ...rest })
  return { ...firm, subscriptionId }
}

/** The same firm, seen from another node. */
export const seenFrom = (service: TestService, firm: Firm): Firm => ({ ...firm, service })

export async function hire({ service, company }: Firm, traits: object = {}): Promise<Worker> {
  const person = await addPerson(service, traits)
  return { ...person, membershipId: await employ(service, company, person) }
}

export const hireMany = (firm: Firm, many: number): Promise<Worker[]> =>
  Promise.all(Array.from({ length: many }, () => hire(firm)))

/** Somebody who has a seat. */
export async function hireLicensed(firm: Firm, type: TypeName = 'pro'): Promise<Worker> {
  const worker = await hire(firm)
  await mustBe(201, grant(firm, worker, type))
  return worker
}

export async function mustBe(status: number, answer: Promise<Answer>): Promise<Answer> {
  const given = await answer
  if (given.status !== status) throw new Error(`${given.status} ${JSON.stringify(given.body)}`)
  return given
}

interface NewTerms {
  quantityPurchased: number
  status?: SubscriptionStatus
  currentPeriodEnd?: Date | null
}

export const subscribe = ({ service, company, types }: Firm, type: TypeName, terms: NewTerms) =>
  admin<{ id: string }>(service.url, `/api/licensing/tenants/${company.id}/subscriptions`, {
    licenseTypeId: types[type],
    ...terms,
  })

/** Calls as the instance's own machine. */
export async function callAsOps({ url }: TestService, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  return call(url + path, { method, headers, body })
}

export const renew = ({ service, subscriptionId }: Firm, terms: Partial<NewTerms>): Promise<Answer> =>
  callAsOps(service, 'PATCH', `/api/licensing/subscriptions/${subscriptionId}`, terms)

export async function overview({ service, company }: Firm) {
  const { body } = await callAsOps(service, 'GET', `/api/licensing/tenants/${company.id}/license-overview`)
  return body as { subscriptions: Record<string, unknown>[] } & Record<string, unknown>
}

/** Of the one subscription to `pro`. */
export async function seatsOf(firm: Firm) {
  const { subscriptions } = await overview(firm)
  const entry = subscriptions.find(({ licenseTypeId }) => licenseTypeId === firm.types.pro)
  const { quantityPurchased, quantityAssigned, quantityAvailable, status } = entry ?? {}
  return { quantityPurchased, quantityAssigned, quantityAvailable, status }
}

/** The clock may have been moved since the last one was given out. */
export async function tokenOf({ service, machine }: Firm): Promise<string> {
  const { clientId: client_id, clientSecret: client_secret } = machine
  const form = { grant_type: 'client_credentials', client_id, client_secret }
  return (await token(service.url, form)).body.access_token
}

async function callLicenses(firm: Firm, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${await tokenOf(firm)}` }
  return call(firm.service.url + AT + path, { method, headers, body })
}

type Named = Pick<Worker, 'id'>

export const grant = (firm: Firm, { id: userId }: Named, type: TypeName = 'pro'): Promise<Answer> =>
  callLicenses(firm, 'POST', '/grant', wish(firm, userId, type))

export const change = (firm: Firm, { id: userId }: Named, type: TypeName): Promise<Answer> =>
  callLicenses(firm, 'POST', '/change', wish(firm, userId, type))

const wish = ({ applicationId, types }: Firm, userId: string, type: TypeName) => ({
  ...{ userId, applicationId },
  licenseTypeId: types[type],
})

export const revoke = (firm: Firm, { id: userId }: Named): Promise<Answer> =>
  callLicenses(firm, 'POST', '/revoke', { userId, applicationId: firm.applicationId })

export async function check(firm: Firm, { id: userId }: Named, more: Record<string, string> = {}) {
  const query = new URLSearchParams({ userId, applicationId: firm.applicationId, ...more })
  return (await callLicenses(firm, 'GET', `/check?${query}`)).body
}

/** The slug of what somebody holds, or null. */
export const typeOf = async (firm: Firm, worker: Named, more: Record<string, string> = {}) =>
  (await check(firm, worker, more)).licenseType

export const NOTHING = { hasLicense: false, licenseType: null, licenseTypeName: null, features: [] }

/** Who may use the application by the list, after making sure that the number of them is the same. */
export async function holders(firm: Firm): Promise<string[]> {
  const path = `/apps/${firm.applicationId}`
  const list = (await callLicenses(firm, 'GET', `${path}/users`)).body as unknown as { userId: string }[]
  const { count } = (await callLicenses(firm, 'GET', `${path}/count`)).body
  if (count !== list.length) throw new Error(`${count} are counted, ${list.length} listed`)
  return list.map(({ userId }) => userId)
}

export const refusedSeat = (reason: string) => ({
  status: 400,
  body: { error: 'NO_SEATS_AVAILABLE', details: { reason } },
})

/** What there is of the firm's seats in the database. */
export const rowsOf = ({ service, company }: Firm) =>
  service.ctx.db
    .selectFrom('seats')
    .selectAll()
    .where('tenant_id', '=', company.id)
    .orderBy('assigned_at')
    .orderBy('id')
    .execute()
