import { describe, expect, test } from 'vitest'
import { refusal } from '../support/calls.ts'
import {
  ask,
  changeSubscription,
  grant,
  hasLicense,
  inDays,
  listSubscriptions,
  newSeats,
  newSubscription,
  newTenantInside,
  newType,
  readHolders,
  readOverview,
  revoke,
  UNLICENSED,
} from '../support/licensing.ts'

const { application, tenant, owner, pro, subscription } = await newSeats(2)
const buyer = await newTenantInside()
const about = { userId: owner.userId, applicationId: application }
const granted = await grant(owner.inside, { ...about, licenseTypeId: pro.id })

/** Each status with an end so many days from now, and what it is called then. */
const CASES: [status: string, days: number | null, shown: string][] = [
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

describe.each(CASES)('%s with an end in %s days', (status, days, shown) => {
  const currentPeriodEnd = days === null ? null : inDays(days)
  const good = shown !== 'EXPIRED'

  test(`is ${shown} wherever it is shown, and its seats ${good ? 'work' : 'sleep'}`, async () => {
    const changed = await changeSubscription(subscription.id, { status, currentPeriodEnd })
    expect(changed.status).toBe(200)
    const quantities = { quantityPurchased: 2, quantityAssigned: 1, quantityAvailable: 1 }
    expect(changed.body).toMatchObject({ status: shown, currentPeriodEnd, ...quantities })
    expect(await listSubscriptions(tenant.id)).toMatchObject([{ status: shown, ...quantities }])
    expect(await readOverview(tenant.id)).toMatchObject({
      totalSeatsOwned: good ? 2 : 0,
      totalSeatsAssigned: good ? 1 : 0,
      totalSeatsAvailable: good ? 1 : 0,
      subscriptions: [{ status: shown, ...quantities }],
    })
    const { body } = await ask(owner.inside, 'check', about)
    if (good) expect(body).toMatchObject({ hasLicense: true, assignedAt: granted.body.assignedAt })
    else expect(body).toEqual(UNLICENSED)
    const { users, count } = await readHolders(owner.inside, application)
    expect(count).toBe(good ? 1 : 0)
    expect(users).toHaveLength(count)
  })

  test(`is made so, and ${good ? 'gives seats' : 'gives none'}`, async () => {
    const type = await newType(application)
    const made = await newSubscription(buyer.tenant.id, type.id, { status, currentPeriodEnd })
    expect(made).toMatchObject({ status: shown, currentPeriodEnd })
    const wish = { userId: buyer.owner.userId, applicationId: application, licenseTypeId: type.id }
    const answer = await grant(buyer.owner.inside, wish)
    expect(await hasLicense(buyer.owner.inside, wish.userId, application)).toBe(good)
    if (good) {
      expect(answer.status).toBe(201)
      expect((await revoke(buyer.owner.inside, wish)).status).toBe(200)
    } else {
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(
        refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'SUBSCRIPTION_INACTIVE' } }),
      )
    }
  })
})

test('a seat that slept wakes with the subscription, as it was', async () => {
  const world = await newSeats(1)
  const about = { userId: world.owner.userId, applicationId: world.application }
  const { body } = await grant(world.owner.inside, { ...about, licenseTypeId: world.pro.id })
  await changeSubscription(world.subscription.id, { currentPeriodEnd: inDays(-1) })
  expect((await ask(world.owner.inside, 'check', about)).body).toEqual(UNLICENSED)
  const renewed = await changeSubscription(world.subscription.id, { currentPeriodEnd: inDays(30) })
  expect(renewed.body.status).toBe('ACTIVE')
  expect(Date.parse(renewed.body.currentPeriodStart)).toBeGreaterThan(
    Date.parse(world.subscription.currentPeriodStart),
  )
  expect((await ask(world.owner.inside, 'check', about)).body).toMatchObject({
    hasLicense: true,
    assignedAt: body.assignedAt,
  })
})

test('a seat that sleeps can be taken back', async () => {
  const world = await newSeats(1)
  const about = { userId: world.owner.userId, applicationId: world.application }
  await grant(world.owner.inside, { ...about, licenseTypeId: world.pro.id })
  await changeSubscription(world.subscription.id, { status: 'EXPIRED' })
  expect((await revoke(world.owner.inside, about)).status).toBe(200)
  await changeSubscription(world.subscription.id, { status: 'ACTIVE' })
  expect((await ask(world.owner.inside, 'check', about)).body).toEqual(UNLICENSED)
})

test('an end in a year of five digits is far away, and not past', async () => {
  const world = await newSeats(1)
  const about = { userId: world.owner.userId, applicationId: world.application }
  const end = '9999-12-31T23:59:59-12:00'
  const { status, body } = await changeSubscription(world.subscription.id, { currentPeriodEnd: end })
  if (status === 422) return
  expect(body.status).toBe('ACTIVE')
  expect((await grant(world.owner.inside, { ...about, licenseTypeId: world.pro.id })).status).toBe(201)
  expect((await ask(world.owner.inside, 'check', about)).body).toMatchObject({ hasLicense: true })
})
