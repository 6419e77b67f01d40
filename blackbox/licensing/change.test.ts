import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { errorBody } from '../support/calls.ts'
import {
  changeSeat,
  changeSubscription,
  getLicense,
  grantSeat,
  inDays,
  listSubscriptions,
  newLicensedApplication,
  newLicenseType,
  newSubscription,
  newTenantMember,
  newTenantWithSeats,
  readLicenseHolders,
} from '../support/licensing.ts'

const { application, tenant, owner, pro, subscription } = await newTenantWithSeats(2)
const [member, max, unsold, lapsed, elsewhere] = await Promise.all([
  newTenantMember({ tenant, owner }),
  newLicenseType(application, { name: 'Max', features: { everything: true } }),
  newLicenseType(application, { name: 'Unsold' }),
  newLicenseType(application, { name: 'Lapsed' }),
  newLicensedApplication().then((id) => newLicenseType(id)),
])
await newSubscription(tenant.id, max.id, { quantityPurchased: 1 })
await newSubscription(tenant.id, lapsed.id, { status: 'EXPIRED' })
const granted = await grantSeat(owner.tenantHeaders, {
  userId: member.userId,
  applicationId: application,
  licenseTypeId: pro.id,
})

const seatRequest = (licenseTypeId: string, userId = member.userId) => ({
  userId,
  applicationId: application,
  licenseTypeId,
})
const countAssigned = async () =>
  Object.fromEntries((await listSubscriptions(tenant.id)).map((one) => [one.licenseTypeName, one.quantityAssigned]))
const readType = async () =>
  (await getLicense(member.tenantHeaders, 'type', { applicationId: application })).body.licenseType

test('a change replaces the license type and keeps id and assignedAt', async () => {
  const { status, headers, body } = await changeSeat(owner.tenantHeaders, seatRequest(max.id))
  expect(status).toBe(200)
  expect(body).toEqual({ ...granted.body, licenseTypeId: max.id, licenseTypeName: 'Max' })
  expect(headers.get('x-license-revision')).toMatch(/^\d+$/)
  expect(await readType()).toBe(max.slug)
  expect(await countAssigned()).toEqual({ Pro: 0, Max: 1, Lapsed: 0 })
  expect((await readLicenseHolders(owner.tenantHeaders, application)).count).toBe(1)
  expect((await changeSeat(owner.tenantHeaders, seatRequest(pro.id))).body).toEqual(granted.body)
  expect(await countAssigned()).toEqual({ Pro: 1, Max: 0, Lapsed: 0 })
})

test('a change to the current type succeeds without effect, even without available seats', async () => {
  await changeSubscription(subscription.id, { quantityPurchased: 1 })
  const { status, body } = await changeSeat(owner.tenantHeaders, seatRequest(pro.id))
  expect(status).toBe(200)
  expect(body).toEqual(granted.body)
  await changeSubscription(subscription.id, { quantityPurchased: 2 })
  expect(await countAssigned()).toEqual({ Pro: 1, Max: 0, Lapsed: 0 })
})

test('a change to the current type is refused if its subscription is no longer valid', async () => {
  await changeSubscription(subscription.id, { status: 'EXPIRED' })
  const { status, body } = await changeSeat(owner.tenantHeaders, seatRequest(pro.id))
  await changeSubscription(subscription.id, { status: 'ACTIVE' })
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { error: 'NO_SEATS_AVAILABLE', details: { reason: 'SUBSCRIPTION_INACTIVE' } },
  })
})

test.each([
  ['another application’s type', () => seatRequest(elsewhere.id), 404, 'LICENSE_TYPE_NOT_FOUND'],
  ['an unknown type', () => seatRequest(randomUUID()), 404, 'LICENSE_TYPE_NOT_FOUND'],
  ['an invalid type id', () => seatRequest('x'), 404, 'LICENSE_TYPE_NOT_FOUND'],
  ['an invalid application id', () => ({ ...seatRequest('x'), applicationId: 'x' }), 400, 'INVALID_APPLICATION_ID'],
  ['a user without a seat', () => seatRequest(max.id, owner.userId), 404, 'LICENSE_NOT_FOUND'],
  ['an unknown user', () => seatRequest(max.id, randomUUID()), 404, 'LICENSE_NOT_FOUND'],
  ['an invalid user id', () => seatRequest(max.id, 'x'), 404, 'LICENSE_NOT_FOUND'],
])('a change is refused for %s, and the seat stays', async (_, body, status, error) => {
  const response = await changeSeat(owner.tenantHeaders, body())
  expect(response.status).toBe(status)
  expect(response.body).toEqual(errorBody(status, error))
  expect(await readType()).toBe(pro.slug)
})

test.each([
  ['without a subscription', () => unsold.id, 'NO_SUBSCRIPTION'],
  ['with an expired subscription', () => lapsed.id, 'SUBSCRIPTION_INACTIVE'],
])('a change to a type %s is refused, and the seat stays', async (_, typeId, reason) => {
  const { status, body } = await changeSeat(owner.tenantHeaders, seatRequest(typeId()))
  expect(status).toBe(400)
  expect(body).toEqual(errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason } }))
  expect(await readType()).toBe(pro.slug)
})

test('a change to a type without an available seat is refused, and the seat stays', async () => {
  expect((await grantSeat(owner.tenantHeaders, seatRequest(max.id, owner.userId))).status).toBe(201)
  const { status, body } = await changeSeat(owner.tenantHeaders, seatRequest(max.id))
  expect(status).toBe(400)
  expect(body).toEqual(errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }))
  expect(await readType()).toBe(pro.slug)
  expect(await countAssigned()).toEqual({ Pro: 1, Max: 1, Lapsed: 0 })
})

test('a plain member cannot change seats', async () => {
  const { status, body } = await changeSeat(member.tenantHeaders, seatRequest(max.id))
  expect(status).toBe(403)
  expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
})

test('a dormant seat can be changed to a valid type', async () => {
  const fixture = await newTenantWithSeats(1)
  const licenseQuery = { userId: fixture.owner.userId, applicationId: fixture.application }
  await grantSeat(fixture.owner.tenantHeaders, { ...licenseQuery, licenseTypeId: fixture.pro.id })
  await changeSubscription(fixture.subscription.id, { currentPeriodEnd: inDays(-1) })
  const better = await newLicenseType(fixture.application)
  await newSubscription(fixture.tenant.id, better.id, { quantityPurchased: 1 })
  expect((await changeSeat(fixture.owner.tenantHeaders, { ...licenseQuery, licenseTypeId: better.id })).status).toBe(
    200,
  )
  const shown = await getLicense(fixture.owner.tenantHeaders, 'check', { applicationId: fixture.application })
  expect(shown.body).toMatchObject({ hasLicense: true, licenseType: better.slug })
})
