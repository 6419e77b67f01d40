import { describe, expect, test } from 'vitest'
import { callAdmin } from '../support/admin.ts'
import { call, errorBody } from '../support/calls.ts'
import {
  callLicensing,
  changeSubscription,
  getLicense,
  grantSeat,
  hasLicense,
  LICENSES,
  listSubscriptions,
  newTenantMember,
  newTenantWithSeats,
  readLicenseHolders,
  readOverview,
  type TenantMember,
  toTenantMember,
  UNLICENSED,
} from '../support/licensing.ts'
import { joinTenant } from '../support/tenants.ts'

type Fixture = Awaited<ReturnType<typeof newTenantWithSeats>>

/** A tenant with one seat that a member holds, and another member without one. */
async function newSingleSeat() {
  const fixture = await newTenantWithSeats(1)
  const [holder, heir] = await Promise.all([newTenantMember(fixture), newTenantMember(fixture)])
  expect((await grantTo(fixture, holder)).status).toBe(201)
  return { fixture, holder, heir }
}

const grantTo = ({ application, owner, pro }: Fixture, { userId }: TenantMember) =>
  grantSeat(owner.tenantHeaders, { userId, applicationId: application, licenseTypeId: pro.id })
const memberPath = ({ tenant }: Fixture, { membershipId }: TenantMember) =>
  `/api/tenants/${tenant.id}/members/${membershipId}`
const setStatus = (fixture: Fixture, member: TenantMember, status: string) =>
  call('PATCH', memberPath(fixture, member), { headers: fixture.owner.headers, body: { status } })
const remove = (fixture: Fixture, member: TenantMember, by: TenantMember = fixture.owner) =>
  call('DELETE', memberPath(fixture, member), { headers: by.headers })
const deleteAccount = ({ headers, person }: TenantMember) =>
  call('DELETE', '/api/users/me', {
    headers,
    body: { password: person.password, confirmation: 'DELETE MY ACCOUNT' },
  })

async function expectFreed({ application, tenant, owner }: Fixture, { userId }: TenantMember) {
  expect((await getLicense(owner.tenantHeaders, 'check', { userId, applicationId: application })).body).toEqual(
    UNLICENSED,
  )
  expect(await readLicenseHolders(owner.tenantHeaders, application)).toEqual({ users: [], count: 0 })
  expect(await readOverview(tenant.id)).toMatchObject({
    totalSeatsOwned: 1,
    totalSeatsAssigned: 0,
    totalSeatsAvailable: 1,
  })
}

describe.each([
  ['is removed', (fixture: Fixture, member: TenantMember) => remove(fixture, member)],
  ['leaves', (fixture: Fixture, member: TenantMember) => remove(fixture, member, member)],
  ['deletes their account', (_: Fixture, member: TenantMember) => deleteAccount(member)],
  ['is suspended', (fixture: Fixture, member: TenantMember) => setStatus(fixture, member, 'SUSPENDED')],
])('a member who %s', (_, end) => {
  test('frees the seat once, and has no license', async () => {
    const { fixture, holder, heir } = await newSingleSeat()
    expect((await end(fixture, holder)).status).toBe(200)
    await expectFreed(fixture, holder)
    const own = await call('GET', `${LICENSES}/check?applicationId=${fixture.application}`, {
      headers: holder.tenantHeaders,
    })
    expect(own.status).toBe(401)
    expect((await grantTo(fixture, heir)).status).toBe(201)
    expect((await grantTo(fixture, fixture.owner)).body).toEqual(
      errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }),
    )
    expect(await listSubscriptions(fixture.tenant.id)).toMatchObject([
      { quantityPurchased: 1, quantityAssigned: 1, quantityAvailable: 0 },
    ])
  })
})

test('a removed member who returns has no seat', async () => {
  const { fixture, holder } = await newSingleSeat()
  await remove(fixture, holder)
  await joinTenant(fixture.owner.headers, fixture.tenant.id, holder)
  await expectFreed(fixture, holder)
  expect((await grantTo(fixture, holder)).status).toBe(201)
})

test('a restored account has no seat', async () => {
  const { fixture, holder } = await newSingleSeat()
  await deleteAccount(holder)
  const { email, password } = holder.person
  expect((await call('POST', '/api/auth/restore', { body: { email, password } })).status).toBe(200)
  await expectFreed(fixture, holder)
})

describe('a reactivated member', () => {
  test('gets a seat again if one is available, with a new assignedAt', async () => {
    const { fixture, holder } = await newSingleSeat()
    const licenseQuery = { userId: holder.userId, applicationId: fixture.application }
    const before = (await getLicense(fixture.owner.tenantHeaders, 'check', licenseQuery)).body
    await setStatus(fixture, holder, 'SUSPENDED')
    await expectFreed(fixture, holder)
    expect((await setStatus(fixture, holder, 'ACTIVE')).status).toBe(200)
    const after = (await getLicense(fixture.owner.tenantHeaders, 'check', licenseQuery)).body
    expect(after).toEqual({ ...before, assignedAt: after.assignedAt })
    expect(Date.parse(String(after.assignedAt))).toBeGreaterThanOrEqual(Date.parse(String(before.assignedAt)))
    expect(await readLicenseHolders(fixture.owner.tenantHeaders, fixture.application)).toMatchObject({
      users: [{ userId: holder.userId, assignedAt: after.assignedAt }],
      count: 1,
    })
    expect((await grantTo(fixture, holder)).body).toEqual(errorBody(400, 'ALREADY_LICENSED'))
    expect(await listSubscriptions(fixture.tenant.id)).toMatchObject([{ quantityAssigned: 1, quantityAvailable: 0 }])
  })

  test('gets none if another member has taken it, and can be granted one later', async () => {
    const { fixture, holder, heir } = await newSingleSeat()
    await setStatus(fixture, holder, 'SUSPENDED')
    expect((await grantTo(fixture, heir)).status).toBe(201)
    expect((await setStatus(fixture, holder, 'ACTIVE')).status).toBe(200)
    expect(await hasLicense(fixture.owner.tenantHeaders, holder.userId, fixture.application)).toBe(false)
    expect(await hasLicense(fixture.owner.tenantHeaders, heir.userId, fixture.application)).toBe(true)
    expect(await listSubscriptions(fixture.tenant.id)).toMatchObject([{ quantityAssigned: 1, quantityAvailable: 0 }])
    await remove(fixture, heir)
    expect(await hasLicense(fixture.owner.tenantHeaders, holder.userId, fixture.application)).toBe(false)
    expect((await grantTo(fixture, holder)).status).toBe(201)
  })

  test('gets none if the subscription has shrunk', async () => {
    const { fixture, holder } = await newSingleSeat()
    await setStatus(fixture, holder, 'SUSPENDED')
    expect((await changeSubscription(fixture.subscription.id, { quantityPurchased: 0 })).status).toBe(200)
    expect((await setStatus(fixture, holder, 'ACTIVE')).status).toBe(200)
    expect(await hasLicense(fixture.owner.tenantHeaders, holder.userId, fixture.application)).toBe(false)
    expect(await listSubscriptions(fixture.tenant.id)).toMatchObject([{ quantityAssigned: 0, quantityAvailable: 0 }])
  })

  test('can use an existing token', async () => {
    const { fixture, holder } = await newSingleSeat()
    await setStatus(fixture, holder, 'SUSPENDED')
    await setStatus(fixture, holder, 'ACTIVE')
    const { body } = await getLicense(holder.tenantHeaders, 'check', { applicationId: fixture.application })
    expect(body).toMatchObject({ hasLicense: true })
  })
})

test('a change of role keeps the seat', async () => {
  const { fixture, holder } = await newSingleSeat()
  const path = memberPath(fixture, holder)
  await call('PATCH', path, { headers: fixture.owner.headers, body: { role: 'admin' } })
  expect(await hasLicense(fixture.owner.tenantHeaders, holder.userId, fixture.application)).toBe(true)
  expect((await readLicenseHolders(fixture.owner.tenantHeaders, fixture.application)).count).toBe(1)
})

test('deleting a tenant ends its subscriptions and seats', async () => {
  const { fixture, holder } = await newSingleSeat()
  const { tenant, owner, application, subscription } = fixture
  expect((await call('DELETE', `/api/tenants/${tenant.id}`, { headers: owner.headers })).status).toBe(200)
  for (const { tenantHeaders } of [owner, holder]) {
    expect((await getLicense(tenantHeaders, 'check', { applicationId: application })).body).toEqual(
      errorBody(401, 'UNAUTHORIZED'),
    )
  }
  for (const list of ['license-overview', 'subscriptions', 'ledger']) {
    const { status, body } = await callLicensing('GET', `/tenants/${tenant.id}/${list}`)
    expect(status).toBe(404)
    expect(body).toEqual(errorBody(404, 'TENANT_NOT_FOUND'))
  }
  expect((await changeSubscription(subscription.id, { quantityPurchased: 3 })).body).toEqual(
    errorBody(404, 'SUBSCRIPTION_NOT_FOUND'),
  )
})

test('deleting an application ends its types, subscriptions and seats', async () => {
  const { fixture, holder } = await newSingleSeat()
  const { application, tenant, owner, subscription, pro } = fixture
  const licenseQuery = { userId: holder.userId, applicationId: application }
  expect(await hasLicense(owner.tenantHeaders, holder.userId, application)).toBe(true)
  expect((await callAdmin('DELETE', `/applications/${application}`)).status).toBe(200)
  expect((await getLicense(owner.tenantHeaders, 'check', licenseQuery)).body).toEqual(
    errorBody(400, 'INVALID_APPLICATION_ID'),
  )
  expect((await grantTo(fixture, holder)).body).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
  expect(await readOverview(tenant.id)).toMatchObject({ totalSeatsOwned: 0, subscriptions: [] })
  expect((await changeSubscription(subscription.id, { quantityPurchased: 3 })).status).toBe(404)
  expect((await callLicensing('PATCH', `/license-types/${pro.id}`, { name: 'Gone' })).status).toBe(404)
})

test('an owner of two tenants has separate licenses in each', async () => {
  const { fixture } = await newSingleSeat()
  const second = await newTenantWithSeats(1)
  const guest = await newTenantMember(second)
  await joinTenant(fixture.owner.headers, fixture.tenant.id, guest)
  const secondMembership = await toTenantMember(guest, second.tenant)
  expect((await grantTo(second, guest)).status).toBe(201)
  const secondQuery = { applicationId: second.application }
  expect((await getLicense(secondMembership.tenantHeaders, 'check', secondQuery)).body).toMatchObject({
    hasLicense: true,
  })
  const here = await toTenantMember(guest, fixture.tenant)
  expect((await getLicense(here.tenantHeaders, 'check', secondQuery)).body).toEqual(UNLICENSED)
  await remove(second, guest)
  expect((await getLicense(here.tenantHeaders, 'check', secondQuery)).body).toEqual(UNLICENSED)
})
