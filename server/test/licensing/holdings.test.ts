import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { admin, startDemoService } from '../support/world.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addLicensedMember,
  changeSubscription,
  createLicensedTenant,
  createSubscription,
  DAY_MS,
  type LicensedTenant,
  overview,
} from './licensed-tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

interface Application {
  id: string
  name: string
  licensingMode: string
  seats: { purchased: number; assigned: number; available: number }
  licenseTypes: Record<string, unknown>[]
}

async function newMember(firm: LicensedTenant, role: 'owner' | 'admin' | 'member' = 'member'): Promise<TestUser> {
  const person = await createSignedInUser(service)
  await insertMembership(service, firm.company, person, { role })
  return person
}

async function listApplications({ company }: LicensedTenant, person: TestUser): Promise<Application[]> {
  const { status, body } = await person.call('GET', `/api/tenants/${company.id}/licenses`)
  expect(status).toBe(200)
  return body.applications as Application[]
}

const findApplication = async (firm: LicensedTenant, person: TestUser): Promise<Application | undefined> =>
  (await listApplications(firm, person)).find(({ id }) => id === firm.applicationId)

/** Expects the totals of all applications to match the overview. */
async function expectOverviewMatches(firm: LicensedTenant, person: TestUser): Promise<void> {
  const applications = await listApplications(firm, person)
  const total = (field: keyof Application['seats']) => applications.reduce((sum, { seats }) => sum + seats[field], 0)
  expect(await overview(firm)).toMatchObject({
    totalSeatsOwned: total('purchased'),
    totalSeatsAssigned: total('assigned'),
    totalSeatsAvailable: total('available'),
  })
}

describe('the list of licensed applications', () => {
  test('shows subscriptions and their seats to every member', async () => {
    const end = new Date(service.ctx.now().getTime() + 30 * DAY_MS)
    const firm = await createLicensedTenant(service, { seats: 4, currentPeriodEnd: end })
    await addLicensedMember(firm)
    for (const role of ['owner', 'admin', 'member'] as const) {
      expect(await findApplication(firm, await newMember(firm, role))).toEqual({
        id: firm.applicationId,
        name: `Desk of ${firm.company.name}`,
        slug: expect.any(String),
        licensingMode: 'PER_SEAT',
        seats: { purchased: 4, assigned: 1, available: 3 },
        licenseTypes: [
          {
            id: firm.types.pro,
            slug: 'pro',
            name: 'The pro',
            description: null,
            features: { edit: true, view: true, never: false },
            subscriptionId: firm.subscriptionId,
            status: 'ACTIVE',
            currentPeriodEnd: end.toISOString(),
            purchased: 4,
            assigned: 1,
            available: 3,
          },
        ],
      })
    }
  })

  test('includes expired subscriptions, but not in the totals', async () => {
    const firm = await createLicensedTenant(service, { seats: 4 })
    const member = await newMember(firm)
    await addLicensedMember(firm)
    await createSubscription(firm, 'basic', { quantityPurchased: 7 })
    expect(await findApplication(firm, member)).toMatchObject({
      seats: { purchased: 11, assigned: 1, available: 10 },
    })
    await expectOverviewMatches(firm, member)
    await changeSubscription(firm, { status: 'EXPIRED' })
    const application = await findApplication(firm, member)
    expect(application).toMatchObject({ seats: { purchased: 7, assigned: 0, available: 7 } })
    // Sorted by displayOrder.
    expect(application?.licenseTypes).toMatchObject([
      { slug: 'basic', status: 'ACTIVE', currentPeriodEnd: null },
      { slug: 'pro', status: 'EXPIRED', purchased: 4, assigned: 1 },
    ])
    await expectOverviewMatches(firm, member)
  })

  test('shows the type that every member of a free application holds, with or without a subscription', async () => {
    const firm = await createLicensedTenant(service, { mode: 'FREE', seats: 3 })
    const other = await createLicensedTenant(service)
    const free = await findApplication(firm, await newMember(firm))
    expect(free).toMatchObject({ licensingMode: 'FREE', seats: { purchased: 3, assigned: 0, available: 3 } })
    expect(free?.licenseTypes).toMatchObject([
      { slug: 'basic', subscriptionId: null, status: null, currentPeriodEnd: null, purchased: 0 },
      { slug: 'pro', subscriptionId: firm.subscriptionId, status: 'ACTIVE', purchased: 3 },
    ])
    const elsewhere = (await listApplications(other, await newMember(other))).find(
      ({ id }) => id === firm.applicationId,
    )
    expect(elsewhere).toMatchObject({ seats: { purchased: 0, assigned: 0, available: 0 } })
    expect(elsewhere?.licenseTypes.map(({ slug }) => slug)).toEqual(['basic'])
  })

  test('lists a free type with a subscription once, and no free application without a type', async () => {
    const firm = await createLicensedTenant(service, { mode: 'FREE' })
    const member = await newMember(firm)
    await createSubscription(firm, 'basic', { quantityPurchased: 2 })
    expect((await findApplication(firm, member))?.licenseTypes.map(({ slug }) => slug)).toEqual(['basic', 'pro'])
    const draft = { name: 'Nothing to offer', licensingMode: 'FREE' }
    const { id } = await admin<{ id: string }>(service.url, '/api/admin/applications', draft)
    expect((await listApplications(firm, member)).filter((application) => application.id === id)).toEqual([])
  })

  test('discloses no subscription of another tenant', async () => {
    const [mine, theirs] = [await createLicensedTenant(service), await createLicensedTenant(service)]
    const member = await newMember(mine)
    expect((await listApplications(mine, member)).some(({ id }) => id === theirs.applicationId)).toBe(false)
    const refused = await member.call('GET', `/api/tenants/${theirs.company.id}/licenses`)
    expect(refused).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
    const unknown = await member.call('GET', `/api/tenants/${newId()}/licenses`)
    expect(unknown).toMatchObject({ status: 404, body: { error: 'TENANT_NOT_FOUND' } })
  })

  test('takes a constant number of statements', async () => {
    const firm = await createLicensedTenant(service)
    const member = await newMember(firm)
    const watch = await watchStatements(service)
    try {
      const path = `/api/tenants/${firm.company.id}`
      await listApplications(firm, member)
      const tenant = await watch.count(() => member.call('GET', path))
      const one = await watch.count(() => listApplications(firm, member))
      await createSubscription(firm, 'basic', { quantityPurchased: 2 })
      expect(await watch.count(() => listApplications(firm, member))).toBe(one)
      // Reading the tenant takes one statement in the same tenant scope.
      expect(one - tenant).toBeLessThanOrEqual(1)
    } finally {
      await watch.close()
    }
  })
})
