import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import { newAddress } from '../support/invitations.ts'
import {
  changeSeat,
  grantSeat,
  type Headers,
  hasLicense,
  inDays,
  LICENSES,
  listSubscriptions,
  newLicensedApplication,
  newLicenseType,
  newMachineHeaders,
  newSubscription,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
  revokeSeat,
} from '../support/licensing.ts'
import { invite, listMembers, newMember } from '../support/tenants.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats(2)
const [member, suspended, outsider, unsold, lapsed, elsewhere] = await Promise.all([
  newTenantMember({ tenant, owner }),
  newMember(owner.headers, tenant.id),
  newTenantWithOwner(),
  newLicenseType(application, { name: 'Unsold' }),
  newLicenseType(application, { name: 'Lapsed' }),
  newLicensedApplication().then((id) => newLicenseType(id)),
])
await newSubscription(tenant.id, lapsed.id, { currentPeriodEnd: inDays(-1) })
await invite(owner.headers, tenant.id, { email: newAddress() })
const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED')
const invited = members[0]?.userId ?? ''
await call('PATCH', `/api/tenants/${tenant.id}/members/${suspended.membershipId}`, {
  headers: owner.headers,
  body: { status: 'SUSPENDED' },
})

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

describe('errors of a grant have a fixed order', () => {
  // Each row fixes the error of the previous row and keeps those of the following rows.
  const unknownUserId = randomUUID()
  const REASONS: [string, () => object, number, string, object?][] = [
    ['a missing type', () => ({ userId: unknownUserId, applicationId: 'x' }), 422, 'VALIDATION_FAILED'],
    [
      'an invalid application id',
      () => seatRequest(unknownUserId, { applicationId: 'x', licenseTypeId: 'x' }),
      400,
      'INVALID_APPLICATION_ID',
    ],
    [
      'an unknown type',
      () => seatRequest(unknownUserId, { licenseTypeId: randomUUID() }),
      404,
      'LICENSE_TYPE_NOT_FOUND',
    ],
    ['an invalid type id', () => seatRequest(unknownUserId, { licenseTypeId: 'x' }), 404, 'LICENSE_TYPE_NOT_FOUND'],
    [
      'another application’s type',
      () => seatRequest(unknownUserId, { licenseTypeId: elsewhere.id }),
      404,
      'LICENSE_TYPE_NOT_FOUND',
    ],
    ['an unknown user', () => seatRequest(unknownUserId, { licenseTypeId: unsold.id }), 404, 'USER_NOT_FOUND'],
    ['an invalid user id', () => seatRequest('x', { licenseTypeId: unsold.id }), 404, 'USER_NOT_FOUND'],
    ['another tenant’s', () => seatRequest(outsider.owner.userId, { licenseTypeId: unsold.id }), 404, 'USER_NOT_FOUND'],
    ['an INVITED member', () => seatRequest(invited, { licenseTypeId: unsold.id }), 400, 'MEMBER_NOT_ACTIVE'],
    ['a suspended', () => seatRequest(suspended.userId, { licenseTypeId: unsold.id }), 400, 'MEMBER_NOT_ACTIVE'],
    [
      'no subscription',
      () => seatRequest(member.userId, { licenseTypeId: unsold.id }),
      400,
      'NO_SEATS_AVAILABLE',
      { details: { reason: 'NO_SUBSCRIPTION' } },
    ],
    [
      'a lapsed subscription',
      () => seatRequest(member.userId, { licenseTypeId: lapsed.id }),
      400,
      'NO_SEATS_AVAILABLE',
      { details: { reason: 'SUBSCRIPTION_INACTIVE' } },
    ],
  ]

  test.each(REASONS)('%s', async (_, body, status, error, more = {}) => {
    const response = await grantSeat(owner.tenantHeaders, body())
    expect(response.status).toBe(status)
    expect(response.body).toEqual(
      errorBody(status, error, { ...(status === 422 && { details: expect.any(Array) }), ...more }),
    )
    expect(response.headers.get('x-license-revision')).toBeNull()
    expect(await quantities()).toEqual([2, 0, 2])
  })

  test('missing permissions come before other errors, and missing authentication before all', async () => {
    for (const body of [...REASONS.map(([, make]) => make()), {}, [], 'text', 7]) {
      const refused = await grantSeat(member.tenantHeaders, body)
      expect(refused.status).toBe(403)
      expect(refused.body).toEqual(errorBody(403, 'FORBIDDEN'))
      const unknown = await grantSeat({}, body)
      expect(unknown.status).toBe(401)
      expect(unknown.body).toEqual(errorBody(401, 'UNAUTHORIZED'))
    }
  })

  test.each([
    ['a missing application', { applicationId: undefined }, 400, 'INVALID_APPLICATION_ID'],
    ['an unknown application', { applicationId: randomUUID() }, 400, 'INVALID_APPLICATION_ID'],
    ['an application that is a number', { applicationId: 7 }, 400, 'INVALID_APPLICATION_ID'],
    ['a type that is a number', { licenseTypeId: 7 }, 422, 'VALIDATION_FAILED'],
    ['a type that is null', { licenseTypeId: null }, 422, 'VALIDATION_FAILED'],
    ['a userId that is a number', { userId: 7 }, 422, 'VALIDATION_FAILED'],
    ['a userId that is a list', { userId: [member.userId] }, 422, 'VALIDATION_FAILED'],
  ])('%s is refused', async (_, fields, status, error) => {
    const response = await grantSeat(owner.tenantHeaders, seatRequest(member.userId, fields))
    expect(response.status).toBe(status)
    expect(response.body).toMatchObject({ statusCode: status, error })
  })
})

describe('a revocation', () => {
  test.each([
    ['an unknown application', { applicationId: randomUUID() }, 400, 'INVALID_APPLICATION_ID'],
    ['a malformed application', { applicationId: 'x' }, 400, 'INVALID_APPLICATION_ID'],
    ['a missing application id', { applicationId: undefined }, 400, 'INVALID_APPLICATION_ID'],
    ['an unknown person and application', { userId: randomUUID(), applicationId: 'x' }, 400, 'INVALID_APPLICATION_ID'],
    ['an unlicensed member', {}, 404, 'LICENSE_NOT_FOUND'],
    ['an unknown person', { userId: randomUUID() }, 404, 'LICENSE_NOT_FOUND'],
    ['an invalid user id', { userId: 'x' }, 404, 'LICENSE_NOT_FOUND'],
    ['a user of another tenant', { userId: outsider.owner.userId }, 404, 'LICENSE_NOT_FOUND'],
    ['an invited person', { userId: invited }, 404, 'LICENSE_NOT_FOUND'],
    ['a suspended person', { userId: suspended.userId }, 404, 'LICENSE_NOT_FOUND'],
  ])('is refused for %s', async (_, fields, status, error) => {
    const response = await revokeSeat(owner.tenantHeaders, {
      userId: member.userId,
      applicationId: application,
      ...fields,
    })
    expect(response.status).toBe(status)
    expect(response.body).toEqual(errorBody(status, error))
  })
})

describe('a userId is required: no seat of the caller is changed by default (T149)', () => {
  const unnamed = { applicationId: application, licenseTypeId: pro.id }
  const expectUnnamed = async (headers: Headers, body: object) => {
    for (const send of [grantSeat, changeSeat, revokeSeat]) {
      const response = await send(headers, body)
      expect(response.status, send.name).toBe(422)
      expect(response.body).toEqual(
        errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'userId', message: expect.any(String) }] }),
      )
      expect(response.headers.get('x-license-revision')).toBeNull()
    }
  }

  test('for an owner without a seat', async () => {
    await expectUnnamed(owner.tenantHeaders, unnamed)
    // The field is checked before the application, like every missing field.
    await expectUnnamed(owner.tenantHeaders, { ...unnamed, applicationId: 'x' })
    expect(await hasLicense(owner.tenantHeaders, owner.userId, application)).toBe(false)
  })

  test('for an owner with a seat', async () => {
    expect((await grantSeat(owner.tenantHeaders, seatRequest(owner.userId))).status).toBe(201)
    await expectUnnamed(owner.tenantHeaders, unnamed)
    expect(await hasLicense(owner.tenantHeaders, owner.userId, application)).toBe(true)
    expect((await revokeSeat(owner.tenantHeaders, seatRequest(owner.userId))).status).toBe(200)
  })

  test('for a machine', async () => {
    await expectUnnamed(await newMachineHeaders(application, ['licenses:write'], tenant.id), unnamed)
  })

  test('in a bulk row', async () => {
    const send = (path: string, body: object) =>
      call('POST', `${LICENSES}/${path}/bulk`, { headers: owner.tenantHeaders, body })
    for (const response of [
      await send('grant', { grants: [seatRequest(member.userId), unnamed] }),
      await send('revoke', { revocations: [{ applicationId: application }] }),
    ]) {
      expect(response.status).toBe(422)
      expect(response.body).toMatchObject({ error: 'VALIDATION_FAILED' })
    }
    expect(await hasLicense(owner.tenantHeaders, member.userId, application)).toBe(false)
  })
})
