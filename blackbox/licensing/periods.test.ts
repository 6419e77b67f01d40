import { describe, expect, test } from 'vitest'
import { errorBody } from '../support/calls.ts'
import {
  changeSubscription,
  getLicense,
  grantSeat,
  hasLicense,
  inDays,
  listSubscriptions,
  newLicenseType,
  newSubscription,
  newTenantWithOwner,
  newTenantWithSeats,
  readLicenseHolders,
  readOverview,
  revokeSeat,
  UNLICENSED,
} from '../support/licensing.ts'

const { application, tenant, owner, pro, subscription } = await newTenantWithSeats(2)
const buyer = await newTenantWithOwner()
const licenseQuery = { userId: owner.userId, applicationId: application }
const granted = await grantSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: pro.id })

/** Each status, with the end in days from now, and the effective status. */
const CASES: [status: string, days: number | null, effectiveStatus: string][] = [
  ['ACTIVE', null, 'ACTIVE'],
  ['ACTIVE', 1, 'ACTIVE'],
  ['ACTIVE', -0.01, 'EXPIRED'],
  ['ACTIVE', -5, 'EXPIRED'],
  ['TRIALING', null, 'TRIALING'],
  ['TRIALING', 1, 'TRIALING'],
  ['TRIALING', -1, 'EXPIRED'],
  ['CANCELED', null, 'CANCELED'],
  ['CANCELED', 1, 'CANCELED'],
  ['CANCELED', -1, 'EXPIRED'],
  ['PAST_DUE', null, 'PAST_DUE'],
  ['PAST_DUE', 1, 'PAST_DUE'],
  ['PAST_DUE', -1, 'PAST_DUE'],
  ['PAST_DUE', -6.99, 'PAST_DUE'],
  ['PAST_DUE', -7.01, 'EXPIRED'],
  ['PAST_DUE', -30, 'EXPIRED'],
  ['EXPIRED', null, 'EXPIRED'],
  ['EXPIRED', 1, 'EXPIRED'],
  ['EXPIRED', -1, 'EXPIRED'],
]

describe.each(CASES)('%s with an end in %s days', (status, days, effectiveStatus) => {
  const currentPeriodEnd = days === null ? null : inDays(days)
  const isValid = effectiveStatus !== 'EXPIRED'

  test(`is ${effectiveStatus} in every response, and its seats are ${isValid ? 'valid' : 'dormant'}`, async () => {
    const changed = await changeSubscription(subscription.id, { status, currentPeriodEnd })
    expect(changed.status).toBe(200)
    const quantities = { quantityPurchased: 2, quantityAssigned: 1, quantityAvailable: 1 }
    expect(changed.body).toMatchObject({ status: effectiveStatus, currentPeriodEnd, ...quantities })
    expect(await listSubscriptions(tenant.id)).toMatchObject([{ status: effectiveStatus, ...quantities }])
    expect(await readOverview(tenant.id)).toMatchObject({
      totalSeatsOwned: isValid ? 2 : 0,
      totalSeatsAssigned: isValid ? 1 : 0,
      totalSeatsAvailable: isValid ? 1 : 0,
      subscriptions: [{ status: effectiveStatus, ...quantities }],
    })
    const { body } = await getLicense(owner.tenantHeaders, 'check', licenseQuery)
    if (isValid) expect(body).toMatchObject({ hasLicense: true, assignedAt: granted.body.assignedAt })
    else expect(body).toEqual(UNLICENSED)
    const { users, count } = await readLicenseHolders(owner.tenantHeaders, application)
    expect(count).toBe(isValid ? 1 : 0)
    expect(users).toHaveLength(count)
  })

  test(`can be created so, and ${isValid ? 'grants seats' : 'grants none'}`, async () => {
    const type = await newLicenseType(application)
    const made = await newSubscription(buyer.tenant.id, type.id, { status, currentPeriodEnd })
    expect(made).toMatchObject({ status: effectiveStatus, currentPeriodEnd })
    const seatRequest = { userId: buyer.owner.userId, applicationId: application, licenseTypeId: type.id }
    const response = await grantSeat(buyer.owner.tenantHeaders, seatRequest)
    expect(await hasLicense(buyer.owner.tenantHeaders, seatRequest.userId, application)).toBe(isValid)
    if (isValid) {
      expect(response.status).toBe(201)
      expect((await revokeSeat(buyer.owner.tenantHeaders, seatRequest)).status).toBe(200)
    } else {
      expect(response.status).toBe(400)
      expect(response.body).toEqual(
        errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'SUBSCRIPTION_INACTIVE' } }),
      )
    }
  })
})

test('a dormant seat is valid again after the renewal of the subscription', async () => {
  const fixture = await newTenantWithSeats(1)
  const licenseQuery = { userId: fixture.owner.userId, applicationId: fixture.application }
  const { body } = await grantSeat(fixture.owner.tenantHeaders, {
    ...licenseQuery,
    licenseTypeId: fixture.pro.id,
  })
  await changeSubscription(fixture.subscription.id, { currentPeriodEnd: inDays(-1) })
  expect((await getLicense(fixture.owner.tenantHeaders, 'check', licenseQuery)).body).toEqual(UNLICENSED)
  const renewed = await changeSubscription(fixture.subscription.id, { currentPeriodEnd: inDays(30) })
  expect(renewed.body.status).toBe('ACTIVE')
  expect(Date.parse(renewed.body.currentPeriodStart)).toBeGreaterThan(
    Date.parse(fixture.subscription.currentPeriodStart),
  )
  expect((await getLicense(fixture.owner.tenantHeaders, 'check', licenseQuery)).body).toMatchObject({
    hasLicense: true,
    assignedAt: body.assignedAt,
  })
})

test('a dormant seat can be revoked', async () => {
  const fixture = await newTenantWithSeats(1)
  const licenseQuery = { userId: fixture.owner.userId, applicationId: fixture.application }
  await grantSeat(fixture.owner.tenantHeaders, { ...licenseQuery, licenseTypeId: fixture.pro.id })
  await changeSubscription(fixture.subscription.id, { status: 'EXPIRED' })
  expect((await revokeSeat(fixture.owner.tenantHeaders, licenseQuery)).status).toBe(200)
  await changeSubscription(fixture.subscription.id, { status: 'ACTIVE' })
  expect((await getLicense(fixture.owner.tenantHeaders, 'check', licenseQuery)).body).toEqual(UNLICENSED)
})

test('an end in a year of five digits is in the future', async () => {
  const fixture = await newTenantWithSeats(1)
  const licenseQuery = { userId: fixture.owner.userId, applicationId: fixture.application }
  const end = '9999-12-31T23:59:59-12:00'
  const { status, body } = await changeSubscription(fixture.subscription.id, { currentPeriodEnd: end })
  if (status === 422) return
  expect(body.status).toBe('ACTIVE')
  expect(
    (await grantSeat(fixture.owner.tenantHeaders, { ...licenseQuery, licenseTypeId: fixture.pro.id })).status,
  ).toBe(201)
  expect((await getLicense(fixture.owner.tenantHeaders, 'check', licenseQuery)).body).toMatchObject({
    hasLicense: true,
  })
})
