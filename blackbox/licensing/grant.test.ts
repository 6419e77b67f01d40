import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { refusal } from '../support/calls.ts'
import {
  ask,
  changeSubscription,
  grant,
  hasLicense,
  inDays,
  listSubscriptions,
  newInside,
  newMachineHeaders,
  newSeats,
  newSubscription,
  newTenantInside,
  newType,
  readHolders,
  revoke,
  runInstance,
  UNLICENSED,
} from '../support/licensing.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import { newMember } from '../support/tenants.ts'

const { application, tenant, owner, pro } = await newSeats(2)
const [member, second, outsider, unsold, lapsed] = await Promise.all([
  newInside({ tenant, owner }),
  newMember(owner.headers, tenant.id),
  newTenantInside(),
  newType(application, { name: 'Unsold' }),
  newType(application, { name: 'Lapsed' }),
])
await newSubscription(tenant.id, lapsed.id, { currentPeriodEnd: inDays(-1) })

const wish = (userId: string, fields: object = {}) => ({
  userId,
  applicationId: application,
  licenseTypeId: pro.id,
  ...fields,
})

const quantities = async () => {
  const found = (await listSubscriptions(tenant.id)).find(({ licenseTypeId }) => licenseTypeId === pro.id)
  return [found?.quantityPurchased, found?.quantityAssigned, found?.quantityAvailable]
}

describe('a grant', () => {
  test('gives a seat that every door knows of at once, and a revocation takes it back', async () => {
    const before = Date.now()
    const granted = await grant(owner.inside, wish(member.userId))
    expect(granted.status).toBe(201)
    expect(granted.body).toEqual({
      id: expect.stringMatching(UUID),
      userId: member.userId,
      licenseTypeId: pro.id,
      licenseTypeName: 'Pro',
      assignedAt: expect.stringMatching(TIMESTAMP),
    })
    expect(granted.headers.get('x-license-revision')).toMatch(/^\d+$/)
    const { assignedAt } = granted.body
    expect(Date.parse(assignedAt)).toBeGreaterThanOrEqual(before - 5_000)
    const shown = await ask(member.inside, 'check', { applicationId: application })
    expect(shown.body).toMatchObject({ hasLicense: true, licenseType: pro.slug, assignedAt })
    expect(await readHolders(owner.inside, application)).toMatchObject({
      users: [{ userId: member.userId, assignedAt }],
      count: 1,
    })
    expect(await quantities()).toEqual([2, 1, 1])

    const revoked = await revoke(owner.inside, { userId: member.userId, applicationId: application })
    expect(revoked.status).toBe(200)
    expect(revoked.body).toEqual({ success: true, message: 'License revoked' })
    expect(Number(revoked.headers.get('x-license-revision'))).toBeGreaterThan(
      Number(granted.headers.get('x-license-revision')),
    )
    expect((await ask(member.inside, 'check', { applicationId: application })).body).toEqual(UNLICENSED)
    expect(await readHolders(owner.inside, application)).toEqual({ users: [], count: 0 })
    expect(await quantities()).toEqual([2, 0, 2])

    const again = await revoke(owner.inside, { userId: member.userId, applicationId: application })
    expect(again.status).toBe(404)
    expect(again.body).toEqual(refusal(404, 'LICENSE_NOT_FOUND'))
  })

  test('is refused to who has one, also of another type, also when no seat is left', async () => {
    await grant(owner.inside, wish(member.userId))
    for (const licenseTypeId of [pro.id, unsold.id, lapsed.id]) {
      const { status, body } = await grant(owner.inside, wish(member.userId, { licenseTypeId }))
      expect(status).toBe(400)
      expect(body).toEqual(refusal(400, 'ALREADY_LICENSED'))
    }
    expect((await grant(owner.inside, wish(second.userId))).status).toBe(201)
    expect(await quantities()).toEqual([2, 2, 0])
    const full = await grant(owner.inside, wish(owner.userId))
    expect(full.status).toBe(400)
    expect(full.body).toEqual(refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }))
    expect((await grant(owner.inside, wish(member.userId))).body).toEqual(refusal(400, 'ALREADY_LICENSED'))
    expect(await quantities()).toEqual([2, 2, 0])

    await revoke(owner.inside, { userId: second.userId, applicationId: application })
    expect((await grant(owner.inside, wish(owner.userId))).status).toBe(201)
    for (const { userId } of [owner, member]) {
      expect((await revoke(owner.inside, { userId, applicationId: application })).status).toBe(200)
    }
    expect(await quantities()).toEqual([2, 0, 2])
  })

  test('may be made by a machine', async () => {
    const machine = await newMachineHeaders(application, ['licenses:write'], tenant.id)
    expect((await grant(machine, wish(second.userId))).status).toBe(201)
    expect((await revoke(machine, wish(second.userId))).status).toBe(200)
  })

  test('of an archived type goes on where it was sold', async () => {
    const archived = await newSeats(1)
    await runInstance('PATCH', `/license-types/${archived.pro.id}`, { status: 'ARCHIVED' })
    const { status } = await grant(archived.owner.inside, {
      userId: archived.owner.userId,
      applicationId: archived.application,
      licenseTypeId: archived.pro.id,
    })
    expect(status).toBe(201)
    expect(await hasLicense(archived.owner.inside, archived.owner.userId, archived.application)).toBe(true)
  })

  test('ignores what it does not know', async () => {
    const extra = { id: randomUUID(), assignedAt: inDays(-9), tenantId: outsider.tenant.id, status: 'PARKED' }
    const { status, body } = await grant(owner.inside, wish(second.userId, extra))
    expect(status).toBe(201)
    expect(body.id).not.toBe(extra.id)
    expect(Date.parse(body.assignedAt)).toBeGreaterThan(Date.now() - 60_000)
    expect(await hasLicense(owner.inside, second.userId, application)).toBe(true)
    await revoke(owner.inside, wish(second.userId))
  })
})

test('a dormant seat is replaced by a grant of another type', async () => {
  const world = await newSeats(1)
  const about = { userId: world.owner.userId, applicationId: world.application }
  expect((await grant(world.owner.inside, { ...about, licenseTypeId: world.pro.id })).status).toBe(201)
  expect((await changeSubscription(world.subscription.id, { status: 'EXPIRED' })).status).toBe(200)
  expect(await hasLicense(world.owner.inside, about.userId, about.applicationId)).toBe(false)
  const dormant = await grant(world.owner.inside, { ...about, licenseTypeId: world.pro.id })
  expect(dormant.body).toEqual(
    refusal(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'SUBSCRIPTION_INACTIVE' } }),
  )
  const max = await newType(world.application, { name: 'Max' })
  await newSubscription(world.tenant.id, max.id, { quantityPurchased: 1 })
  expect((await grant(world.owner.inside, { ...about, licenseTypeId: max.id })).status).toBe(201)
  const shown = await ask(world.owner.inside, 'type', { applicationId: world.application })
  expect(shown.body).toEqual({ licenseType: max.slug })
  await changeSubscription(world.subscription.id, { status: 'ACTIVE' })
  expect((await ask(world.owner.inside, 'type', { applicationId: world.application })).body).toEqual({
    licenseType: max.slug,
  })
  expect((await listSubscriptions(world.tenant.id)).map((one) => one.quantityAssigned).sort()).toEqual([0, 1])
})
