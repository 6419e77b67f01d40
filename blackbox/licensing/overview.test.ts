import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { refusal } from '../support/calls.ts'
import {
  change,
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
  readOverview,
  revoke,
  runInstance,
} from '../support/licensing.ts'

test('the overview of a tenant that has bought nothing is empty', async () => {
  const { tenant } = await newTenantInside('An empty tenant')
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

test('the overview shows every subscription, and sums up those that have not expired', async () => {
  const { application, tenant, owner, pro } = await newSeats(2)
  const [max, gone, second] = await Promise.all([
    newType(application, { name: 'Max', displayOrder: 1 }),
    newType(application, { name: 'Gone', displayOrder: 2 }),
    newLicensedApplication().then((id) => newType(id, { name: 'Second' })),
  ])
  await newSubscription(tenant.id, max.id, {
    quantityPurchased: 3,
    status: 'TRIALING',
    currentPeriodEnd: inDays(1),
  })
  await newSubscription(tenant.id, gone.id, { quantityPurchased: 40, currentPeriodEnd: inDays(-1) })
  await newSubscription(tenant.id, second.id, {
    quantityPurchased: 7,
    status: 'PAST_DUE',
    currentPeriodEnd: inDays(-1),
  })
  await grant(owner.inside, { userId: owner.userId, applicationId: application, licenseTypeId: pro.id })
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
    entry(gone, { quantityPurchased: 40, quantityAssigned: 0, quantityAvailable: 40, status: 'EXPIRED' }),
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
  // Those of one application stand together, by the order of their types.
  const ofFirst = overview.subscriptions.filter(({ applicationId }) => applicationId === application)
  expect(ofFirst).toEqual(entries.slice(0, 3))
  const listed = await listSubscriptions(tenant.id)
  expect(
    listed.map(({ id, licenseTypeSlug, currentPeriodStart, currentPeriodEnd, createdAt, ...rest }) => rest),
  ).toEqual(overview.subscriptions)
})

// So many steps take their time where the machine is busy.
test('the overview and the lists agree after many grants, changes and revocations', {
  timeout: 90_000,
}, async () => {
  const world = await newSeats(3)
  const { application, tenant, owner, pro } = world
  const max = await newType(application, { name: 'Max' })
  await newSubscription(tenant.id, max.id, { quantityPurchased: 2 })
  const people = [owner, ...(await Promise.all([1, 2, 3, 4, 5].map(() => newInside(world))))]
  const types = [pro, max]
  // A fixed sequence that looks like chance, so that a failure comes again.
  let seed = 20_261_115
  const pick = (count: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * count)
  }
  const held = new Map<string, string>()
  const free = (typeId: string) =>
    (typeId === pro.id ? 3 : 2) - [...held.values()].filter((id) => id === typeId).length
  for (let step = 1; step <= 200; step++) {
    const userId = people[pick(people.length)]?.userId ?? ''
    const licenseTypeId = types[pick(2)]?.id ?? ''
    const wish = { userId, applicationId: application, licenseTypeId }
    const deed = pick(5)
    const before = held.get(userId)
    if (deed < 2) {
      const { status } = await grant(owner.inside, wish)
      const fits = before === undefined && free(licenseTypeId) > 0
      expect(status, `grant ${step}`).toBe(fits ? 201 : 400)
      if (fits) held.set(userId, licenseTypeId)
    } else if (deed < 4) {
      const { status } = await revoke(owner.inside, wish)
      expect(status, `revoke ${step}`).toBe(before === undefined ? 404 : 200)
      held.delete(userId)
    } else {
      const { status } = await change(owner.inside, wish)
      const fits = before === licenseTypeId || (before !== undefined && free(licenseTypeId) > 0)
      expect(status, `change ${step}`).toBe(before === undefined ? 404 : fits ? 200 : 400)
      if (fits) held.set(userId, licenseTypeId)
    }
    if (step % 20 > 0) continue
    const overview = await readOverview(tenant.id)
    expect(overview).toMatchObject({
      totalSeatsOwned: 5,
      totalSeatsAssigned: held.size,
      totalSeatsAvailable: 5 - held.size,
    })
    for (const {
      licenseTypeId,
      quantityPurchased,
      quantityAssigned,
      quantityAvailable,
    } of overview.subscriptions) {
      expect(quantityAvailable).toBe(free(licenseTypeId))
      expect(quantityAssigned + quantityAvailable).toBe(quantityPurchased)
    }
    const { users, count } = await readHolders(owner.inside, application)
    expect(count).toBe(held.size)
    expect(users.map((user) => user.userId).sort()).toEqual([...held.keys()].sort())
  }
})

test('the overview, the subscriptions and the ledger of an unknown tenant are unknown', async () => {
  for (const list of ['license-overview', 'subscriptions', 'ledger']) {
    const { status, body } = await runInstance('GET', `/tenants/${randomUUID()}/${list}`)
    expect(status).toBe(404)
    expect(body).toEqual(refusal(404, 'TENANT_NOT_FOUND'))
  }
})
