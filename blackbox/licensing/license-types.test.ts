import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import {
  ask,
  asOps,
  grant,
  LICENSING,
  type LicenseType,
  newLicensedApplication,
  newSeats,
  newType,
  runInstance,
} from '../support/licensing.ts'
import { base, unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'

const application = await newLicensedApplication()
const create = (fields: object) =>
  runInstance<LicenseType>('POST', '/license-types', {
    applicationId: application,
    name: 'Pro',
    slug: unique('pro'),
    ...fields,
  })
const patch = (id: string, change: unknown) =>
  runInstance<LicenseType>('PATCH', `/license-types/${id}`, change)
const list = async (id = application) =>
  (await runInstance<LicenseType[]>('GET', `/license-types?applicationId=${id}`)).body

const invalid = (field: string) =>
  refusal(422, 'VALIDATION_FAILED', {
    details: expect.arrayContaining([{ field: expect.stringContaining(field), message: expect.any(String) }]),
  })

describe('a license type', () => {
  test('is made of a name and a slug, and the rest has its defaults', async () => {
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

  test('keeps everything that is said of it', async () => {
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

  test('does not take what the service decides', async () => {
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

  test('has a slug that is taken in its application alone', async () => {
    const { slug } = await newType(application)
    const taken = await create({ slug })
    expect(taken.status).toBe(409)
    expect(taken.body).toEqual(refusal(409, 'SLUG_TAKEN'))
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
        features: Object.fromEntries(
          Array.from({ length: 41 }, (_, index) => [`${index}`.padEnd(100, 'k'), true]),
        ),
      },
      'features',
    ],
    ['an order that is text', { displayOrder: '1' }, 'displayOrder'],
    ['an order between two', { displayOrder: 1.5 }, 'displayOrder'],
    ['an order beyond all', { displayOrder: 1e12 }, 'displayOrder'],
  ])('is refused with %s, also when it is changed', async (_, fields, field) => {
    // What is missing is judged before the application, which is none here.
    for (const applicationId of [application, 'nonsense']) {
      const { status, body } = await create({ ...fields, applicationId })
      expect(status).toBe(422)
      expect(body).toEqual(invalid(field))
    }
    if (Object.values(fields).includes(undefined)) return
    const type = await newType(application)
    const { status, body } = await patch(type.id, fields)
    expect(status).toBe(422)
    expect(body).toEqual(invalid(field))
    expect((await list()).find(({ id }) => id === type.id)).toEqual(type)
  })

  test.each([['{"features":{"__proto__":true}}'], ['{"features":{"constructor":{"prototype":true}}}']])(
    'is refused with %s, and survives it',
    async (text) => {
      const type = await newType(application)
      const response = await fetch(`${base}${LICENSING}/license-types/${type.id}`, {
        method: 'PATCH',
        headers: { ...(await asOps()), 'content-type': 'application/json' },
        body: text,
      })
      expect([400, 422]).toContain(response.status)
      expect((await list()).find(({ id }) => id === type.id)).toEqual(type)
    },
  )
})

describe('changing a license type', () => {
  test('changes what is named and nothing else', async () => {
    const type = await newType(application, { description: 'Old', displayOrder: 3 })
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

  test('cannot move it, nor give it another id', async () => {
    const type = await newType(application)
    const other = await newLicensedApplication()
    const { status, body } = await patch(type.id, { applicationId: other, id: 'mine', name: 'Still here' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: type.id, applicationId: application, name: 'Still here' })
    expect(await list(other)).toEqual([])
  })

  test('is refused for a slug that is taken', async () => {
    const [first, second] = [await newType(application), await newType(application)]
    const { status, body } = await patch(first.id, { slug: second.slug })
    expect(status).toBe(409)
    expect(body).toEqual(refusal(409, 'SLUG_TAKEN'))
    expect((await patch(first.id, { slug: first.slug })).status).toBe(200)
  })

  test.each([
    ['nothing', {}],
    ['only what is unknown', { colour: 'red' }],
    ['another status', { status: 'GONE' }],
    ['a list', []],
  ])('is refused when it says %s', async (_, change) => {
    const { id } = await newType(application)
    const { status, body } = await patch(id, change)
    expect(status).toBe(422)
    expect(body).toMatchObject({ error: 'VALIDATION_FAILED' })
  })

  test('shows at once in what its holders may do', async () => {
    const { application, owner, pro } = await newSeats(1)
    const about = { userId: owner.userId, applicationId: application }
    const check = async () => (await ask(owner.inside, 'check', about)).body
    await grant(owner.inside, { ...about, licenseTypeId: pro.id })
    expect(await check()).toMatchObject({ licenseTypeName: 'Pro', features: ['export', 'reports'] })
    await patch(pro.id, { name: 'Premium', features: { z: true, a: true, m: false } })
    expect(await check()).toMatchObject({ licenseTypeName: 'Premium', features: ['a', 'z'] })
    const feature = await ask(owner.inside, 'feature', { ...about, featureKey: 'reports' })
    expect(feature.body).toEqual({ hasFeature: false })
    const slug = unique('premium')
    await patch(pro.id, { slug })
    expect(await check()).toMatchObject({ licenseType: slug })
  })
})

describe('the list of license types', () => {
  test('shows those of one application by their order, archived ones too', async () => {
    const id = await newLicensedApplication()
    const last = await newType(id, { displayOrder: 9 })
    const first = await newType(id, { displayOrder: -1 })
    const tied = await newType(id, { displayOrder: 9 })
    await patch(first.id, { status: 'ARCHIVED' })
    expect((await list(id)).map((type) => type.id)).toEqual([first.id, last.id, tied.id])
  })

  test('of an application without any is empty', async () => {
    expect(await list(await newLicensedApplication())).toEqual([])
  })

  test('needs an application', async () => {
    for (const query of [
      '',
      '?applicationId=',
      `?applicationId=${application}&applicationId=${application}`,
    ]) {
      const { status, body } = await runInstance('GET', `/license-types${query}`)
      expect(status).toBe(400)
      expect(body).toEqual(refusal(400, 'INVALID_APPLICATION_ID'))
    }
    expect((await call('GET', '/api/licensing/license-types')).status).toBe(401)
  })
})
