import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  changeSeat,
  getLicense,
  grantSeat,
  type Headers,
  hasLicense,
  LICENSES,
  newMachineHeaders,
  newSubscription,
  newTenantWithOwner,
  newTenantWithSeats,
  postLicense,
  readLedger,
  readLicenseHolders,
  revokeSeat,
  UNLICENSED,
} from '../support/licensing.ts'

/** Two tenants with seats of the same application. The owner of the other one has a seat. */
const { application, tenant, owner, pro } = await newTenantWithSeats(2)
const other = await newTenantWithOwner()
await newSubscription(other.tenant.id, pro.id, { quantityPurchased: 2 })
const seatRequest = { userId: other.owner.userId, applicationId: application, licenseTypeId: pro.id }
await grantSeat(other.owner.tenantHeaders, seatRequest)
const machine = await newMachineHeaders(application, ['licenses:read', 'licenses:write'], tenant.id)

const NAMES = ['tenantId', 'tenant', 'tenant_id', 'tenantSlug', 'tenant_slug', 'X-Tenant-Id']
const ELSEWHERE: Record<string, string> = Object.fromEntries(
  NAMES.map((name) => [name, /slug|^tenant$/i.test(name) ? other.tenant.slug : other.tenant.id]),
)
const HEADERS: Headers = {
  'x-tenant-id': other.tenant.id,
  'x-tenant': other.tenant.slug,
  'tenant-id': other.tenant.id,
  'x-latchkey-tenant': other.tenant.id,
  'x-forwarded-host': `${other.tenant.slug}.localhost`,
}

describe.each([
  ['an owner', owner.tenantHeaders],
  ['a machine', machine],
])('%s of one tenant', (_, inside) => {
  const everywhere = { ...inside, ...HEADERS }
  const licenseQuery = { userId: other.owner.userId, applicationId: application }

  test('cannot read data of another, with any parameter', async () => {
    const asked = { ...licenseQuery, ...ELSEWHERE, featureKey: 'reports' }
    expect((await getLicense(everywhere, 'check', asked)).body).toEqual(UNLICENSED)
    expect((await postLicense(everywhere, 'check', { body: asked })).body).toEqual(UNLICENSED)
    expect((await postLicense(everywhere, 'check', { body: asked, query: ELSEWHERE })).body).toEqual(UNLICENSED)
    expect((await getLicense(everywhere, 'feature', asked)).body).toEqual({ hasFeature: false })
    expect((await postLicense(everywhere, 'feature', { body: asked })).body).toEqual({ hasFeature: false })
    expect((await getLicense(everywhere, 'type', asked)).body).toEqual({ licenseType: null })
    expect((await getLicense(everywhere, 'explain', asked)).body).toMatchObject({ decidedBy: 'MEMBERSHIP' })
    const query = new URLSearchParams(ELSEWHERE)
    for (const [list, empty] of [
      ['users', []],
      ['count', { count: 0 }],
    ]) {
      const path = `${LICENSES}/apps/${application}/${list}?${query}`
      expect((await call('GET', path, { headers: everywhere })).body).toEqual(empty)
    }
  })

  test('cannot change data of another, with any parameter', async () => {
    const before = await readLedger(other.tenant.id)
    const named = { ...seatRequest, ...ELSEWHERE }
    expect((await grantSeat(everywhere, named)).body).toEqual(errorBody(404, 'USER_NOT_FOUND'))
    expect((await revokeSeat(everywhere, named)).body).toEqual(errorBody(404, 'LICENSE_NOT_FOUND'))
    expect((await changeSeat(everywhere, named)).body).toEqual(errorBody(404, 'LICENSE_NOT_FOUND'))
    for (const [path, body] of [
      ['grant', { grants: [named], ...ELSEWHERE }],
      ['revoke', { revocations: [named], ...ELSEWHERE }],
    ] as const) {
      const response = await call('POST', `${LICENSES}/${path}/bulk`, { headers: everywhere, body })
      expect(response.body).toMatchObject({ done: 0, failed: 1, results: [{ statusCode: 404 }] })
    }
    expect(await readLedger(other.tenant.id)).toEqual(before)
    expect(await hasLicense(other.owner.tenantHeaders, other.owner.userId, application)).toBe(true)
  })

  test('grants seats of its own tenant only, with any parameter', async () => {
    const named = { ...seatRequest, ...ELSEWHERE, userId: owner.userId }
    expect((await grantSeat(everywhere, named)).status).toBe(201)
    expect((await readLicenseHolders(inside, application)).users.map(({ userId }) => userId)).toEqual([owner.userId])
    expect((await readLicenseHolders(other.owner.tenantHeaders, application)).count).toBe(1)
    expect((await revokeSeat(everywhere, named)).status).toBe(200)
  })

  test('cannot distinguish a user of another tenant from an unknown user', async () => {
    const bodies = async (userId: string) => {
      const someone = { ...seatRequest, userId }
      const responses = [
        await getLicense(inside, 'check', { userId, applicationId: application }),
        await getLicense(inside, 'type', { userId, applicationId: application }),
        await getLicense(inside, 'feature', { userId, applicationId: application, featureKey: 'reports' }),
        await getLicense(inside, 'explain', { userId, applicationId: application }),
        await grantSeat(inside, someone),
        await changeSeat(inside, someone),
        await revokeSeat(inside, someone),
      ]
      return responses.map(({ status, body }) => ({ status, body: { ...body, requestId: undefined } }))
    }
    const ofNobody = await bodies(randomUUID())
    expect(await bodies(other.owner.userId)).toEqual(ofNobody)
    expect(await bodies('no-id')).toEqual(ofNobody)
  })
})

test('the seats of two tenants are counted separately', async () => {
  const { pro, tenant, owner, application } = await newTenantWithSeats(0)
  const rich = await newTenantWithOwner()
  await newSubscription(rich.tenant.id, pro.id, { quantityPurchased: 100 })
  const seatRequest = {
    userId: owner.userId,
    applicationId: application,
    licenseTypeId: pro.id,
    tenantId: rich.tenant.id,
  }
  expect((await grantSeat(owner.tenantHeaders, seatRequest)).body).toEqual(
    errorBody(400, 'NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } }),
  )
  expect((await readLedger(tenant.id)).entries).toHaveLength(1)
})
