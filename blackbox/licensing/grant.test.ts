import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { errorBody } from '../support/calls.ts'
import {
  callLicensing,
  changeSubscription,
  getLicense,
  grantSeat,
  hasLicense,
  inDays,
  listSubscriptions,
  newLicenseType,
  newMachineHeaders,
  newSubscription,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
  readLicenseHolders,
  revokeSeat,
  UNLICENSED,
} from '../support/licensing.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import { newMember } from '../support/tenants.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats(2)
const [member, second, outsider, unsold, lapsed] = await Promise.all([
  newTenantMember({ tenant, owner }),
  newMember(owner.headers, tenant.id),
  newTenantWithOwner(),
  newLicenseType(application, { name: 'Unsold' }),
  newLicenseType(application, { name: 'Lapsed' }),
])
await newSubscription(tenant.id, lapsed.id, { currentPeriodEnd: inDays(-1) })

const seatRequest = (userId: string, fields: object = {}) => ({
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
  test('creates a seat that is visible in every route immediately, and a revocation removes it', async () => {
    const before = Date.now()
    const granted = await grantSeat(owner.tenantHeaders, seatRequest(member.userId))
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
    const shown = await getLicense(member.tenantHeaders, 'check', { applicationId: application })
    expect(shown.body).toMatchObject({ hasLicense: true, licenseType: pro.slug, assignedAt })
    expect(await readLicenseHolders(owner.tenantHeaders, application)).toMatchObject({
      users: [{ userId: member.userId, assignedAt }],
      count: 1,
    })
    expect(await quantities()).toEqual([2, 1, 1])

    const revoked = await revokeSeat(owner.tenantHeaders, {
      userId: member.userId,
      applicationId: application,
    })
    expect(revoked.status).toBe(200)
    expect(revoked.body).toEqual({ success: true, message: 'License revoked' })
    expect(Number(revoked.headers.get('x-license-revision'))).toBeGreaterThan(
      Number(granted.headers.get('x-license-revision')),
    )
    expect((await getLicense(member.tenantHeaders, 'check', { applicationId: application })).body).toEqual(UNLICENSED)
    expect(await readLicenseHolders(owner.tenantHeaders, application)).toEqual({ users: [], count: 0 })
    expect(await quantities()).toEqual([2, 0, 2])

    const again = await revokeSeat(owner.tenantHeaders, { userId: member.userId, applicationId: application })
    expect(again.status).toBe(404)
    expect(again.body).toEqual(errorBody(404, 'LICENSE_NOT_FOUND'))
  })

  test('is refused for a user with a seat, also of another type, also without available seats', async () => {
    await grantSeat(owner.tenantHeaders, seatRequest(member.userId))
    for (const licenseTypeId of [pro.id, unsold.id, lapsed.id]) {
      const { status, body } = await grantSeat(owner.tenantHeaders, seatRequest(member.userId, { licenseTypeId }))
      expect(status).toBe(400)
      expect(body).toEqual(errorBody(400, 'ALREADY_LICENSED'))
    }
    expect((await grantSeat(owner.tenantHeaders, seatRequest(second.userId))).status).toBe(201)
    expect(await quantities()).toEqual([2, 2, 0])
    const full = await grantSeat(owner.tenantHeaders, seatRequest(owner.userId))
    expect(full.status).toBe(400)
    expect(full.body).toEqual(errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }))
    expect((await grantSeat(owner.tenantHeaders, seatRequest(member.userId))).body).toEqual(
      errorBody(400, 'ALREADY_LICENSED'),
    )
    expect(await quantities()).toEqual([2, 2, 0])

    await revokeSeat(owner.tenantHeaders, { userId: second.userId, applicationId: application })
    expect((await grantSeat(owner.tenantHeaders, seatRequest(owner.userId))).status).toBe(201)
    for (const { userId } of [owner, member]) {
      expect((await revokeSeat(owner.tenantHeaders, { userId, applicationId: application })).status).toBe(200)
    }
    expect(await quantities()).toEqual([2, 0, 2])
  })

  test('can be made by a machine', async () => {
    const machine = await newMachineHeaders(application, ['licenses:write'], tenant.id)
    expect((await grantSeat(machine, seatRequest(second.userId))).status).toBe(201)
    expect((await revokeSeat(machine, seatRequest(second.userId))).status).toBe(200)
  })

  test('of an archived type is allowed with an existing subscription', async () => {
    const archived = await newTenantWithSeats(1)
    await callLicensing('PATCH', `/license-types/${archived.pro.id}`, { status: 'ARCHIVED' })
    const { status } = await grantSeat(archived.owner.tenantHeaders, {
      userId: archived.owner.userId,
      applicationId: archived.application,
      licenseTypeId: archived.pro.id,
    })
    expect(status).toBe(201)
    expect(await hasLicense(archived.owner.tenantHeaders, archived.owner.userId, archived.application)).toBe(true)
  })

  test('ignores unknown fields', async () => {
    const extra = { id: randomUUID(), assignedAt: inDays(-9), tenantId: outsider.tenant.id, status: 'PARKED' }
    const { status, body } = await grantSeat(owner.tenantHeaders, seatRequest(second.userId, extra))
    expect(status).toBe(201)
    expect(body.id).not.toBe(extra.id)
    expect(Date.parse(body.assignedAt)).toBeGreaterThan(Date.now() - 60_000)
    expect(await hasLicense(owner.tenantHeaders, second.userId, application)).toBe(true)
    await revokeSeat(owner.tenantHeaders, seatRequest(second.userId))
  })
})

test('a dormant seat is replaced by a grant of another type', async () => {
  const fixture = await newTenantWithSeats(1)
  const licenseQuery = { userId: fixture.owner.userId, applicationId: fixture.application }
  expect(
    (await grantSeat(fixture.owner.tenantHeaders, { ...licenseQuery, licenseTypeId: fixture.pro.id })).status,
  ).toBe(201)
  expect((await changeSubscription(fixture.subscription.id, { status: 'EXPIRED' })).status).toBe(200)
  expect(await hasLicense(fixture.owner.tenantHeaders, licenseQuery.userId, licenseQuery.applicationId)).toBe(false)
  const dormant = await grantSeat(fixture.owner.tenantHeaders, {
    ...licenseQuery,
    licenseTypeId: fixture.pro.id,
  })
  expect(dormant.body).toEqual(errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'SUBSCRIPTION_INACTIVE' } }))
  const max = await newLicenseType(fixture.application, { name: 'Max' })
  await newSubscription(fixture.tenant.id, max.id, { quantityPurchased: 1 })
  expect((await grantSeat(fixture.owner.tenantHeaders, { ...licenseQuery, licenseTypeId: max.id })).status).toBe(201)
  const shown = await getLicense(fixture.owner.tenantHeaders, 'type', { applicationId: fixture.application })
  expect(shown.body).toEqual({ licenseType: max.slug })
  await changeSubscription(fixture.subscription.id, { status: 'ACTIVE' })
  expect((await getLicense(fixture.owner.tenantHeaders, 'type', { applicationId: fixture.application })).body).toEqual({
    licenseType: max.slug,
  })
  expect((await listSubscriptions(fixture.tenant.id)).map((one) => one.quantityAssigned).sort()).toEqual([0, 1])
})
