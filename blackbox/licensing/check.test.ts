import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  getLicense,
  getOperatorHeaders,
  grantSeat,
  LICENSES,
  newMachineHeaders,
  newTenantMember,
  newTenantWithSeats,
  postLicense,
  UNLICENSED,
} from '../support/licensing.ts'
import { baseUrl } from '../support/service.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats()
const member = await newTenantMember({ tenant, owner })
const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)
const granted = await grantSeat(owner.tenantHeaders, {
  userId: member.userId,
  applicationId: application,
  licenseTypeId: pro.id,
})

const LICENSED = {
  hasLicense: true,
  licenseType: pro.slug,
  licenseTypeName: 'Pro',
  features: ['export', 'reports'],
  assignedAt: granted.body.assignedAt,
}

test('features are sorted alphabetically', async () => {
  const fixture = await newTenantWithSeats()
  const features = { z: true, reports: true, no: false, ab: true, Zoo: true, a: true }
  const path = `/api/licensing/license-types/${fixture.pro.id}`
  expect((await call('PATCH', path, { headers: await getOperatorHeaders(), body: { features } })).status).toBe(200)
  const licenseQuery = { userId: fixture.owner.userId, applicationId: fixture.application }
  await grantSeat(fixture.owner.tenantHeaders, { ...licenseQuery, licenseTypeId: fixture.pro.id })
  const { body } = await getLicense(fixture.owner.tenantHeaders, 'check', licenseQuery)
  expect(body.features).toEqual(['Zoo', 'a', 'ab', 'reports', 'z'])
})

test.each(['check', 'feature'])('%s refuses null as a body', async (path) => {
  const fields = new URLSearchParams({
    userId: member.userId,
    applicationId: application,
    featureKey: 'reports',
  })
  const url = `${LICENSES}/${path}?${fields}`
  expect((await call('POST', url, { headers: owner.tenantHeaders })).status).toBe(200)
  const { status, body } = await call('POST', url, { headers: owner.tenantHeaders, body: null })
  expect(status).toBe(422)
  expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'body', message: 'must be object' }] }))
})

const ROUTES = [
  ['check', {}, LICENSED, UNLICENSED],
  ['feature', { featureKey: 'reports' }, { hasFeature: true }, { hasFeature: false }],
  ['type', {}, { licenseType: pro.slug }, { licenseType: null }],
] as const

describe.each(ROUTES)('%s', (path, fields, held, none) => {
  const parameters = { applicationId: application, ...fields }

  test('returns the license and nothing else', async () => {
    const response = await getLicense(owner.tenantHeaders, path, { userId: member.userId, ...parameters })
    expect(response.status).toBe(200)
    expect(response.body).toEqual(held)
  })

  test('checks the caller by default', async () => {
    expect((await getLicense(member.tenantHeaders, path, parameters)).body).toEqual(held)
    expect((await getLicense(owner.tenantHeaders, path, parameters)).body).toEqual(none)
  })

  test.each([
    ['an unlicensed member', owner.userId],
    ['an unknown id', randomUUID()],
    ['an invalid id', 'nobody'],
    ['nothing', ''],
    ['5 KB', 'a'.repeat(5_000)],
    ['the name of an object property', '__proto__'],
  ])('gives the same response for %s', async (_, userId) => {
    const response = await getLicense(owner.tenantHeaders, path, { userId, ...parameters })
    expect(response.status).toBe(200)
    expect(response.body).toEqual(none)
  })

  test('requires a userId from a machine', async () => {
    expect((await getLicense(machine, path, { userId: member.userId, ...parameters })).body).toEqual(held)
    const unnamed = await getLicense(machine, path, parameters)
    expect(unnamed.status).toBe(422)
    expect(unnamed.body).toEqual(
      errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'userId', message: expect.any(String) }] }),
    )
  })

  test.each([
    ['missing', undefined],
    ['unknown', randomUUID()],
    ['malformed', 'no-id'],
    ['empty', ''],
    ['the id of another object', tenant.id],
  ])('refuses an application that is %s', async (_, applicationId) => {
    const { applicationId: __, ...rest } = parameters
    const response = await getLicense(owner.tenantHeaders, path, {
      ...rest,
      ...(applicationId !== undefined && { applicationId }),
    })
    expect(response.status).toBe(400)
    expect(response.body).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
  })

  test('refuses two applications', async () => {
    const query = `applicationId=${application}&applicationId=${application}&featureKey=reports`
    const { status, body } = await call('GET', `${LICENSES}/${path}?${query}`, {
      headers: owner.tenantHeaders,
    })
    expect(status).toBe(400)
    expect(body).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
  })

  test('reports other missing fields before the application', async () => {
    const response = await getLicense(machine, path, { ...fields, applicationId: 'nonsense' })
    expect(response.status).toBe(422)
    expect(response.body).toEqual(
      errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'userId', message: expect.any(String) }] }),
    )
  })

  test.each([
    ['no token', {}],
    ['an invalid token', { authorization: 'Bearer a.b.c' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
  ])('refuses %s for every user', async (_, headers) => {
    for (const query of [parameters, { ...parameters, userId: member.userId }, { applicationId: 'nonsense' }]) {
      const response = await getLicense(headers, path, query)
      expect(response.status).toBe(401)
      expect(response.body).toEqual(errorBody(401, 'UNAUTHORIZED'))
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    }
  })
})

describe.each(ROUTES.filter(([path]) => path !== 'type'))('%s by POST', (path, fields, held, none) => {
  const parameters = { applicationId: application, ...fields }

  test('gives the same response, with the fields in the body or in the query', async () => {
    for (const [userId, expected] of [
      [member.userId, held],
      [owner.userId, none],
      [randomUUID(), none],
    ] as const) {
      const named = { userId, ...parameters }
      for (const request of [{ body: named }, { query: named }, { query: named, body: {} }]) {
        const response = await postLicense(machine, path, request)
        expect(response.status).toBe(200)
        expect(response.body).toEqual(expected)
      }
    }
    expect((await postLicense(member.tenantHeaders, path, { body: parameters })).body).toEqual(held)
  })

  test('the body has priority over the query', async () => {
    const named = { userId: member.userId, ...parameters }
    const wrong = { userId: owner.userId, applicationId: 'nonsense', featureKey: 'audit' }
    expect((await postLicense(machine, path, { body: named, query: wrong })).body).toEqual(held)
    const refused = await postLicense(machine, path, { body: { applicationId: 'nonsense' }, query: named })
    expect(refused.body).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
    const other = await postLicense(machine, path, { body: { userId: owner.userId }, query: named })
    expect(other.body).toEqual(none)
  })

  test.each([
    ['a number', 7],
    ['an array', [application]],
    ['an object', { id: application }],
    ['null', null],
    ['true', true],
  ])('refuses an application that is %s', async (_, applicationId) => {
    const response = await postLicense(member.tenantHeaders, path, { body: { ...fields, applicationId } })
    expect(response.status).toBe(400)
    expect(response.body).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
  })

  test.each([
    ['a number', 7],
    ['an array', [member.userId]],
    ['an object', { id: member.userId }],
  ])('refuses a user who is %s', async (_, userId) => {
    const response = await postLicense(owner.tenantHeaders, path, { body: { ...parameters, userId } })
    expect(response.status).toBe(422)
    expect(response.body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'userId' }] })
  })

  test('accepts only JSON', async () => {
    const send = (type: string, body: string) =>
      fetch(`${baseUrl}${LICENSES}/${path}?${new URLSearchParams({ userId: member.userId, ...parameters })}`, {
        method: 'POST',
        headers: { ...machine, 'content-type': type },
        body,
      })
    expect((await send('text/plain', '{}')).status).toBe(415)
    expect((await send('application/x-www-form-urlencoded', 'a=b')).status).toBe(415)
    expect((await send('application/json', '{')).status).toBe(400)
    for (const body of ['[]', '7', '"text"']) expect((await send('application/json', body)).status).toBe(422)
  })

  test('requires a token, with any body', async () => {
    for (const body of [{ userId: member.userId, ...parameters }, {}, [], 'text']) {
      const response = await postLicense({}, path, { body })
      expect(response.status).toBe(401)
      expect(response.body).toEqual(errorBody(401, 'UNAUTHORIZED'))
    }
  })
})

describe('a feature', () => {
  const licenseQuery = { userId: member.userId, applicationId: application }

  test.each([
    ['that is disabled in the type', 'audit'],
    ['that is not in the type', 'teleport'],
    ['that is a part of a key', 'report'],
    ['in another letter case', 'REPORTS'],
    ['the name of an object property', 'constructor'],
    ['the name of an array property', 'length'],
  ])('%s is not included', async (_, featureKey) => {
    expect((await getLicense(owner.tenantHeaders, 'feature', { ...licenseQuery, featureKey })).body).toEqual({
      hasFeature: false,
    })
  })

  test.each([
    ['missing', {}],
    ['empty', { featureKey: '' }],
    ['too long', { featureKey: 'a'.repeat(201) }],
  ])('with the key %s is refused, before the application is checked', async (_, fields) => {
    for (const applicationId of [application, 'nonsense']) {
      const parameters = { userId: member.userId, applicationId, ...fields }
      const responses = [
        await getLicense(owner.tenantHeaders, 'feature', parameters),
        await postLicense(owner.tenantHeaders, 'feature', { body: parameters }),
        await postLicense(owner.tenantHeaders, 'feature', { query: parameters }),
      ]
      for (const { status, body } of responses) {
        expect(status).toBe(422)
        expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'featureKey' }] })
      }
    }
  })
})
