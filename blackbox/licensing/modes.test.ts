import { describe, expect, test } from 'vitest'
import { callAdmin } from '../support/admin.ts'
import { call, errorBody } from '../support/calls.ts'
import { newAddress } from '../support/invitations.ts'
import {
  changeSeat,
  changeSubscription,
  getLicense,
  grantSeat,
  inDays,
  newLicensedApplication,
  newLicenseType,
  newSubscription,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
  readLicenseHolders,
  revokeSeat,
  UNLICENSED,
} from '../support/licensing.ts'
import { invite, listMembers } from '../support/tenants.ts'

const { tenant, owner } = await newTenantWithOwner()
const [member, suspended] = await Promise.all([newTenantMember({ tenant, owner }), newTenantMember({ tenant, owner })])
await invite(owner.headers, tenant.id, { email: newAddress() })
await call('PATCH', `/api/tenants/${tenant.id}/members/${suspended.membershipId}`, {
  headers: owner.headers,
  body: { status: 'SUSPENDED' },
})
const { members } = await listMembers(owner.headers, tenant.id)
const joinedAt = (userId: string) => members.find((one) => one.userId === userId)?.joinedAt
const invited = members.find(({ status }) => status === 'INVITED')?.userId ?? ''
const check = async (applicationId: string, userId: string) =>
  (await getLicense(owner.tenantHeaders, 'check', { applicationId, userId })).body

const holding = (type: { slug: string; name: string }, assignedAt: unknown, features: string[] = []) => ({
  hasLicense: true,
  licenseType: type.slug,
  licenseTypeName: type.name,
  features,
  assignedAt,
})

/** Both lists contain the ACTIVE members, with the license that the check returns. */
async function expectAllMembers(application: string) {
  const { users, count } = await readLicenseHolders(owner.tenantHeaders, application)
  expect(count).toBe(2)
  expect(users.map(({ userId }) => userId).sort()).toEqual([owner.userId, member.userId].sort())
  for (const user of users) {
    const { licenseType, licenseTypeName, assignedAt } = await check(application, user.userId)
    expect(user).toMatchObject({ licenseType, licenseTypeName, assignedAt })
  }
}

async function expectNoHolders(application: string) {
  expect(await readLicenseHolders(owner.tenantHeaders, application)).toEqual({ users: [], count: 0 })
  expect(await check(application, member.userId)).toEqual(UNLICENSED)
}

describe('a free application', async () => {
  const application = await newLicensedApplication('FREE')

  test('licenses nobody without a license type', () => expectNoHolders(application))

  test('licenses every active member with the first type, since they joined, and nobody else', async () => {
    const second = await newLicenseType(application, { displayOrder: 5, name: 'Second' })
    const first = await newLicenseType(application, {
      displayOrder: 2,
      name: 'First',
      features: { basics: true },
    })
    expect(await check(application, member.userId)).toEqual(holding(first, joinedAt(member.userId), ['basics']))
    expect(await check(application, owner.userId)).toEqual(holding(first, joinedAt(owner.userId), ['basics']))
    for (const userId of [suspended.userId, invited]) expect(await check(application, userId)).toEqual(UNLICENSED)
    await expectAllMembers(application)
    for (const licenseTypeId of [first.id, second.id]) {
      const seatRequest = { userId: member.userId, applicationId: application, licenseTypeId }
      expect((await grantSeat(owner.tenantHeaders, seatRequest)).body).toEqual(errorBody(400, 'ALREADY_LICENSED'))
      expect((await changeSeat(owner.tenantHeaders, seatRequest)).body).toEqual(errorBody(404, 'LICENSE_NOT_FOUND'))
      expect((await revokeSeat(owner.tenantHeaders, seatRequest)).body).toEqual(errorBody(404, 'LICENSE_NOT_FOUND'))
    }
  })

  test('refuses a grant to a non-member before it reports that all members have a license', async () => {
    const { id } = await newLicenseType(application)
    const seatRequest = (userId: string) => ({ userId, applicationId: application, licenseTypeId: id })
    expect((await grantSeat(owner.tenantHeaders, seatRequest(suspended.userId))).body).toEqual(
      errorBody(400, 'MEMBER_NOT_ACTIVE'),
    )
    expect((await grantSeat(owner.tenantHeaders, seatRequest(tenant.id))).body).toEqual(
      errorBody(404, 'USER_NOT_FOUND'),
    )
  })
})

describe('a tenant-wide application', async () => {
  const application = await newLicensedApplication('TENANT_WIDE')
  const [small, big] = await Promise.all([
    newLicenseType(application, { displayOrder: 1, name: 'Small', features: { one: true } }),
    newLicenseType(application, { displayOrder: 2, name: 'Big', features: { two: true, one: true } }),
  ])

  test('licenses nobody without a subscription', () => expectNoHolders(application))

  test('licenses every active member with the best type of the tenant, since the subscription', async () => {
    const smaller = await newSubscription(tenant.id, small.id, { quantityPurchased: 1 })
    expect(await check(application, member.userId)).toEqual(holding(small, smaller.currentPeriodStart, ['one']))
    await expectAllMembers(application)
    const bigger = await newSubscription(tenant.id, big.id, { quantityPurchased: 1 })
    expect(await check(application, member.userId)).toEqual(holding(big, bigger.currentPeriodStart, ['one', 'two']))
    for (const userId of [suspended.userId, invited]) expect(await check(application, userId)).toEqual(UNLICENSED)
    await expectAllMembers(application)
    const seatRequest = { userId: member.userId, applicationId: application, licenseTypeId: small.id }
    expect((await grantSeat(owner.tenantHeaders, seatRequest)).body).toEqual(errorBody(400, 'ALREADY_LICENSED'))
    expect((await revokeSeat(owner.tenantHeaders, seatRequest)).body).toEqual(errorBody(404, 'LICENSE_NOT_FOUND'))

    // The best type with a valid subscription.
    await changeSubscription(bigger.id, { currentPeriodEnd: inDays(-1) })
    expect(await check(application, member.userId)).toMatchObject({ licenseType: small.slug })
    await changeSubscription(smaller.id, { status: 'EXPIRED' })
    await expectNoHolders(application)
    await changeSubscription(bigger.id, { currentPeriodEnd: null })
    expect(await check(application, member.userId)).toMatchObject({ licenseType: big.slug })
    await expectAllMembers(application)
  })

  test('licenses a later member since they joined', async () => {
    const laterMember = await newTenantMember({ tenant, owner })
    const { members } = await listMembers(owner.headers, tenant.id)
    const joined = members.find(({ userId }) => userId === laterMember.userId)?.joinedAt
    expect(await check(application, laterMember.userId)).toEqual(holding(big, joined, ['one', 'two']))
    const path = `/api/tenants/${tenant.id}/members/${laterMember.membershipId}`
    expect((await call('DELETE', path, { headers: owner.headers })).status).toBe(200)
    expect(await check(application, laterMember.userId)).toEqual(UNLICENSED)
    await expectAllMembers(application)
  })
})

test.each(['FREE', 'TENANT_WIDE'] as const)(
  'of two types with the same order all members get the same one (%s)',
  async (mode) => {
    const application = await newLicensedApplication(mode)
    for (const name of ['Heads', 'Tails', 'Edge']) {
      const { id } = await newLicenseType(application, { displayOrder: 1, name })
      if (mode === 'TENANT_WIDE') await newSubscription(tenant.id, id)
    }
    await expectAllMembers(application)
  },
)

test('a changed licensing mode is effective immediately', async () => {
  const fixture = await newTenantWithSeats(1)
  const licenseQuery = { userId: fixture.owner.userId, applicationId: fixture.application }
  const isLicensed = async () => (await getLicense(fixture.owner.tenantHeaders, 'check', licenseQuery)).body.hasLicense
  const setMode = async (licensingMode: string) =>
    expect((await callAdmin('PATCH', `/applications/${fixture.application}`, { licensingMode })).status).toBe(200)
  expect(await isLicensed()).toBe(false)
  await setMode('TENANT_WIDE')
  expect(await isLicensed()).toBe(true)
  await changeSubscription(fixture.subscription.id, { status: 'EXPIRED' })
  expect(await isLicensed()).toBe(false)
  await setMode('FREE')
  expect(await isLicensed()).toBe(true)
  await setMode('PER_SEAT')
  expect(await isLicensed()).toBe(false)
})
