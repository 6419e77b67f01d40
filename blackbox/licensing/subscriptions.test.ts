import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { errorBody } from '../support/calls.ts'
import {
  callLicensing,
  changeSubscription,
  grantSeat,
  inDays,
  listSubscriptions,
  newLicensedApplication,
  newLicenseType,
  newSubscription,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
  readLicenseHolders,
  revokeSeat,
  type Subscription,
} from '../support/licensing.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'

const application = await newLicensedApplication()
const { tenant } = await newTenantWithOwner()
const path = `/tenants/${tenant.id}/subscriptions`
const subscribe = (fields: object) => callLicensing<Subscription>('POST', path, { quantityPurchased: 3, ...fields })

describe('a subscription', () => {
  test('requires a type and a number of seats, and has defaults for the rest', async () => {
    const type = await newLicenseType(application, { name: 'Plain' })
    const { status, body } = await subscribe({ licenseTypeId: type.id })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      applicationId: application,
      applicationName: 'A licensed application',
      licenseTypeId: type.id,
      licenseTypeName: 'Plain',
      licenseTypeSlug: type.slug,
      quantityPurchased: 3,
      quantityAssigned: 0,
      quantityAvailable: 3,
      status: 'ACTIVE',
      currentPeriodStart: expect.stringMatching(TIMESTAMP),
      currentPeriodEnd: null,
      createdAt: expect.stringMatching(TIMESTAMP),
    })
    expect(await listSubscriptions(tenant.id)).toContainEqual(body)
    const again = await subscribe({ licenseTypeId: type.id, quantityPurchased: 9 })
    expect(again.status).toBe(409)
    expect(again.body).toEqual(errorBody(409, 'SUBSCRIPTION_EXISTS'))
    expect(await listSubscriptions(tenant.id)).toContainEqual(body)
  })

  test('accepts its end in any time zone, and returns UTC', async () => {
    const { id } = await newLicenseType(application)
    const { body } = await subscribe({ licenseTypeId: id, currentPeriodEnd: '2999-12-31T23:00:00.5+02:00' })
    expect(body).toMatchObject({ currentPeriodEnd: '2999-12-31T21:00:00.500Z', status: 'ACTIVE' })
  })

  test('of an unknown or archived type is refused', async () => {
    const archived = await newLicenseType(application)
    await callLicensing('PATCH', `/license-types/${archived.id}`, { status: 'ARCHIVED' })
    for (const licenseTypeId of [randomUUID(), archived.id]) {
      const { status, body } = await subscribe({ licenseTypeId })
      expect(status).toBe(404)
      expect(body).toEqual(errorBody(404, 'LICENSE_TYPE_NOT_FOUND'))
    }
  })

  test('of an unknown tenant is refused, and an unknown subscription cannot be changed', async () => {
    const { id: licenseTypeId } = await newLicenseType(application)
    const body = { licenseTypeId, quantityPurchased: 1 }
    const unknown = await callLicensing('POST', `/tenants/${randomUUID()}/subscriptions`, body)
    expect(unknown.body).toEqual(errorBody(404, 'TENANT_NOT_FOUND'))
    const changed = await changeSubscription(randomUUID(), { quantityPurchased: 1 })
    expect(changed.status).toBe(404)
    expect(changed.body).toEqual(errorBody(404, 'SUBSCRIPTION_NOT_FOUND'))
  })

  test.each([
    ['no type', { licenseTypeId: undefined }, 'licenseTypeId'],
    ['a type that is a number', { licenseTypeId: 7 }, 'licenseTypeId'],
    ['no quantity', { quantityPurchased: undefined }, 'quantityPurchased'],
    ['a negative number of seats', { quantityPurchased: -1 }, 'quantityPurchased'],
    ['a fractional number of seats', { quantityPurchased: 1.5 }, 'quantityPurchased'],
    ['seats as text', { quantityPurchased: '3' }, 'quantityPurchased'],
    ['seats that are null', { quantityPurchased: null }, 'quantityPurchased'],
    ['too many seats', { quantityPurchased: 1e15 }, 'quantityPurchased'],
    ['an unknown status', { status: 'PAUSED' }, 'status'],
    ['a status in small letters', { status: 'active' }, 'status'],
    ['an end that is a number', { currentPeriodEnd: 7 }, 'currentPeriodEnd'],
    ['an end that is not a time', { currentPeriodEnd: 'tomorrow' }, 'currentPeriodEnd'],
    ['an empty end', { currentPeriodEnd: '' }, 'currentPeriodEnd'],
    ['a day as end', { currentPeriodEnd: '2030-01-01' }, 'currentPeriodEnd'],
    ['an end on an invalid date', { currentPeriodEnd: '2030-02-30T00:00:00Z' }, 'currentPeriodEnd'],
    ['a leap second as end', { currentPeriodEnd: '2016-12-31T23:59:60Z' }, 'currentPeriodEnd'],
  ])('is refused with %s, also in a change', async (_, fields, field) => {
    const expected = errorBody(422, 'VALIDATION_FAILED', {
      details: expect.arrayContaining([{ field, message: expect.any(String) }]),
    })
    const made = await subscribe({ licenseTypeId: randomUUID(), ...fields })
    expect(made.status).toBe(422)
    expect(made.body).toEqual(expected)
    if (field === 'licenseTypeId' || Object.values(fields).includes(undefined)) return
    const subscription = await newSubscription(tenant.id, (await newLicenseType(application)).id)
    const changed = await changeSubscription(subscription.id, fields)
    expect(changed.status).toBe(422)
    expect(changed.body).toEqual(expected)
    expect(await listSubscriptions(tenant.id)).toContainEqual(subscription)
  })

  test.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-12:00'])(
    'with the end %s is refused or shown, and the list stays readable',
    async (currentPeriodEnd) => {
      const { tenant, pro, subscription } = await newTenantWithSeats()
      expect([200, 422]).toContain((await changeSubscription(subscription.id, { currentPeriodEnd })).status)
      const other = await newLicenseType(pro.applicationId)
      const body = { licenseTypeId: other.id, quantityPurchased: 1, currentPeriodEnd }
      const made = await callLicensing('POST', `/tenants/${tenant.id}/subscriptions`, body)
      expect([201, 422]).toContain(made.status)
      for (const list of ['subscriptions', 'license-overview', 'ledger']) {
        expect((await callLicensing('GET', `/tenants/${tenant.id}/${list}`)).status, list).toBe(200)
      }
    },
  )
})

describe('changing a subscription', () => {
  test('changes only the given fields', async () => {
    let before = await newSubscription(tenant.id, (await newLicenseType(application)).id)
    const end = inDays(30)
    for (const change of [
      { quantityPurchased: 9 },
      { currentPeriodEnd: end },
      { status: 'TRIALING' },
      { status: 'CANCELED' },
      { status: 'PAST_DUE' },
      { currentPeriodEnd: null },
      { status: 'ACTIVE', quantityPurchased: 0, currentPeriodEnd: end },
    ]) {
      const { status, body } = await changeSubscription(before.id, change)
      expect(status).toBe(200)
      const { quantityPurchased = before.quantityPurchased } = change as Partial<Subscription>
      expect(body).toEqual({ ...before, ...change, quantityAvailable: quantityPurchased })
      expect(await listSubscriptions(tenant.id)).toContainEqual(body)
      before = body
    }
  })

  test('ignores assigned seats, license type, tenant and id', async () => {
    const before = await newSubscription(tenant.id, (await newLicenseType(application)).id)
    const { status, body } = await changeSubscription(before.id, {
      quantityPurchased: 6,
      quantityAssigned: 2,
      quantityAvailable: 99,
      licenseTypeId: randomUUID(),
      tenantId: randomUUID(),
      id: randomUUID(),
    })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, quantityPurchased: 6, quantityAvailable: 6 })
  })

  test.each([
    ['nothing', {}],
    ['only unknown fields', { color: 'red' }],
  ])('is refused with %s', async (_, change) => {
    const { id } = await newSubscription(tenant.id, (await newLicenseType(application)).id)
    const { status, body } = await changeSubscription(id, change)
    expect(status).toBe(422)
    expect(body).toMatchObject({ error: 'VALIDATION_FAILED' })
  })
})

test('a subscription cannot shrink below the seats that are in use', async () => {
  const fixture = await newTenantWithSeats(3)
  const { application, owner, pro, subscription } = fixture
  const member = await newTenantMember(fixture)
  const seatRequest = (userId: string) => ({ userId, applicationId: application, licenseTypeId: pro.id })
  for (const { userId } of [owner, member]) await grantSeat(owner.tenantHeaders, seatRequest(userId))
  for (const quantityPurchased of [1, 0]) {
    const { status, body } = await changeSubscription(subscription.id, { quantityPurchased })
    expect(status).toBe(409)
    expect(body).toEqual(errorBody(409, 'SEATS_IN_USE', { details: { inUse: 2 } }))
  }
  expect(await changeSubscription(subscription.id, { quantityPurchased: 2 })).toMatchObject({
    status: 200,
    body: { quantityPurchased: 2, quantityAssigned: 2, quantityAvailable: 0 },
  })
  await revokeSeat(owner.tenantHeaders, seatRequest(member.userId))
  expect((await changeSubscription(subscription.id, { quantityPurchased: 1 })).status).toBe(200)
  expect((await grantSeat(owner.tenantHeaders, seatRequest(member.userId))).body).toEqual(
    errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }),
  )
  expect((await readLicenseHolders(owner.tenantHeaders, application)).count).toBe(1)
})

test('a renewal with fewer seats than holders grants none until enough are revoked', async () => {
  const fixture = await newTenantWithSeats(2)
  const { application, owner, pro, subscription } = fixture
  const member = await newTenantMember(fixture)
  const seatRequest = (userId: string) => ({ userId, applicationId: application, licenseTypeId: pro.id })
  for (const { userId } of [owner, member]) await grantSeat(owner.tenantHeaders, seatRequest(userId))
  await changeSubscription(subscription.id, { status: 'EXPIRED' })
  expect(await changeSubscription(subscription.id, { status: 'ACTIVE', quantityPurchased: 1 })).toMatchObject({
    status: 200,
    body: { quantityPurchased: 1, quantityAssigned: 2, quantityAvailable: 0, status: 'ACTIVE' },
  })
  expect((await readLicenseHolders(owner.tenantHeaders, application)).count).toBe(2)
  await revokeSeat(owner.tenantHeaders, seatRequest(member.userId))
  const refused = await grantSeat(owner.tenantHeaders, seatRequest(member.userId))
  expect(refused.body).toEqual(errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }))
  await changeSubscription(subscription.id, { quantityPurchased: 2 })
  expect((await grantSeat(owner.tenantHeaders, seatRequest(member.userId))).status).toBe(201)
})

test('a subscription with zero seats is valid and full', async () => {
  const { application, owner, pro, subscription } = await newTenantWithSeats(0)
  expect(subscription).toMatchObject({ quantityPurchased: 0, quantityAvailable: 0, status: 'ACTIVE' })
  const seatRequest = { userId: owner.userId, applicationId: application, licenseTypeId: pro.id }
  expect((await grantSeat(owner.tenantHeaders, seatRequest)).body).toEqual(
    errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }),
  )
})
