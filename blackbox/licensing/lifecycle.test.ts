import { describe, expect, test } from 'vitest'
import { admin } from '../support/admin.ts'
import { call, refusal } from '../support/calls.ts'
import {
  ask,
  changeSubscription,
  getInside,
  grant,
  hasLicense,
  type Inside,
  LICENSES,
  listSubscriptions,
  newInside,
  newSeats,
  readHolders,
  readOverview,
  runInstance,
  UNLICENSED,
} from '../support/licensing.ts'
import { joinTenant } from '../support/tenants.ts'

type World = Awaited<ReturnType<typeof newSeats>>

/** A tenant with one seat, which a member holds, and another member who would like it. */
async function newSingleSeat() {
  const world = await newSeats(1)
  const [holder, heir] = await Promise.all([newInside(world), newInside(world)])
  expect((await give(world, holder)).status).toBe(201)
  return { world, holder, heir }
}

const give = ({ application, owner, pro }: World, { userId }: Inside) =>
  grant(owner.inside, { userId, applicationId: application, licenseTypeId: pro.id })
const memberPath = ({ tenant }: World, { membershipId }: Inside) =>
  `/api/tenants/${tenant.id}/members/${membershipId}`
const setStatus = (world: World, member: Inside, status: string) =>
  call('PATCH', memberPath(world, member), { headers: world.owner.headers, body: { status } })
const remove = (world: World, member: Inside, by: Inside = world.owner) =>
  call('DELETE', memberPath(world, member), { headers: by.headers })
const close = ({ headers, person }: Inside) =>
  call('DELETE', '/api/users/me', {
    headers,
    body: { password: person.password, confirmation: 'DELETE MY ACCOUNT' },
  })

async function expectFreed({ application, tenant, owner }: World, { userId }: Inside) {
  expect((await ask(owner.inside, 'check', { userId, applicationId: application })).body).toEqual(UNLICENSED)
  expect(await readHolders(owner.inside, application)).toEqual({ users: [], count: 0 })
  expect(await readOverview(tenant.id)).toMatchObject({
    totalSeatsOwned: 1,
    totalSeatsAssigned: 0,
    totalSeatsAvailable: 1,
  })
}

describe.each([
  ['is removed', (world: World, member: Inside) => remove(world, member)],
  ['leaves', (world: World, member: Inside) => remove(world, member, member)],
  ['deletes their account', (_: World, member: Inside) => close(member)],
  ['is suspended', (world: World, member: Inside) => setStatus(world, member, 'SUSPENDED')],
])('a member who %s', (_, end) => {
  test('frees the seat once, and holds nothing any more', async () => {
    const { world, holder, heir } = await newSingleSeat()
    expect((await end(world, holder)).status).toBe(200)
    await expectFreed(world, holder)
    const own = await call('GET', `${LICENSES}/check?applicationId=${world.application}`, {
      headers: holder.inside,
    })
    expect(own.status).toBe(401)
    expect((await give(world, heir)).status).toBe(201)
    expect((await give(world, world.owner)).body).toEqual(
      refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }),
    )
    expect(await listSubscriptions(world.tenant.id)).toMatchObject([
      { quantityPurchased: 1, quantityAssigned: 1, quantityAvailable: 0 },
    ])
  })
})

test('who was removed and comes back starts without a seat', async () => {
  const { world, holder } = await newSingleSeat()
  await remove(world, holder)
  await joinTenant(world.owner.headers, world.tenant.id, holder)
  await expectFreed(world, holder)
  expect((await give(world, holder)).status).toBe(201)
})

test('who restores their account starts without a seat', async () => {
  const { world, holder } = await newSingleSeat()
  await close(holder)
  const { email, password } = holder.person
  expect((await call('POST', '/api/auth/restore', { body: { email, password } })).status).toBe(200)
  await expectFreed(world, holder)
})

describe('who is reactivated', () => {
  test('has a seat again if one is free, since then', async () => {
    const { world, holder } = await newSingleSeat()
    const about = { userId: holder.userId, applicationId: world.application }
    const before = (await ask(world.owner.inside, 'check', about)).body
    await setStatus(world, holder, 'SUSPENDED')
    await expectFreed(world, holder)
    expect((await setStatus(world, holder, 'ACTIVE')).status).toBe(200)
    const after = (await ask(world.owner.inside, 'check', about)).body
    expect(after).toEqual({ ...before, assignedAt: after.assignedAt })
    expect(Date.parse(String(after.assignedAt))).toBeGreaterThanOrEqual(Date.parse(String(before.assignedAt)))
    expect(await readHolders(world.owner.inside, world.application)).toMatchObject({
      users: [{ userId: holder.userId, assignedAt: after.assignedAt }],
      count: 1,
    })
    expect((await give(world, holder)).body).toEqual(refusal(400, 'ALREADY_LICENSED'))
    expect(await listSubscriptions(world.tenant.id)).toMatchObject([
      { quantityAssigned: 1, quantityAvailable: 0 },
    ])
  })

  test('has none when somebody else has taken it, and can be given one later', async () => {
    const { world, holder, heir } = await newSingleSeat()
    await setStatus(world, holder, 'SUSPENDED')
    expect((await give(world, heir)).status).toBe(201)
    expect((await setStatus(world, holder, 'ACTIVE')).status).toBe(200)
    expect(await hasLicense(world.owner.inside, holder.userId, world.application)).toBe(false)
    expect(await hasLicense(world.owner.inside, heir.userId, world.application)).toBe(true)
    expect(await listSubscriptions(world.tenant.id)).toMatchObject([
      { quantityAssigned: 1, quantityAvailable: 0 },
    ])
    await remove(world, heir)
    expect(await hasLicense(world.owner.inside, holder.userId, world.application)).toBe(false)
    expect((await give(world, holder)).status).toBe(201)
  })

  test('does not get back what shrank away meanwhile', async () => {
    const { world, holder } = await newSingleSeat()
    await setStatus(world, holder, 'SUSPENDED')
    expect((await changeSubscription(world.subscription.id, { quantityPurchased: 0 })).status).toBe(200)
    expect((await setStatus(world, holder, 'ACTIVE')).status).toBe(200)
    expect(await hasLicense(world.owner.inside, holder.userId, world.application)).toBe(false)
    expect(await listSubscriptions(world.tenant.id)).toMatchObject([
      { quantityAssigned: 0, quantityAvailable: 0 },
    ])
  })

  test('can use the token they had', async () => {
    const { world, holder } = await newSingleSeat()
    await setStatus(world, holder, 'SUSPENDED')
    await setStatus(world, holder, 'ACTIVE')
    const { body } = await ask(holder.inside, 'check', { applicationId: world.application })
    expect(body).toMatchObject({ hasLicense: true })
  })
})

test('a change of role leaves the seat where it is', async () => {
  const { world, holder } = await newSingleSeat()
  const path = memberPath(world, holder)
  await call('PATCH', path, { headers: world.owner.headers, body: { role: 'admin' } })
  expect(await hasLicense(world.owner.inside, holder.userId, world.application)).toBe(true)
  expect((await readHolders(world.owner.inside, world.application)).count).toBe(1)
})

test('with a tenant its subscriptions and seats end, and nobody is told of them any more', async () => {
  const { world, holder } = await newSingleSeat()
  const { tenant, owner, application, subscription } = world
  expect((await call('DELETE', `/api/tenants/${tenant.id}`, { headers: owner.headers })).status).toBe(200)
  for (const { inside } of [owner, holder]) {
    expect((await ask(inside, 'check', { applicationId: application })).body).toEqual(
      refusal(401, 'UNAUTHORIZED'),
    )
  }
  for (const list of ['license-overview', 'subscriptions', 'ledger']) {
    const { status, body } = await runInstance('GET', `/tenants/${tenant.id}/${list}`)
    expect(status).toBe(404)
    expect(body).toEqual(refusal(404, 'TENANT_NOT_FOUND'))
  }
  expect((await changeSubscription(subscription.id, { quantityPurchased: 3 })).body).toEqual(
    refusal(404, 'SUBSCRIPTION_NOT_FOUND'),
  )
})

test('with an application its types, subscriptions and seats end', async () => {
  const { world, holder } = await newSingleSeat()
  const { application, tenant, owner, subscription, pro } = world
  const about = { userId: holder.userId, applicationId: application }
  expect(await hasLicense(owner.inside, holder.userId, application)).toBe(true)
  expect((await admin('DELETE', `/applications/${application}`)).status).toBe(200)
  expect((await ask(owner.inside, 'check', about)).body).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
  expect((await give(world, holder)).body).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
  expect(await readOverview(tenant.id)).toMatchObject({ totalSeatsOwned: 0, subscriptions: [] })
  expect((await changeSubscription(subscription.id, { quantityPurchased: 3 })).status).toBe(404)
  expect((await runInstance('PATCH', `/license-types/${pro.id}`, { name: 'Gone' })).status).toBe(404)
})

test('who owns two tenants holds in each what was given there', async () => {
  const { world } = await newSingleSeat()
  const second = await newSeats(1)
  const guest = await newInside(second)
  await joinTenant(world.owner.headers, world.tenant.id, guest)
  const there = await getInside(guest, second.tenant)
  expect((await give(second, guest)).status).toBe(201)
  const asked = { applicationId: second.application }
  expect((await ask(there.inside, 'check', asked)).body).toMatchObject({ hasLicense: true })
  const here = await getInside(guest, world.tenant)
  expect((await ask(here.inside, 'check', asked)).body).toEqual(UNLICENSED)
  await remove(second, guest)
  expect((await ask(here.inside, 'check', asked)).body).toEqual(UNLICENSED)
})
