import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { refusal } from '../support/calls.ts'
import {
  ask,
  change,
  changeSubscription,
  grant,
  inDays,
  listSubscriptions,
  newInside,
  newLicensedApplication,
  newSeats,
  newSubscription,
  newType,
  readHolders,
} from '../support/licensing.ts'

const { application, tenant, owner, pro, subscription } = await newSeats(2)
const [member, max, unsold, lapsed, elsewhere] = await Promise.all([
  newInside({ tenant, owner }),
  newType(application, { name: 'Max', features: { everything: true } }),
  newType(application, { name: 'Unsold' }),
  newType(application, { name: 'Lapsed' }),
  newLicensedApplication().then((id) => newType(id)),
])
await newSubscription(tenant.id, max.id, { quantityPurchased: 1 })
await newSubscription(tenant.id, lapsed.id, { status: 'EXPIRED' })
const granted = await grant(owner.inside, {
  userId: member.userId,
  applicationId: application,
  licenseTypeId: pro.id,
})

const wish = (licenseTypeId: string, userId = member.userId) => ({
  userId,
  applicationId: application,
  licenseTypeId,
})
const assigned = async () =>
  Object.fromEntries(
    (await listSubscriptions(tenant.id)).map((one) => [one.licenseTypeName, one.quantityAssigned]),
  )
const typeOf = async () => (await ask(member.inside, 'type', { applicationId: application })).body.licenseType

test('a change gives the other type in place of the first, under the same id and since the same moment', async () => {
  const { status, headers, body } = await change(owner.inside, wish(max.id))
  expect(status).toBe(200)
  expect(body).toEqual({ ...granted.body, licenseTypeId: max.id, licenseTypeName: 'Max' })
  expect(headers.get('x-license-revision')).toMatch(/^\d+$/)
  expect(await typeOf()).toBe(max.slug)
  expect(await assigned()).toEqual({ Pro: 0, Max: 1, Lapsed: 0 })
  expect((await readHolders(owner.inside, application)).count).toBe(1)
  expect((await change(owner.inside, wish(pro.id))).body).toEqual(granted.body)
  expect(await assigned()).toEqual({ Pro: 1, Max: 0, Lapsed: 0 })
})

test('a change to the type that is held already succeeds and changes nothing, also when it is full', async () => {
  await changeSubscription(subscription.id, { quantityPurchased: 1 })
  const { status, body } = await change(owner.inside, wish(pro.id))
  expect(status).toBe(200)
  expect(body).toEqual(granted.body)
  await changeSubscription(subscription.id, { quantityPurchased: 2 })
  expect(await assigned()).toEqual({ Pro: 1, Max: 0, Lapsed: 0 })
})

test('a change to the type that is held is refused like any other when that is not good any more', async () => {
  await changeSubscription(subscription.id, { status: 'EXPIRED' })
  const { status, body } = await change(owner.inside, wish(pro.id))
  await changeSubscription(subscription.id, { status: 'ACTIVE' })
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { error: 'NO_SEATS_AVAILABLE', details: { reason: 'SUBSCRIPTION_INACTIVE' } },
  })
})

test.each([
  ['another application’s type', () => wish(elsewhere.id), 404, 'LICENSE_TYPE_NOT_FOUND'],
  ['an unknown type', () => wish(randomUUID()), 404, 'LICENSE_TYPE_NOT_FOUND'],
  ['no type', () => wish('x'), 404, 'LICENSE_TYPE_NOT_FOUND'],
  ['no application', () => ({ ...wish('x'), applicationId: 'x' }), 400, 'INVALID_APPLICATION_ID'],
  ['who holds nothing', () => wish(max.id, owner.userId), 404, 'LICENSE_NOT_FOUND'],
  ['nobody', () => wish(max.id, randomUUID()), 404, 'LICENSE_NOT_FOUND'],
  ['no id of a person', () => wish(max.id, 'x'), 404, 'LICENSE_NOT_FOUND'],
])('a change is refused for %s, and nothing is lost', async (_, body, status, error) => {
  const answer = await change(owner.inside, body())
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual(refusal(status, error))
  expect(await typeOf()).toBe(pro.slug)
})

test.each([
  ['that nobody sold them', () => unsold.id, 'NO_SUBSCRIPTION'],
  ['that has run out', () => lapsed.id, 'SUBSCRIPTION_INACTIVE'],
])('a change to a type %s is refused, and nothing is lost', async (_, typeId, reason) => {
  const { status, body } = await change(owner.inside, wish(typeId()))
  expect(status).toBe(400)
  expect(body).toEqual(refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason } }))
  expect(await typeOf()).toBe(pro.slug)
})

test('a change to a type without a free seat is refused, and nothing is lost', async () => {
  expect((await grant(owner.inside, wish(max.id, owner.userId))).status).toBe(201)
  const { status, body } = await change(owner.inside, wish(max.id))
  expect(status).toBe(400)
  expect(body).toEqual(refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }))
  expect(await typeOf()).toBe(pro.slug)
  expect(await assigned()).toEqual({ Pro: 1, Max: 1, Lapsed: 0 })
})

test('a change is no matter for a plain member', async () => {
  const { status, body } = await change(member.inside, wish(max.id))
  expect(status).toBe(403)
  expect(body).toEqual(refusal(403, 'FORBIDDEN'))
})

test('whoever holds a dormant seat can be moved to a type that is good', async () => {
  const world = await newSeats(1)
  const about = { userId: world.owner.userId, applicationId: world.application }
  await grant(world.owner.inside, { ...about, licenseTypeId: world.pro.id })
  await changeSubscription(world.subscription.id, { currentPeriodEnd: inDays(-1) })
  const better = await newType(world.application)
  await newSubscription(world.tenant.id, better.id, { quantityPurchased: 1 })
  expect((await change(world.owner.inside, { ...about, licenseTypeId: better.id })).status).toBe(200)
  const shown = await ask(world.owner.inside, 'check', { applicationId: world.application })
  expect(shown.body).toMatchObject({ hasLicense: true, licenseType: better.slug })
})
