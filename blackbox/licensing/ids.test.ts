import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  changeSeat,
  getLicense,
  getOperatorHeaders,
  grantSeat,
  type Headers,
  hasLicense,
  LICENSES,
  LICENSING,
  listSubscriptions,
  newMachineHeaders,
  newTenantMember,
  newTenantWithSeats,
  revokeSeat,
  UNLICENSED,
} from '../support/licensing.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats()
const ops = await getOperatorHeaders()

/** Invalid ids, URL-encoded. */
const INVALID_IDS: [string, string][] = [
  ['a number', '1'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['a quote', "'"],
  ['an SQL fragment', "'%20or%20'1'='1"],
  ['5 KB', 'a'.repeat(5_000)],
  ['a path traversal', '..%2f'],
  ['a percent sign', '%25'],
  ['a star', '*'],
  ['the name of an object property', '__proto__'],
  ['an emoji', '%F0%9F%9A%80'],
  ['braces around an id', `%7B${randomUUID()}%7D`],
  ['an id without its hyphens', randomUUID().replaceAll('-', '')],
  ['an id and a space', `${application}%20`],
  ['an unknown id', randomUUID()],
  ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
]

const expectRefused = async (
  [method, path, body]: [string, string, object?],
  headers: Headers,
  [status, code]: [number, string],
) => {
  const response = await call(method, path, { headers, body })
  expect(response.status, path.slice(0, 100)).toBe(status)
  expect(response.body, path.slice(0, 100)).toEqual(errorBody(status, code))
}

describe.each(INVALID_IDS)('%s', (_, written) => {
  const id = decodeURIComponent(written)

  test('is not a tenant', async () => {
    const subscription = { licenseTypeId: pro.id, quantityPurchased: 1 }
    for (const route of [
      ['GET', `${LICENSING}/tenants/${written}/license-overview`],
      ['GET', `${LICENSING}/tenants/${written}/subscriptions`],
      ['GET', `${LICENSING}/tenants/${written}/ledger`],
      ['POST', `${LICENSING}/tenants/${written}/subscriptions`, subscription],
    ] as [string, string, object?][]) {
      await expectRefused(route, ops, [404, 'TENANT_NOT_FOUND'])
    }
  })

  test('is not a subscription', () =>
    expectRefused(['PATCH', `${LICENSING}/subscriptions/${written}`, { quantityPurchased: 1 }], ops, [
      404,
      'SUBSCRIPTION_NOT_FOUND',
    ]))

  test('is not a license type', async () => {
    await expectRefused(['PATCH', `${LICENSING}/license-types/${written}`, { name: 'Other' }], ops, [
      404,
      'LICENSE_TYPE_NOT_FOUND',
    ])
    const body = { licenseTypeId: id, quantityPurchased: 1 }
    const unsold = ['POST', `${LICENSING}/tenants/${tenant.id}/subscriptions`, body] as [string, string, object]
    await expectRefused(unsold, ops, [404, 'LICENSE_TYPE_NOT_FOUND'])
    const seatRequest = { userId: owner.userId, applicationId: application, licenseTypeId: id }
    for (const path of ['grant', 'change']) {
      await expectRefused(['POST', `${LICENSES}/${path}`, seatRequest], owner.tenantHeaders, [
        404,
        'LICENSE_TYPE_NOT_FOUND',
      ])
    }
  })

  test('is not an application', async () => {
    const fields = { userId: owner.userId, applicationId: id, licenseTypeId: pro.id }
    const query = `applicationId=${written}&featureKey=reports`
    for (const path of ['check', 'feature', 'type', 'explain']) {
      await expectRefused(['GET', `${LICENSES}/${path}?${query}`], owner.tenantHeaders, [400, 'INVALID_APPLICATION_ID'])
    }
    for (const path of ['check', 'feature', 'grant', 'change', 'revoke']) {
      const body = { ...fields, featureKey: 'reports' }
      await expectRefused(['POST', `${LICENSES}/${path}`, body], owner.tenantHeaders, [400, 'INVALID_APPLICATION_ID'])
    }
    for (const list of ['users', 'count']) {
      await expectRefused(['GET', `${LICENSES}/apps/${written}/${list}`], owner.tenantHeaders, [
        400,
        'INVALID_APPLICATION_ID',
      ])
    }
    await expectRefused(['GET', `${LICENSING}/license-types?applicationId=${written}`], ops, [
      400,
      'INVALID_APPLICATION_ID',
    ])
    const type = { applicationId: id, name: 'Pro', slug: 'pro' }
    await expectRefused(['POST', `${LICENSING}/license-types`, type], ops, [400, 'INVALID_APPLICATION_ID'])
  })

  test('is not a user', async () => {
    const licenseQuery = { userId: id, applicationId: application }
    expect((await getLicense(owner.tenantHeaders, 'check', licenseQuery)).body).toEqual(UNLICENSED)
    expect((await getLicense(owner.tenantHeaders, 'type', licenseQuery)).body).toEqual({ licenseType: null })
    const feature = await getLicense(owner.tenantHeaders, 'feature', {
      ...licenseQuery,
      featureKey: 'reports',
    })
    expect(feature.body).toEqual({ hasFeature: false })
    const explained = await getLicense(owner.tenantHeaders, 'explain', licenseQuery)
    expect(explained.body).toMatchObject({ hasLicense: false, decidedBy: 'MEMBERSHIP' })
    const granted = await grantSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: pro.id })
    expect(granted.body).toEqual(errorBody(404, 'USER_NOT_FOUND'))
    expect((await revokeSeat(owner.tenantHeaders, licenseQuery)).body).toEqual(errorBody(404, 'LICENSE_NOT_FOUND'))
  })
})

// PostgreSQL cannot store it, so such text is refused everywhere.
test('a zero character in an id is refused', async () => {
  const zero = `${application}\0`
  const seatRequest = { userId: owner.userId, applicationId: application, licenseTypeId: pro.id }
  for (const [path, body] of [
    ['check', { ...seatRequest, userId: zero }],
    ['check', { ...seatRequest, applicationId: zero }],
    ['feature', { ...seatRequest, featureKey: '\0' }],
    ['grant', { ...seatRequest, userId: zero }],
    ['grant', { ...seatRequest, licenseTypeId: zero }],
    ['revoke', { ...seatRequest, userId: zero }],
    ['change', { ...seatRequest, userId: zero }],
    ['grant/bulk', { grants: [{ ...seatRequest, userId: zero }] }],
  ] as const) {
    const { status } = await call('POST', `${LICENSES}/${path}`, { headers: owner.tenantHeaders, body })
    expect([400, 422], `${path} ${JSON.stringify(body)}`).toContain(status)
  }
  for (const path of ['check', 'feature', 'type', 'explain']) {
    const query = { ...seatRequest, userId: zero, featureKey: 'reports' }
    expect([400, 422], path).toContain((await getLicense(owner.tenantHeaders, path, query)).status)
  }
})

describe('an id in upper case is the same id', () => {
  const upperCaseId = application.toUpperCase()

  test('in license checks, also after a change', async () => {
    const member = await newTenantMember({ tenant, owner })
    const userId = member.userId.toUpperCase()
    const licenseQuery = { userId, applicationId: upperCaseId }
    expect((await getLicense(owner.tenantHeaders, 'check', licenseQuery)).body).toEqual(UNLICENSED)
    await grantSeat(owner.tenantHeaders, {
      userId: member.userId,
      applicationId: application,
      licenseTypeId: pro.id,
    })
    expect((await getLicense(owner.tenantHeaders, 'check', licenseQuery)).body).toMatchObject({
      hasLicense: true,
    })
    await revokeSeat(owner.tenantHeaders, { userId: member.userId, applicationId: application })
    expect((await getLicense(owner.tenantHeaders, 'check', licenseQuery)).body).toEqual(UNLICENSED)
  })

  test('in grants, changes and revocations', async () => {
    const fixture = await newTenantWithSeats(1)
    const licenseQuery = { userId: fixture.owner.userId, applicationId: fixture.application }
    const seatRequest = {
      userId: licenseQuery.userId.toUpperCase(),
      applicationId: fixture.application.toUpperCase(),
      licenseTypeId: fixture.pro.id.toUpperCase(),
    }
    const granted = await grantSeat(fixture.owner.tenantHeaders, seatRequest)
    expect(granted).toMatchObject({
      status: 201,
      body: { userId: licenseQuery.userId, licenseTypeId: fixture.pro.id },
    })
    const changed = await changeSeat(fixture.owner.tenantHeaders, seatRequest)
    expect(changed).toMatchObject({ status: 200, body: granted.body })
    expect((await revokeSeat(fixture.owner.tenantHeaders, seatRequest)).status).toBe(200)
    expect(await hasLicense(fixture.owner.tenantHeaders, licenseQuery.userId, fixture.application)).toBe(false)
    expect(await listSubscriptions(fixture.tenant.id)).toMatchObject([{ quantityAssigned: 0 }])
  })

  test('for a machine that reads its own tenant', async () => {
    const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)
    const path = `${LICENSING}/tenants/${tenant.id.toUpperCase()}/license-overview`
    expect(await call('GET', path, { headers: machine })).toMatchObject({
      status: 200,
      body: { tenantId: tenant.id },
    })
  })
})
