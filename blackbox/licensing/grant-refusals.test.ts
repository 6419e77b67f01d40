import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import { newAddress } from '../support/invitations.ts'
import {
  change,
  grant,
  type Headers,
  hasLicense,
  inDays,
  LICENSES,
  listSubscriptions,
  newInside,
  newLicensedApplication,
  newMachineHeaders,
  newSeats,
  newSubscription,
  newTenantInside,
  newType,
  revoke,
} from '../support/licensing.ts'
import { invite, listMembers, newMember } from '../support/tenants.ts'

const { application, tenant, owner, pro } = await newSeats(2)
const [member, suspended, outsider, unsold, lapsed, elsewhere] = await Promise.all([
  newInside({ tenant, owner }),
  newMember(owner.headers, tenant.id),
  newTenantInside(),
  newType(application, { name: 'Unsold' }),
  newType(application, { name: 'Lapsed' }),
  newLicensedApplication().then((id) => newType(id)),
])
await newSubscription(tenant.id, lapsed.id, { currentPeriodEnd: inDays(-1) })
await invite(owner.headers, tenant.id, { email: newAddress() })
const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED')
const invited = members[0]?.userId ?? ''
await call('PATCH', `/api/tenants/${tenant.id}/members/${suspended.membershipId}`, {
  headers: owner.headers,
  body: { status: 'SUSPENDED' },
})

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

describe('the reasons against a grant are told in one order', () => {
  // Each row cures the problem that the row before was refused for, and keeps all those that come after it.
  const nobody = randomUUID()
  const REASONS: [string, () => object, number, string, object?][] = [
    ['a missing type', () => ({ userId: nobody, applicationId: 'x' }), 422, 'VALIDATION_FAILED'],
    [
      'no application',
      () => wish(nobody, { applicationId: 'x', licenseTypeId: 'x' }),
      400,
      'INVALID_APPLICATION_ID',
    ],
    ['an unknown type', () => wish(nobody, { licenseTypeId: randomUUID() }), 404, 'LICENSE_TYPE_NOT_FOUND'],
    ['no type', () => wish(nobody, { licenseTypeId: 'x' }), 404, 'LICENSE_TYPE_NOT_FOUND'],
    [
      'another application’s type',
      () => wish(nobody, { licenseTypeId: elsewhere.id }),
      404,
      'LICENSE_TYPE_NOT_FOUND',
    ],
    ['nobody', () => wish(nobody, { licenseTypeId: unsold.id }), 404, 'USER_NOT_FOUND'],
    ['no id of a person', () => wish('x', { licenseTypeId: unsold.id }), 404, 'USER_NOT_FOUND'],
    [
      'another tenant’s',
      () => wish(outsider.owner.userId, { licenseTypeId: unsold.id }),
      404,
      'USER_NOT_FOUND',
    ],
    ['an invited', () => wish(invited, { licenseTypeId: unsold.id }), 400, 'MEMBER_NOT_ACTIVE'],
    ['a suspended', () => wish(suspended.userId, { licenseTypeId: unsold.id }), 400, 'MEMBER_NOT_ACTIVE'],
    [
      'no subscription',
      () => wish(member.userId, { licenseTypeId: unsold.id }),
      400,
      'NO_SEATS_AVAILABLE',
      { details: { reason: 'NO_SUBSCRIPTION' } },
    ],
    [
      'a lapsed subscription',
      () => wish(member.userId, { licenseTypeId: lapsed.id }),
      400,
      'NO_SEATS_AVAILABLE',
      { details: { reason: 'SUBSCRIPTION_INACTIVE' } },
    ],
  ]

  test.each(REASONS)('%s', async (_, body, status, error, more = {}) => {
    const answer = await grant(owner.inside, body())
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual(
      refusal(status, error, { ...(status === 422 && { details: expect.any(Array) }), ...more }),
    )
    expect(answer.headers.get('x-license-revision')).toBeNull()
    expect(await quantities()).toEqual([2, 0, 2])
  })

  test('without the right nobody hears of any other, and without a token of nothing', async () => {
    for (const body of [...REASONS.map(([, make]) => make()), {}, [], 'text', 7]) {
      const refused = await grant(member.inside, body)
      expect(refused.status).toBe(403)
      expect(refused.body).toEqual(refusal(403, 'FORBIDDEN'))
      const unknown = await grant({}, body)
      expect(unknown.status).toBe(401)
      expect(unknown.body).toEqual(refusal(401, 'UNAUTHORIZED'))
    }
  })

  test.each([
    ['a missing application', { applicationId: undefined }, 400, 'INVALID_APPLICATION_ID'],
    ['an unknown application', { applicationId: randomUUID() }, 400, 'INVALID_APPLICATION_ID'],
    ['an application that is a number', { applicationId: 7 }, 400, 'INVALID_APPLICATION_ID'],
    ['a type that is a number', { licenseTypeId: 7 }, 422, 'VALIDATION_FAILED'],
    ['a type that is null', { licenseTypeId: null }, 422, 'VALIDATION_FAILED'],
    ['a person who is a number', { userId: 7 }, 422, 'VALIDATION_FAILED'],
    ['a person who is a list', { userId: [member.userId] }, 422, 'VALIDATION_FAILED'],
  ])('%s is refused', async (_, fields, status, error) => {
    const answer = await grant(owner.inside, wish(member.userId, fields))
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({ statusCode: status, error })
  })
})

describe('a revocation', () => {
  test.each([
    ['an unknown application', { applicationId: randomUUID() }, 400, 'INVALID_APPLICATION_ID'],
    ['a malformed application', { applicationId: 'x' }, 400, 'INVALID_APPLICATION_ID'],
    ['no application', { applicationId: undefined }, 400, 'INVALID_APPLICATION_ID'],
    [
      'an unknown person and application',
      { userId: randomUUID(), applicationId: 'x' },
      400,
      'INVALID_APPLICATION_ID',
    ],
    ['an unlicensed member', {}, 404, 'LICENSE_NOT_FOUND'],
    ['an unknown person', { userId: randomUUID() }, 404, 'LICENSE_NOT_FOUND'],
    ['no id of a person', { userId: 'x' }, 404, 'LICENSE_NOT_FOUND'],
    ['somebody of another tenant', { userId: outsider.owner.userId }, 404, 'LICENSE_NOT_FOUND'],
    ['an invited person', { userId: invited }, 404, 'LICENSE_NOT_FOUND'],
    ['a suspended person', { userId: suspended.userId }, 404, 'LICENSE_NOT_FOUND'],
  ])('is refused for %s', async (_, fields, status, error) => {
    const answer = await revoke(owner.inside, {
      userId: member.userId,
      applicationId: application,
      ...fields,
    })
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual(refusal(status, error))
  })
})

describe('who a change is about must be named: nobody takes, loses or changes a seat by default (T149)', () => {
  const unnamed = { applicationId: application, licenseTypeId: pro.id }
  const expectUnnamed = async (headers: Headers, body: object) => {
    for (const send of [grant, change, revoke]) {
      const answer = await send(headers, body)
      expect(answer.status, send.name).toBe(422)
      expect(answer.body).toEqual(
        refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'userId', message: expect.any(String) }] }),
      )
      expect(answer.headers.get('x-license-revision')).toBeNull()
    }
  }

  test('by an owner who holds no seat', async () => {
    await expectUnnamed(owner.inside, unnamed)
    // The field comes before the application, like every other that is missing.
    await expectUnnamed(owner.inside, { ...unnamed, applicationId: 'x' })
    expect(await hasLicense(owner.inside, owner.userId, application)).toBe(false)
  })

  test('by an owner who holds one', async () => {
    expect((await grant(owner.inside, wish(owner.userId))).status).toBe(201)
    await expectUnnamed(owner.inside, unnamed)
    expect(await hasLicense(owner.inside, owner.userId, application)).toBe(true)
    expect((await revoke(owner.inside, wish(owner.userId))).status).toBe(200)
  })

  test('by a machine', async () => {
    await expectUnnamed(await newMachineHeaders(application, ['licenses:write'], tenant.id), unnamed)
  })

  test('in a row of many', async () => {
    const send = (path: string, body: object) =>
      call('POST', `${LICENSES}/${path}/bulk`, { headers: owner.inside, body })
    for (const answer of [
      await send('grant', { grants: [wish(member.userId), unnamed] }),
      await send('revoke', { revocations: [{ applicationId: application }] }),
    ]) {
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({ error: 'VALIDATION_FAILED' })
    }
    expect(await hasLicense(owner.inside, member.userId, application)).toBe(false)
  })
})
