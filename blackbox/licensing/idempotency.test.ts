import { expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  type Assignment,
  getOperatorHeaders,
  grantSeat,
  type Headers,
  hasLicense,
  LICENSES,
  LICENSING,
  newLicenseType,
  newMachineHeaders,
  newSubscription,
  newTenantMember,
  newTenantWithSeats,
  readLicenseHolders,
  revokeSeat,
  toTenantMember,
} from '../support/licensing.ts'
import { unique } from '../support/service.ts'
import { listMembers, newTenant } from '../support/tenants.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats(3)
const [member, colleague] = await Promise.all([
  newTenantMember({ tenant, owner }),
  newTenantMember({ tenant, owner }, 'admin'),
])

const seatRequest = (userId = member.userId, fields: object = {}) => ({
  userId,
  applicationId: application,
  licenseTypeId: pro.id,
  ...fields,
})
const newKey = () => ({ 'idempotency-key': unique('key') })
const clear = (userId = member.userId) => revokeSeat(owner.tenantHeaders, { userId, applicationId: application })

test('a repeated grant with the same key has the same response and is done once', async () => {
  const key = newKey()
  const first = await grantSeat(owner.tenantHeaders, seatRequest(), key)
  const second = await grantSeat(owner.tenantHeaders, seatRequest(), key)
  expect(first.status).toBe(201)
  expect(second.status).toBe(201)
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect((await readLicenseHolders(owner.tenantHeaders, application)).count).toBe(1)
  await clear()
  // The first response is repeated, independent of later changes.
  expect((await grantSeat(owner.tenantHeaders, seatRequest(), key)).body).toEqual(first.body)
  expect(await hasLicense(owner.tenantHeaders, member.userId, application)).toBe(false)
})

test('the repeated response of a grant has a revision that includes it', async () => {
  const key = newKey()
  const first = await grantSeat(owner.tenantHeaders, seatRequest(), key)
  const second = await grantSeat(owner.tenantHeaders, seatRequest(), key)
  await clear()
  const revision = Number(first.headers.get('x-license-revision'))
  expect(revision).toBeGreaterThan(0)
  expect(Number(second.headers.get('x-license-revision'))).toBeGreaterThanOrEqual(revision)
})

test('an error is repeated too', async () => {
  const key = newKey()
  await grantSeat(owner.tenantHeaders, seatRequest())
  const refused = await grantSeat(owner.tenantHeaders, seatRequest(), key)
  expect(refused.body).toEqual(errorBody(400, 'ALREADY_LICENSED'))
  await clear()
  const again = await grantSeat(owner.tenantHeaders, seatRequest(), key)
  expect(again.status).toBe(400)
  expect(again.body).toEqual(errorBody(400, 'ALREADY_LICENSED'))
  expect(await hasLicense(owner.tenantHeaders, member.userId, application)).toBe(false)
})

test('the same key with another body is refused without effect', async () => {
  const key = newKey()
  expect((await grantSeat(owner.tenantHeaders, seatRequest(), key)).status).toBe(201)
  for (const body of [seatRequest(colleague.userId), seatRequest(member.userId, { licenseTypeId: 'x' }), {}]) {
    const { status, body: response } = await grantSeat(owner.tenantHeaders, body, key)
    expect(status).toBe(422)
    expect(response).toEqual(errorBody(422, 'IDEMPOTENCY_KEY_REUSED'))
  }
  expect(await hasLicense(owner.tenantHeaders, colleague.userId, application)).toBe(false)
  await clear()
})

test('concurrent requests with one key have the same response', async () => {
  const key = newKey()
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => grantSeat(owner.tenantHeaders, seatRequest(), key)),
  )
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201))
  expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
  await clear()
})

test('a key belongs to its caller', async () => {
  const key = newKey()
  const machine = await newMachineHeaders(application, ['licenses:write'], tenant.id)
  expect((await grantSeat(owner.tenantHeaders, seatRequest(), key)).status).toBe(201)
  for (const headers of [colleague.tenantHeaders, machine]) {
    expect((await grantSeat(headers, seatRequest(), key)).body).toEqual(errorBody(400, 'ALREADY_LICENSED'))
  }
  await clear()
})

test('a caller who has lost the permission is refused, even with a used key', async () => {
  const former = await newTenantMember({ tenant, owner }, 'admin')
  const key = newKey()
  expect((await grantSeat(former.tenantHeaders, seatRequest(), key)).status).toBe(201)
  const path = `/api/tenants/${tenant.id}/members/${former.membershipId}`
  await call('PATCH', path, { headers: owner.headers, body: { role: 'member' } })
  const { status, body } = await grantSeat(former.tenantHeaders, seatRequest(), key)
  expect(status).toBe(403)
  expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
  await clear()
})

test('a key that was used in one tenant is not valid for another', async () => {
  const second = await newTenant(owner.headers)
  await newSubscription(second.id, pro.id, { quantityPurchased: 1 })
  const { members } = await listMembers(owner.headers, second.id)
  const secondMembership = await toTenantMember({ ...owner, membershipId: members[0]?.id ?? '' }, second)
  const key = newKey()
  const first = await grantSeat(owner.tenantHeaders, seatRequest(owner.userId), key)
  expect(first.status).toBe(201)
  const other = await grantSeat(secondMembership.tenantHeaders, seatRequest(owner.userId), key)
  // Either the grant is done, or the key is refused. The response of the other tenant is never repeated.
  if (other.status === 201)
    expect(await hasLicense(secondMembership.tenantHeaders, owner.userId, application)).toBe(true)
  else expect(other.body).toEqual(errorBody(422, 'IDEMPOTENCY_KEY_REUSED'))
  await clear(owner.userId)
})

test.each([
  ['empty', ''],
  ['too long', 'k'.repeat(256)],
])('a key that is %s is refused', async (_, key) => {
  const { status, body } = await grantSeat(owner.tenantHeaders, seatRequest(), { 'idempotency-key': key })
  expect(status).toBe(422)
  expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'Idempotency-Key' }] })
})

test('bulk grants and bulk revocations can be repeated with their key', async () => {
  const send = (path: string, body: object, key: Headers) =>
    call<{ results: { license?: Assignment }[] }>('POST', `${LICENSES}/${path}`, {
      headers: { ...owner.tenantHeaders, ...key },
      body,
    })
  const keys = [newKey(), newKey()] as const
  const granted = await send('grant/bulk', { grants: [seatRequest()] }, keys[0])
  const grantedAgain = await send('grant/bulk', { grants: [seatRequest()] }, keys[0])
  expect(granted.body).toMatchObject({ done: 1, failed: 0 })
  expect(grantedAgain.body).toEqual(granted.body)
  const body = { revocations: [{ userId: member.userId, applicationId: application }] }
  const revoked = await send('revoke/bulk', body, keys[1])
  expect(revoked.body).toMatchObject({ done: 1, failed: 0 })
  expect((await send('revoke/bulk', body, keys[1])).body).toEqual(revoked.body)
  const other = await send('revoke/bulk', { revocations: [...body.revocations, ...body.revocations] }, keys[1])
  expect(other.body).toEqual(errorBody(422, 'IDEMPOTENCY_KEY_REUSED'))
})

test('a repeated creation of a subscription with the same key creates one', async () => {
  const type = await newLicenseType(application)
  const headers = { ...(await getOperatorHeaders()), ...newKey() }
  const path = `${LICENSING}/tenants/${tenant.id}/subscriptions`
  const sell = (quantityPurchased: number) =>
    call('POST', path, { headers, body: { licenseTypeId: type.id, quantityPurchased } })
  const first = await sell(2)
  expect(first.status).toBe(201)
  expect(await sell(2)).toMatchObject({ status: 201, body: first.body })
  expect((await sell(3)).body).toEqual(errorBody(422, 'IDEMPOTENCY_KEY_REUSED'))
})
