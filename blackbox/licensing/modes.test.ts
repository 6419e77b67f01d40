import { describe, expect, test } from 'vitest'
import { admin } from '../support/admin.ts'
import { call, refusal } from '../support/calls.ts'
import { newAddress } from '../support/invitations.ts'
import {
  ask,
  change,
  changeSubscription,
  grant,
  inDays,
  newInside,
  newLicensedApplication,
  newSeats,
  newSubscription,
  newTenantInside,
  newType,
  readHolders,
  revoke,
  UNLICENSED,
} from '../support/licensing.ts'
import { invite, listMembers } from '../support/tenants.ts'

const { tenant, owner } = await newTenantInside()
const [member, suspended] = await Promise.all([newInside({ tenant, owner }), newInside({ tenant, owner })])
await invite(owner.headers, tenant.id, { email: newAddress() })
await call('PATCH', `/api/tenants/${tenant.id}/members/${suspended.membershipId}`, {
  headers: owner.headers,
  body: { status: 'SUSPENDED' },
})
const { members } = await listMembers(owner.headers, tenant.id)
const joinedAt = (userId: string) => members.find((one) => one.userId === userId)?.joinedAt
const invited = members.find(({ status }) => status === 'INVITED')?.userId ?? ''
const check = async (applicationId: string, userId: string) =>
  (await ask(owner.inside, 'check', { applicationId, userId })).body

const holding = (type: { slug: string; name: string }, assignedAt: unknown, features: string[] = []) => ({
  hasLicense: true,
  licenseType: type.slug,
  licenseTypeName: type.name,
  features,
  assignedAt,
})

/** Both lists show the ACTIVE members, each with what the check says of them. */
async function expectEverybody(application: string) {
  const { users, count } = await readHolders(owner.inside, application)
  expect(count).toBe(2)
  expect(users.map(({ userId }) => userId).sort()).toEqual([owner.userId, member.userId].sort())
  for (const user of users) {
    const { licenseType, licenseTypeName, assignedAt } = await check(application, user.userId)
    expect(user).toMatchObject({ licenseType, licenseTypeName, assignedAt })
  }
}

async function expectNobody(application: string) {
  expect(await readHolders(owner.inside, application)).toEqual({ users: [], count: 0 })
  expect(await check(application, member.userId)).toEqual(UNLICENSED)
}

describe('a free application', async () => {
  const application = await newLicensedApplication('FREE')

  test('gives nobody anything while it has no license type', () => expectNobody(application))

  test('gives every active member the first type, since they joined, and nobody else', async () => {
    const second = await newType(application, { displayOrder: 5, name: 'Second' })
    const first = await newType(application, { displayOrder: 2, name: 'First', features: { basics: true } })
    expect(await check(application, member.userId)).toEqual(
      holding(first, joinedAt(member.userId), ['basics']),
    )
    expect(await check(application, owner.userId)).toEqual(holding(first, joinedAt(owner.userId), ['basics']))
    for (const userId of [suspended.userId, invited])
      expect(await check(application, userId)).toEqual(UNLICENSED)
    await expectEverybody(application)
    for (const licenseTypeId of [first.id, second.id]) {
      const wish = { userId: member.userId, applicationId: application, licenseTypeId }
      expect((await grant(owner.inside, wish)).body).toEqual(refusal(400, 'ALREADY_LICENSED'))
      expect((await change(owner.inside, wish)).body).toEqual(refusal(404, 'LICENSE_NOT_FOUND'))
      expect((await revoke(owner.inside, wish)).body).toEqual(refusal(404, 'LICENSE_NOT_FOUND'))
    }
  })

  test('still refuses a grant to who is no active member before it says that all have one', async () => {
    const { id } = await newType(application)
    const wish = (userId: string) => ({ userId, applicationId: application, licenseTypeId: id })
    expect((await grant(owner.inside, wish(suspended.userId))).body).toEqual(
      refusal(400, 'MEMBER_NOT_ACTIVE'),
    )
    expect((await grant(owner.inside, wish(tenant.id))).body).toEqual(refusal(404, 'USER_NOT_FOUND'))
  })
})

describe('an application for whole tenants', async () => {
  const application = await newLicensedApplication('TENANT_WIDE')
  const [small, big] = await Promise.all([
    newType(application, { displayOrder: 1, name: 'Small', features: { one: true } }),
    newType(application, { displayOrder: 2, name: 'Big', features: { two: true, one: true } }),
  ])

  test('gives nobody anything while the tenant has bought none', () => expectNobody(application))

  test('gives every active member the best that the tenant has, since it was bought', async () => {
    const smaller = await newSubscription(tenant.id, small.id, { quantityPurchased: 1 })
    expect(await check(application, member.userId)).toEqual(
      holding(small, smaller.currentPeriodStart, ['one']),
    )
    await expectEverybody(application)
    const bigger = await newSubscription(tenant.id, big.id, { quantityPurchased: 1 })
    expect(await check(application, member.userId)).toEqual(
      holding(big, bigger.currentPeriodStart, ['one', 'two']),
    )
    for (const userId of [suspended.userId, invited])
      expect(await check(application, userId)).toEqual(UNLICENSED)
    await expectEverybody(application)
    const wish = { userId: member.userId, applicationId: application, licenseTypeId: small.id }
    expect((await grant(owner.inside, wish)).body).toEqual(refusal(400, 'ALREADY_LICENSED'))
    expect((await revoke(owner.inside, wish)).body).toEqual(refusal(404, 'LICENSE_NOT_FOUND'))

    // The best of those that are good.
    await changeSubscription(bigger.id, { currentPeriodEnd: inDays(-1) })
    expect(await check(application, member.userId)).toMatchObject({ licenseType: small.slug })
    await changeSubscription(smaller.id, { status: 'EXPIRED' })
    await expectNobody(application)
    await changeSubscription(bigger.id, { currentPeriodEnd: null })
    expect(await check(application, member.userId)).toMatchObject({ licenseType: big.slug })
    await expectEverybody(application)
  })

  test('gives who joins later theirs since they joined', async () => {
    const late = await newInside({ tenant, owner })
    const { members } = await listMembers(owner.headers, tenant.id)
    const joined = members.find(({ userId }) => userId === late.userId)?.joinedAt
    expect(await check(application, late.userId)).toEqual(holding(big, joined, ['one', 'two']))
    const path = `/api/tenants/${tenant.id}/members/${late.membershipId}`
    expect((await call('DELETE', path, { headers: owner.headers })).status).toBe(200)
    expect(await check(application, late.userId)).toEqual(UNLICENSED)
    await expectEverybody(application)
  })
})

test.each(['FREE', 'TENANT_WIDE'] as const)(
  'of two types of the same order one is had, whoever is asked (%s)',
  async (mode) => {
    const application = await newLicensedApplication(mode)
    for (const name of ['Heads', 'Tails', 'Edge']) {
      const { id } = await newType(application, { displayOrder: 1, name })
      if (mode === 'TENANT_WIDE') await newSubscription(tenant.id, id)
    }
    await expectEverybody(application)
  },
)

test('an application that changes its mode is asked about by the new one at once', async () => {
  const world = await newSeats(1)
  const about = { userId: world.owner.userId, applicationId: world.application }
  const isLicensed = async () => (await ask(world.owner.inside, 'check', about)).body.hasLicense
  const setMode = async (licensingMode: string) =>
    expect((await admin('PATCH', `/applications/${world.application}`, { licensingMode })).status).toBe(200)
  expect(await isLicensed()).toBe(false)
  await setMode('TENANT_WIDE')
  expect(await isLicensed()).toBe(true)
  await changeSubscription(world.subscription.id, { status: 'EXPIRED' })
  expect(await isLicensed()).toBe(false)
  await setMode('FREE')
  expect(await isLicensed()).toBe(true)
  await setMode('PER_SEAT')
  expect(await isLicensed()).toBe(false)
})
