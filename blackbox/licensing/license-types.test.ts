import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  callLicensing,
  getLicense,
  getOperatorHeaders,
  grantSeat,
  LICENSING,
  type LicenseType,
  newLicensedApplication,
  newLicenseType,
  newTenantWithSeats,
} from '../support/licensing.ts'
import { baseUrl, unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'

const application = await newLicensedApplication()
const create = (fields: object) =>
  callLicensing<LicenseType>('POST', '/license-types', {
    applicationId: application,
    name: 'Pro',
    slug: unique('pro'),
    ...fields,
  })
const patch = (id: string, change: unknown) => callLicensing<LicenseType>('PATCH', `/license-types/${id}`, change)
const list = async (id = application) =>
  (await callLicensing<LicenseType[]>('GET', `/license-types?applicationId=${id}`)).body

const invalid = (field: string) =>
  errorBody(422, 'VALIDATION_FAILED', {
    details: expect.arrayContaining([{ field: expect.stringContaining(field), message: expect.any(String) }]),
  })

describe('a license type', () => {
  test('requires a name and a slug, and has defaults for the rest', async () => {
    const slug = unique('plain')
    const { status, body } = await create({ slug, name: '  Plain  ' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      applicationId: application,
      slug,
      name: 'Plain',
      description: null,
      features: {},
      displayOrder: 0,
      status: 'ACTIVE',
      createdAt: expect.stringMatching(TIMESTAMP),
      updatedAt: expect.stringMatching(TIMESTAMP),
    })
    expect(await list()).toContainEqual(body)
  })

  test('stores all given fields', async () => {
    const fields = {
      slug: unique('full'),
      name: 'Pro “für alle” 🚀',
      description: 'Line one\nline two',
      features: { 'reports.read': true, 'reports:write': false, constructor: true, A_1: true },
      displayOrder: 7,
    }
    const { status, body } = await create(fields)
    expect(status).toBe(201)
    expect(body).toMatchObject(fields)
    expect((await list()).find(({ id }) => id === body.id)).toEqual(body)
  })

  test('ignores fields that the service sets', async () => {
    const { status, body } = await create({
      id: 'mine',
      status: 'ARCHIVED',
      createdAt: '2000-01-01T00:00:00Z',
    })
    expect(status).toBe(201)
    expect(body.id).toMatch(UUID)
    expect(Date.parse(body.createdAt)).toBeGreaterThan(Date.now() - 60_000)
    expect(body.status).toBe('ACTIVE')
  })

  test('has a slug that is unique within its application', async () => {
    const { slug } = await newLicenseType(application)
    const taken = await create({ slug })
    expect(taken.status).toBe(409)
    expect(taken.body).toEqual(errorBody(409, 'SLUG_TAKEN'))
    expect((await create({ slug, applicationId: await newLicensedApplication() })).status).toBe(201)
  })

  test.each([
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: '  ' }, 'name'],
    ['a name that is a number', { name: 7 }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a name of 121 characters', { name: 'n'.repeat(121) }, 'name'],
    ['a name with a zero character', { name: 'a\0b' }, 'name'],
    ['no slug', { slug: undefined }, 'slug'],
    ['a slug with capitals', { slug: 'Pro' }, 'slug'],
    ['a slug of 64 characters', { slug: 's'.repeat(64) }, 'slug'],
    ['a slug that ends in a hyphen', { slug: 'pro-' }, 'slug'],
    ['an empty slug', { slug: '' }, 'slug'],
    ['a description that is a number', { description: 7 }, 'description'],
    ['a description of 2001 characters', { description: 'd'.repeat(2_001) }, 'description'],
    ['a list of features', { features: ['reports'] }, 'features'],
    ['features that are text', { features: 'reports' }, 'features'],
    ['a feature that is text', { features: { reports: 'true' } }, 'features'],
    ['a feature that is a number', { features: { reports: 1 } }, 'features'],
    ['a feature that is null', { features: { reports: null } }, 'features'],
    ['a feature without a key', { features: { '': true } }, 'features'],
    ['a feature with a space', { features: { 'my reports': true } }, 'features'],
    ['a feature with a long key', { features: { ['k'.repeat(101)]: true } }, 'features'],
    [
      '201 features',
      { features: Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, true])) },
      'features',
    ],
    [
      'features that would not fit into a token',
      {
        features: Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`${index}`.padEnd(100, 'k'), true])),
      },
      'features',
    ],
    ['an order that is text', { displayOrder: '1' }, 'displayOrder'],
    ['a fractional order', { displayOrder: 1.5 }, 'displayOrder'],
    ['an order out of range', { displayOrder: 1e12 }, 'displayOrder'],
  ])('is refused with %s, also in a change', async (_, fields, field) => {
    // Missing fields are reported before the unknown application.
    for (const applicationId of [application, 'nonsense']) {
      const { status, body } = await create({ ...fields, applicationId })
      expect(status).toBe(422)
      expect(body).toEqual(invalid(field))
    }
    if (Object.values(fields).includes(undefined)) return
    const type = await newLicenseType(application)
    const { status, body } = await patch(type.id, fields)
    expect(status).toBe(422)
    expect(body).toEqual(invalid(field))
    expect((await list()).find(({ id }) => id === type.id)).toEqual(type)
  })

  test.each([['{"features":{"__proto__":true}}'], ['{"features":{"constructor":{"prototype":true}}}']])(
    'is refused with %s without side effects',
    async (text) => {
      const type = await newLicenseType(application)
      const response = await fetch(`${baseUrl}${LICENSING}/license-types/${type.id}`, {
        method: 'PATCH',
        headers: { ...(await getOperatorHeaders()), 'content-type': 'application/json' },
        body: text,
      })
      expect([400, 422]).toContain(response.status)
      expect((await list()).find(({ id }) => id === type.id)).toEqual(type)
    },
  )
})

describe('changing a license type', () => {
  test('changes only the given fields', async () => {
    const type = await newLicenseType(application, { description: 'Old', displayOrder: 3 })
    const changes = [
      { name: 'New' },
      { slug: unique('new') },
      { description: 'New' },
      { description: null },
      { displayOrder: -4 },
      { status: 'ARCHIVED' },
      { status: 'ACTIVE' },
      { features: { other: true } },
      { features: {} },
    ]
    let before = type
    for (const change of changes) {
      const { status, body } = await patch(type.id, change)
      expect(status).toBe(200)
      expect(body).toEqual({ ...before, ...change, updatedAt: expect.stringMatching(TIMESTAMP) })
      expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt))
      expect((await list()).find(({ id }) => id === type.id)).toEqual(body)
      before = body
    }
  })

  test('cannot change the application or the id', async () => {
    const type = await newLicenseType(application)
    const other = await newLicensedApplication()
    const { status, body } = await patch(type.id, { applicationId: other, id: 'mine', name: 'Still here' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: type.id, applicationId: application, name: 'Still here' })
    expect(await list(other)).toEqual([])
  })

  test('is refused for a slug that is taken', async () => {
    const [first, second] = [await newLicenseType(application), await newLicenseType(application)]
    const { status, body } = await patch(first.id, { slug: second.slug })
    expect(status).toBe(409)
    expect(body).toEqual(errorBody(409, 'SLUG_TAKEN'))
    expect((await patch(first.id, { slug: first.slug })).status).toBe(200)
  })

  test.each([
    ['nothing', {}],
    ['only unknown fields', { color: 'red' }],
    ['another status', { status: 'GONE' }],
    ['a list', []],
  ])('is refused with %s', async (_, change) => {
    const { id } = await newLicenseType(application)
    const { status, body } = await patch(id, change)
    expect(status).toBe(422)
    expect(body).toMatchObject({ error: 'VALIDATION_FAILED' })
  })

  test('changes the features of its holders immediately', async () => {
    const { application, owner, pro } = await newTenantWithSeats(1)
    const licenseQuery = { userId: owner.userId, applicationId: application }
    const check = async () => (await getLicense(owner.tenantHeaders, 'check', licenseQuery)).body
    await grantSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: pro.id })
    expect(await check()).toMatchObject({ licenseTypeName: 'Pro', features: ['export', 'reports'] })
    await patch(pro.id, { name: 'Premium', features: { z: true, a: true, m: false } })
    expect(await check()).toMatchObject({ licenseTypeName: 'Premium', features: ['a', 'z'] })
    const feature = await getLicense(owner.tenantHeaders, 'feature', {
      ...licenseQuery,
      featureKey: 'reports',
    })
    expect(feature.body).toEqual({ hasFeature: false })
    const slug = unique('premium')
    await patch(pro.id, { slug })
    expect(await check()).toMatchObject({ licenseType: slug })
  })
})

describe('the list of license types', () => {
  test('contains the types of one application in their order, including archived ones', async () => {
    const id = await newLicensedApplication()
    const last = await newLicenseType(id, { displayOrder: 9 })
    const first = await newLicenseType(id, { displayOrder: -1 })
    const tied = await newLicenseType(id, { displayOrder: 9 })
    await patch(first.id, { status: 'ARCHIVED' })
    expect((await list(id)).map((type) => type.id)).toEqual([first.id, last.id, tied.id])
  })

  test('is empty for an application without types', async () => {
    expect(await list(await newLicensedApplication())).toEqual([])
  })

  test('requires an application', async () => {
    for (const query of ['', '?applicationId=', `?applicationId=${application}&applicationId=${application}`]) {
      const { status, body } = await callLicensing('GET', `/license-types${query}`)
      expect(status).toBe(400)
      expect(body).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
    }
    expect((await call('GET', '/api/licensing/license-types')).status).toBe(401)
  })
})
