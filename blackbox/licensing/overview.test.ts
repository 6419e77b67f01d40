import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { errorBody } from '../support/calls.ts'
import {
  callLicensing,
  changeSeat,
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
  readOverview,
  revokeSeat,
} from '../support/licensing.ts'
import { FULL } from '../support/races.ts'

test('the overview of a tenant without subscriptions is empty', async () => {
  const { tenant } = await newTenantWithOwner('An empty tenant')
  expect(await readOverview(tenant.id)).toEqual({
    tenantId: tenant.id,
    tenantName: 'An empty tenant',
    totalSeatsOwned: 0,
    totalSeatsAssigned: 0,
    totalSeatsAvailable: 0,
    subscriptions: [],
  })
  expect(await listSubscriptions(tenant.id)).toEqual([])
})

test('the overview contains every subscription, and totals without the expired ones', async () => {
  const { application, tenant, owner, pro } = await newTenantWithSeats(2)
  const [max, expired, second] = await Promise.all([
    newLicenseType(application, { name: 'Max', displayOrder: 1 }),
    newLicenseType(application, { name: 'Gone', displayOrder: 2 }),
    newLicensedApplication().then((id) => newLicenseType(id, { name: 'Second' })),
  ])
  await newSubscription(tenant.id, max.id, {
    quantityPurchased: 3,
    status: 'TRIALING',
    currentPeriodEnd: inDays(1),
  })
  await newSubscription(tenant.id, expired.id, { quantityPurchased: 40, currentPeriodEnd: inDays(-1) })
  await newSubscription(tenant.id, second.id, {
    quantityPurchased: 7,
    status: 'PAST_DUE',
    currentPeriodEnd: inDays(-1),
  })
  await grantSeat(owner.tenantHeaders, {
    userId: owner.userId,
    applicationId: application,
    licenseTypeId: pro.id,
  })
  const entry = (type: { id: string; name: string; applicationId: string }, fields: object) => ({
    applicationId: type.applicationId,
    applicationName: 'A licensed application',
    licenseTypeId: type.id,
    licenseTypeName: type.name,
    ...fields,
  })
  const entries = [
    entry(pro, { quantityPurchased: 2, quantityAssigned: 1, quantityAvailable: 1, status: 'ACTIVE' }),
    entry(max, { quantityPurchased: 3, quantityAssigned: 0, quantityAvailable: 3, status: 'TRIALING' }),
    entry(expired, { quantityPurchased: 40, quantityAssigned: 0, quantityAvailable: 40, status: 'EXPIRED' }),
    entry(second, { quantityPurchased: 7, quantityAssigned: 0, quantityAvailable: 7, status: 'PAST_DUE' }),
  ]
  const overview = await readOverview(tenant.id)
  expect(overview).toEqual({
    tenantId: tenant.id,
    tenantName: 'A black-box tenant',
    totalSeatsOwned: 12,
    totalSeatsAssigned: 1,
    totalSeatsAvailable: 11,
    subscriptions: expect.arrayContaining(entries),
  })
  expect(overview.subscriptions).toHaveLength(4)
  // Subscriptions are grouped by application, in the order of their types.
  const ofFirst = overview.subscriptions.filter(({ applicationId }) => applicationId === application)
  expect(ofFirst).toEqual(entries.slice(0, 3))
  const listed = await listSubscriptions(tenant.id)
  expect(
    listed.map(({ id, licenseTypeSlug, currentPeriodStart, currentPeriodEnd, createdAt, ...rest }) => rest),
  ).toEqual(overview.subscriptions)
})

test('the overview and the lists agree after many grants, changes and revocations', async () => {
  const fixture = await newTenantWithSeats(3)
  const { application, tenant, owner, pro } = fixture
  const max = await newLicenseType(application, { name: 'Max' })
  await newSubscription(tenant.id, max.id, { quantityPurchased: 2 })
  const people = [owner, ...(await Promise.all([1, 2, 3, 4, 5].map(() => newTenantMember(fixture))))]
  const types = [pro, max]
  // A fixed pseudo-random sequence, so that a failure is reproducible.
  let seed = 20_261_115
  const pick = (count: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * count)
  }
  const assigned = new Map<string, string>()
  const countFree = (typeId: string) =>
    (typeId === pro.id ? 3 : 2) - [...assigned.values()].filter((id) => id === typeId).length
  for (let step = 1; step <= (FULL ? 200 : 60); step++) {
    const userId = people[pick(people.length)]?.userId ?? ''
    const licenseTypeId = types[pick(2)]?.id ?? ''
    const seatRequest = { userId, applicationId: application, licenseTypeId }
    const action = pick(5)
    const before = assigned.get(userId)
    if (action < 2) {
      const { status } = await grantSeat(owner.tenantHeaders, seatRequest)
      const isPossible = before === undefined && countFree(licenseTypeId) > 0
      expect(status, `grant ${step}`).toBe(isPossible ? 201 : 400)
      if (isPossible) assigned.set(userId, licenseTypeId)
    } else if (action < 4) {
      const { status } = await revokeSeat(owner.tenantHeaders, seatRequest)
      expect(status, `revoke ${step}`).toBe(before === undefined ? 404 : 200)
      assigned.delete(userId)
    } else {
      const { status } = await changeSeat(owner.tenantHeaders, seatRequest)
      const isPossible = before === licenseTypeId || (before !== undefined && countFree(licenseTypeId) > 0)
      expect(status, `change ${step}`).toBe(before === undefined ? 404 : isPossible ? 200 : 400)
      if (isPossible) assigned.set(userId, licenseTypeId)
    }
    if (step % 20 > 0) continue
    const overview = await readOverview(tenant.id)
    expect(overview).toMatchObject({
      totalSeatsOwned: 5,
      totalSeatsAssigned: assigned.size,
      totalSeatsAvailable: 5 - assigned.size,
    })
    for (const { licenseTypeId, quantityPurchased, quantityAssigned, quantityAvailable } of overview.subscriptions) {
      expect(quantityAvailable).toBe(countFree(licenseTypeId))
      expect(quantityAssigned + quantityAvailable).toBe(quantityPurchased)
    }
    const { users, count } = await readLicenseHolders(owner.tenantHeaders, application)
    expect(count).toBe(assigned.size)
    expect(users.map((user) => user.userId).sort()).toEqual([...assigned.keys()].sort())
  }
})

test('the overview, the subscriptions and the ledger of an unknown tenant are 404', async () => {
  for (const list of ['license-overview', 'subscriptions', 'ledger']) {
    const { status, body } = await callLicensing('GET', `/tenants/${randomUUID()}/${list}`)
    expect(status).toBe(404)
    expect(body).toEqual(errorBody(404, 'TENANT_NOT_FOUND'))
  }
})
