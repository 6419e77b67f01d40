import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { insertInvitation, insertMembership } from '../tenants/tenant-rows.ts'
import {
  addTenantMember,
  changeSubscription,
  createLicensedTenant,
  createSubscription,
  DAY_MS,
  grant,
  type LicensedTenant,
  listHolderIds,
  revoke,
} from './licensed-tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

interface Seat {
  userId: string
  membershipId: string
  displayName: string
  email: string
  role: string
  license: { licenseTypeId: string; slug: string; name: string; assignedAt: string } | null
}
interface Page {
  seats: Seat[]
  pagination: { page: number; limit: number; total: number; pages: number }
}

async function newOwner(firm: LicensedTenant): Promise<TestUser> {
  const owner = await createSignedInUser(service, { display_name: 'aaron' })
  await insertMembership(service, firm.company, owner, { role: 'owner' })
  return owner
}

const pathOf = ({ company, applicationId }: LicensedTenant) =>
  `/api/tenants/${company.id}/licenses/${applicationId}/seats`

async function list(firm: LicensedTenant, person: TestUser, query: Record<string, string> = {}): Promise<Page> {
  const { status, body } = await person.call('GET', `${pathOf(firm)}?${new URLSearchParams(query)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Page
}

const toNames = ({ seats }: Page) => seats.map(({ displayName }) => displayName)

/** Expects the members with a license to be the holders that the integration API lists. */
async function expectHoldersMatch(firm: LicensedTenant, person: TestUser): Promise<void> {
  const { seats, pagination } = await list(firm, person, { limit: '100' })
  const licensed = seats.filter(({ license }) => license !== null).map(({ userId }) => userId)
  expect(licensed.sort()).toEqual((await listHolderIds(firm)).sort())
  expect(pagination.total).toBe(seats.length)
  expect((await list(firm, person, { licensed: 'true' })).pagination.total).toBe(licensed.length)
  expect((await list(firm, person, { licensed: 'false' })).pagination.total).toBe(seats.length - licensed.length)
}

describe('the list of members with their licenses', () => {
  test('is sorted by display name, and can be filtered and searched', async () => {
    const firm = await createLicensedTenant(service)
    const owner = await newOwner(firm)
    const zoe = await addTenantMember(firm, { given_name: 'Zoe', family_name: 'Ark' })
    const bea = await addTenantMember(firm, { display_name: 'Bea' })
    const nameless = await addTenantMember(firm, { email: 'mo.nobody@people.test' })
    await createSubscription(firm, 'basic', { quantityPurchased: 1 })
    await grant(firm, zoe)
    await grant(firm, nameless, 'basic')
    const page = await list(firm, owner)
    expect(toNames(page)).toEqual(['aaron', 'Bea', 'mo.nobody', 'Zoe Ark'])
    expect(page.pagination).toEqual({ page: 1, limit: 20, total: 4, pages: 1 })
    const fromZ = await list(firm, owner, { sort: '-displayName' })
    expect(toNames(fromZ)).toEqual(['Zoe Ark', 'mo.nobody', 'Bea', 'aaron'])
    const lastOfTwo = { sort: '-displayName', limit: '3', page: '2' }
    expect(toNames(await list(firm, owner, lastOfTwo))).toEqual(['aaron'])
    expect(page.seats[0]).toMatchObject({ role: 'owner', license: null })
    expect(page.seats[1]).toEqual({
      userId: bea.id,
      membershipId: bea.membershipId,
      displayName: 'Bea',
      email: bea.email,
      role: 'member',
      license: null,
    })
    expect(page.seats[3]).toMatchObject({
      userId: zoe.id,
      license: {
        licenseTypeId: firm.types.pro,
        slug: 'pro',
        name: 'The pro',
        assignedAt: expect.stringMatching(/Z$/),
      },
    })
    await expectHoldersMatch(firm, owner)
    expect(toNames(await list(firm, owner, { licensed: 'true' }))).toEqual(['mo.nobody', 'Zoe Ark'])
    expect(toNames(await list(firm, owner, { licensed: 'false' }))).toEqual(['aaron', 'Bea'])
    const { pro, basic } = firm.types
    expect(toNames(await list(firm, owner, { licenseTypeId: pro }))).toEqual(['Zoe Ark'])
    expect(toNames(await list(firm, owner, { licenseTypeId: basic.toUpperCase() }))).toEqual(['mo.nobody'])
    expect(toNames(await list(firm, owner, { licenseTypeId: pro, licensed: 'false' }))).toEqual([])
    for (const unknown of [newId(), 'pro']) {
      expect((await list(firm, owner, { licenseTypeId: unknown })).pagination.total).toBe(0)
    }
    expect(toNames(await list(firm, owner, { search: 'zoe ark' }))).toEqual(['Zoe Ark'])
    expect(toNames(await list(firm, owner, { search: 'MO.', licensed: 'true' }))).toEqual(['mo.nobody'])
    await revoke(firm, zoe)
    expect(toNames(await list(firm, owner, { licensed: 'true' }))).toEqual(['mo.nobody'])
    await expectHoldersMatch(firm, owner)
  })

  test('has a stable order across pages, also for equal names', async () => {
    const firm = await createLicensedTenant(service)
    const owner = await newOwner(firm)
    for (let index = 0; index < 7; index++) await addTenantMember(firm, { display_name: index % 2 ? 'SAM' : 'sam' })
    const complete = (await list(firm, owner)).seats.map(({ membershipId }) => membershipId)
    expect(complete.slice(1)).toEqual(complete.slice(1).sort())
    const pages: string[] = []
    for (const page of ['1', '2', '3', '4']) {
      const result = await list(firm, owner, { page, limit: '3' })
      expect(result.pagination).toEqual({ page: Number(page), limit: 3, total: 8, pages: 3 })
      pages.push(...result.seats.map(({ membershipId }) => membershipId))
    }
    expect(pages).toEqual(complete)
  })

  test('omits invited and suspended members, and shows no license of disabled members', async () => {
    const firm = await createLicensedTenant(service)
    const owner = await newOwner(firm)
    const [worker, suspended] = [await addTenantMember(firm), await addTenantMember(firm)]
    await insertInvitation(service, firm.company, { person: await insertUser(service) })
    for (const each of [worker, suspended]) await grant(firm, each)
    await owner.call('PATCH', `/api/tenants/${firm.company.id}/members/${suspended.membershipId}`, {
      status: 'SUSPENDED',
    })
    expect((await list(firm, owner)).seats.map(({ userId }) => userId).sort()).toEqual([owner.id, worker.id].sort())
    await expectHoldersMatch(firm, owner)
    const { db } = service.ctx
    await db.updateTable('users').set({ disabled: true }).where('id', '=', worker.id).execute()
    expect((await list(firm, owner, { licensed: 'true' })).seats).toEqual([])
    await expectHoldersMatch(firm, owner)
  })

  test('shows no license while the subscription is expired, and the same ones after its renewal', async () => {
    const firm = await createLicensedTenant(service)
    const owner = await newOwner(firm)
    await grant(firm, await addTenantMember(firm))
    const before = await list(firm, owner)
    await changeSubscription(firm, { status: 'EXPIRED' })
    expect((await list(firm, owner)).seats.map(({ license }) => license)).toEqual([null, null])
    await expectHoldersMatch(firm, owner)
    await changeSubscription(firm, { status: 'ACTIVE' })
    expect(await list(firm, owner)).toEqual(before)
  })

  test.each(['FREE', 'TENANT_WIDE'] as const)('shows the license of every enabled member in mode %s', async (mode) => {
    const firm = await createLicensedTenant(service, { mode })
    const owner = await newOwner(firm)
    await addTenantMember(firm)
    const disabled = await addTenantMember(firm, { disabled: true })
    const { seats } = await list(firm, owner)
    const type = mode === 'FREE' ? 'basic' : 'pro'
    for (const { userId, license } of seats) {
      if (userId === disabled.id) expect(license).toBeNull()
      else expect(license).toMatchObject({ slug: type, licenseTypeId: firm.types[type] })
    }
    await expectHoldersMatch(firm, owner)
    const end = service.ctx.now().getTime() - DAY_MS
    await changeSubscription(firm, { currentPeriodEnd: new Date(end) })
    const licensedCount = (await list(firm, owner, { licensed: 'true' })).pagination.total
    expect(licensedCount).toBe(mode === 'FREE' ? 2 : 0)
    await expectHoldersMatch(firm, owner)
  })
})

test('the list is for every member of the tenant and no one else, and refuses unknown applications', async () => {
  const [firm, other] = [await createLicensedTenant(service), await createLicensedTenant(service)]
  const owner = await newOwner(firm)
  const plain = await createSignedInUser(service)
  await insertMembership(service, firm.company, plain)
  expect(await list(firm, plain)).toEqual(await list(firm, owner))
  expect((await owner.call('GET', pathOf(other))).status).toBe(403)
  const elsewhere = { ...firm, company: { ...firm.company, id: newId() } }
  expect(await owner.call('GET', pathOf(elsewhere))).toMatchObject({
    status: 404,
    body: { error: 'TENANT_NOT_FOUND' },
  })
  for (const applicationId of [newId(), 'nothing', "'"]) {
    expect(await owner.call('GET', pathOf({ ...firm, applicationId }))).toMatchObject({
      status: 400,
      body: { error: 'INVALID_APPLICATION_ID' },
    })
  }
  // No member holds a license for an application without a subscription.
  const { seats } = await list({ ...firm, applicationId: other.applicationId }, owner)
  expect(seats.map(({ license }) => license)).toEqual([null, null])
})

test.each([
  ['search', 'x'.repeat(101)],
  ['licenseTypeId', 'x'.repeat(201)],
  ['limit', '-1'],
])('%s=%s is refused', async (field, value) => {
  const firm = await createLicensedTenant(service)
  const owner = await newOwner(firm)
  const { status, body } = await owner.call('GET', `${pathOf(firm)}?${new URLSearchParams({ [field]: value })}`)
  expect(status).toBe(422)
  expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field }] })
})
