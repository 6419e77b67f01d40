import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { refusal } from '../support/calls.ts'
import {
  changeSubscription,
  grant,
  inDays,
  listSubscriptions,
  newInside,
  newLicensedApplication,
  newSeats,
  newSubscription,
  newTenantInside,
  newType,
  readHolders,
  revoke,
  runInstance,
  type Subscription,
} from '../support/licensing.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'

const application = await newLicensedApplication()
const { tenant } = await newTenantInside()
const path = `/tenants/${tenant.id}/subscriptions`
const subscribe = (fields: object) =>
  runInstance<Subscription>('POST', path, { quantityPurchased: 3, ...fields })

describe('a subscription', () => {
  test('is made of a type and a number of seats, and the rest has its defaults', async () => {
    const type = await newType(application, { name: 'Plain' })
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
    expect(again.body).toEqual(refusal(409, 'SUBSCRIPTION_EXISTS'))
    expect(await listSubscriptions(tenant.id)).toContainEqual(body)
  })

  test('takes its end in any zone, and shows it in ours', async () => {
    const { id } = await newType(application)
    const { body } = await subscribe({ licenseTypeId: id, currentPeriodEnd: '2999-12-31T23:00:00.5+02:00' })
    expect(body).toMatchObject({ currentPeriodEnd: '2999-12-31T21:00:00.500Z', status: 'ACTIVE' })
  })

  test('of an unknown type, or one that is not sold any more, is refused', async () => {
    const archived = await newType(application)
    await runInstance('PATCH', `/license-types/${archived.id}`, { status: 'ARCHIVED' })
    for (const licenseTypeId of [randomUUID(), archived.id]) {
      const { status, body } = await subscribe({ licenseTypeId })
      expect(status).toBe(404)
      expect(body).toEqual(refusal(404, 'LICENSE_TYPE_NOT_FOUND'))
    }
  })

  test('of an unknown tenant is refused, and changed only where it is', async () => {
    const { id: licenseTypeId } = await newType(application)
    const body = { licenseTypeId, quantityPurchased: 1 }
    const unknown = await runInstance('POST', `/tenants/${randomUUID()}/subscriptions`, body)
    expect(unknown.body).toEqual(refusal(404, 'TENANT_NOT_FOUND'))
    const changed = await changeSubscription(randomUUID(), { quantityPurchased: 1 })
    expect(changed.status).toBe(404)
    expect(changed.body).toEqual(refusal(404, 'SUBSCRIPTION_NOT_FOUND'))
  })

  test.each([
    ['no type', { licenseTypeId: undefined }, 'licenseTypeId'],
    ['a type that is a number', { licenseTypeId: 7 }, 'licenseTypeId'],
    ['no quantity', { quantityPurchased: undefined }, 'quantityPurchased'],
    ['less than no seats', { quantityPurchased: -1 }, 'quantityPurchased'],
    ['half a seat', { quantityPurchased: 1.5 }, 'quantityPurchased'],
    ['seats as text', { quantityPurchased: '3' }, 'quantityPurchased'],
    ['seats that are null', { quantityPurchased: null }, 'quantityPurchased'],
    ['more seats than can be counted', { quantityPurchased: 1e15 }, 'quantityPurchased'],
    ['an unknown status', { status: 'PAUSED' }, 'status'],
    ['a status in small letters', { status: 'active' }, 'status'],
    ['an end that is a number', { currentPeriodEnd: 7 }, 'currentPeriodEnd'],
    ['an end that is a word', { currentPeriodEnd: 'tomorrow' }, 'currentPeriodEnd'],
    ['an empty end', { currentPeriodEnd: '' }, 'currentPeriodEnd'],
    ['a day as end', { currentPeriodEnd: '2030-01-01' }, 'currentPeriodEnd'],
    ['an end on no day', { currentPeriodEnd: '2030-02-30T00:00:00Z' }, 'currentPeriodEnd'],
    ['a leap second as end', { currentPeriodEnd: '2016-12-31T23:59:60Z' }, 'currentPeriodEnd'],
  ])('is refused with %s, also when it is changed', async (_, fields, field) => {
    const expected = refusal(422, 'VALIDATION_FAILED', {
      details: expect.arrayContaining([{ field, message: expect.any(String) }]),
    })
    const made = await subscribe({ licenseTypeId: randomUUID(), ...fields })
    expect(made.status).toBe(422)
    expect(made.body).toEqual(expected)
    if (field === 'licenseTypeId' || Object.values(fields).includes(undefined)) return
    const subscription = await newSubscription(tenant.id, (await newType(application)).id)
    const changed = await changeSubscription(subscription.id, fields)
    expect(changed.status).toBe(422)
    expect(changed.body).toEqual(expected)
    expect(await listSubscriptions(tenant.id)).toContainEqual(subscription)
  })

  test.each([
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59-12:00',
  ])('with the end %s is refused or shown, and never spoils the list', async (currentPeriodEnd) => {
    const { tenant, pro, subscription } = await newSeats()
    expect([200, 422]).toContain((await changeSubscription(subscription.id, { currentPeriodEnd })).status)
    const other = await newType(pro.applicationId)
    const body = { licenseTypeId: other.id, quantityPurchased: 1, currentPeriodEnd }
    const made = await runInstance('POST', `/tenants/${tenant.id}/subscriptions`, body)
    expect([201, 422]).toContain(made.status)
    for (const list of ['subscriptions', 'license-overview', 'ledger']) {
      expect((await runInstance('GET', `/tenants/${tenant.id}/${list}`)).status, list).toBe(200)
    }
  })
})

describe('changing a subscription', () => {
  test('changes what is named and nothing else', async () => {
    let before = await newSubscription(tenant.id, (await newType(application)).id)
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

  test('does not move it, nor count its seats', async () => {
    const before = await newSubscription(tenant.id, (await newType(application)).id)
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
    ['only what is unknown', { colour: 'red' }],
  ])('is refused when it says %s', async (_, change) => {
    const { id } = await newSubscription(tenant.id, (await newType(application)).id)
    const { status, body } = await changeSubscription(id, change)
    expect(status).toBe(422)
    expect(body).toMatchObject({ error: 'VALIDATION_FAILED' })
  })
})

test('a subscription cannot shrink below the seats that are in use', async () => {
  const world = await newSeats(3)
  const { application, owner, pro, subscription } = world
  const member = await newInside(world)
  const wish = (userId: string) => ({ userId, applicationId: application, licenseTypeId: pro.id })
  for (const { userId } of [owner, member]) await grant(owner.inside, wish(userId))
  for (const quantityPurchased of [1, 0]) {
    const { status, body } = await changeSubscription(subscription.id, { quantityPurchased })
    expect(status).toBe(409)
    expect(body).toEqual(refusal(409, 'SEATS_IN_USE', { details: { inUse: 2 } }))
  }
  expect(await changeSubscription(subscription.id, { quantityPurchased: 2 })).toMatchObject({
    status: 200,
    body: { quantityPurchased: 2, quantityAssigned: 2, quantityAvailable: 0 },
  })
  await revoke(owner.inside, wish(member.userId))
  expect((await changeSubscription(subscription.id, { quantityPurchased: 1 })).status).toBe(200)
  expect((await grant(owner.inside, wish(member.userId))).body).toEqual(
    refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }),
  )
  expect((await readHolders(owner.inside, application)).count).toBe(1)
})

test('a subscription that is renewed with fewer seats than it has holders gives out none until it fits again', async () => {
  const world = await newSeats(2)
  const { application, owner, pro, subscription } = world
  const member = await newInside(world)
  const wish = (userId: string) => ({ userId, applicationId: application, licenseTypeId: pro.id })
  for (const { userId } of [owner, member]) await grant(owner.inside, wish(userId))
  await changeSubscription(subscription.id, { status: 'EXPIRED' })
  expect(await changeSubscription(subscription.id, { status: 'ACTIVE', quantityPurchased: 1 })).toMatchObject(
    {
      status: 200,
      body: { quantityPurchased: 1, quantityAssigned: 2, quantityAvailable: 0, status: 'ACTIVE' },
    },
  )
  expect((await readHolders(owner.inside, application)).count).toBe(2)
  await revoke(owner.inside, wish(member.userId))
  const refused = await grant(owner.inside, wish(member.userId))
  expect(refused.body).toEqual(refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }))
  await changeSubscription(subscription.id, { quantityPurchased: 2 })
  expect((await grant(owner.inside, wish(member.userId))).status).toBe(201)
})

test('a subscription of no seats is one, and full', async () => {
  const { application, owner, pro, subscription } = await newSeats(0)
  expect(subscription).toMatchObject({ quantityPurchased: 0, quantityAvailable: 0, status: 'ACTIVE' })
  const wish = { userId: owner.userId, applicationId: application, licenseTypeId: pro.id }
  expect((await grant(owner.inside, wish)).body).toEqual(
    refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }),
  )
})
