import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import { unique } from '../support/service.ts'
import { newCaller, newTenant, type Tenant } from '../support/tenants.ts'

const { headers } = await newCaller()
const createTenant = (body: unknown) => call<Tenant>('POST', '/api/tenants', { headers, body })
const countTenants = async () =>
  (await call<{ tenants: unknown[] }>('GET', '/api/tenants', { headers })).body.tenants.length

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Expects one field error, and no tenant. */
async function expectRefused(body: unknown, field: string) {
  const before = await countTenants()
  const response = await createTenant(body)
  expect(response.status).toBe(422)
  expect(response.body).toEqual(
    errorBody(422, 'VALIDATION_FAILED', {
      details: expect.arrayContaining([{ field, message: expect.any(String) }]),
    }),
  )
  expect(await countTenants()).toBe(before)
}

describe('a slug', () => {
  test.each([
    ['is empty', ''],
    ['has a space', 'two words'],
    ['has a space at its end', 'word '],
    ['ends with a line break', 'word\n'],
    ['is a path traversal', '../etc'],
    ['has a slash', 'a/b'],
    ['has a dot', 'a.b'],
    ['has an underscore', 'a_b'],
    ['has capitals', 'Acme'],
    ['has non-ASCII letters', 'münchen'],
    ['has letters similar to ASCII', 'аcme'],
    ['has an emoji', 'rocket-🚀'],
    ['begins with a hyphen', '-acme'],
    ['ends with a hyphen', 'acme-'],
    ['is a hyphen', '-'],
    ['has 64 characters', 'a'.repeat(64)],
    ['has 1,000 characters', 'a'.repeat(1_000)],
    ['has 100,000 characters', 'a'.repeat(100_000)],
    ['has a NUL', 'a\0b'],
    ['has a lone surrogate', 'a\ud800b'],
    ['has markup', '<b>'],
    ['is a number', 7],
    ['is null', null],
    ['is a list', ['acme']],
    ['is an object', { toString: 'acme' }],
  ])('that %s is refused', (_, slug) => expectRefused({ name: 'A good name', slug }, 'slug'))

  test.each(['api', 'admin', 'www', 'oauth', 'login', 'logout', 'signup', 'sso', 'static', 'well-known'])(
    '%s is reserved',
    (slug) => expectRefused({ name: 'A good name', slug }, 'slug'),
  )

  test('may have 1 to 63 characters, or digits only', async () => {
    const [length63] = [unique('x'.repeat(46))]
    expect(length63).toHaveLength(63)
    for (const slug of [length63, String(Date.now()), `${unique('a')}--b`]) {
      const { status, body } = await createTenant({ name: 'Edge', slug })
      expect(status, slug).toBe(201)
      expect(body.slug).toBe(slug)
    }
    // A short slug may be taken by others, but it is valid.
    expect([201, 409]).toContain((await createTenant({ name: 'Edge', slug: 'q' })).status)
  })
})

describe('a name', () => {
  test.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is blank', ' \t\u00a0\u3000'],
    ['has 121 characters', 'n'.repeat(121)],
    ['has 10,000 characters', 'n'.repeat(10_000)],
    ['has a NUL', 'a\0b'],
    ['has a lone surrogate', 'a\udc00b'],
    ['has a second line', 'a\r\nBcc: b@blackbox.test'],
    ['has a control character', 'a\u0007b'],
    ['has a bidirectional control character', 'a\u202eb'],
    ['is a number', 7],
    ['is null', null],
    ['is a list', ['Acme']],
  ])('that %s is refused', (_, name) => expectRefused({ name }, 'name'))

  test.each([
    ['one character', 'X'],
    ['120 characters', 'n'.repeat(120)],
    ['120 characters that take two code units each', '🚀'.repeat(120)],
    ['markup', '<img src=x onerror=alert(1)>'],
    ['a quote that would end an SQL literal', "Robert'); drop table tenants;--"],
    ['letters of another script', 'شركة الاختبار'],
  ])('may be %s, and is stored unchanged', async (_, name) => {
    const { status, body } = await createTenant({ name })
    expect(status).toBe(201)
    expect(body.name).toBe(name)
    expect(body.slug).toMatch(SLUG)
    const shown = await call('GET', `/api/tenants/${body.id}`, { headers })
    expect(shown.body).toMatchObject({ name, slug: body.slug })
  })
})

test('invalid name and slug are both reported', async () => {
  const { status, body } = await createTenant({ name: ' ', slug: 'No Slug' })
  expect(status).toBe(422)
  expect(body).toEqual(
    errorBody(422, 'VALIDATION_FAILED', {
      details: [
        { field: 'name', message: expect.any(String) },
        { field: 'slug', message: expect.any(String) },
      ],
    }),
  )
})

describe('a missing slug', () => {
  const word = unique('w').replace('-', '')

  test('is derived from the name', async () => {
    const { body } = await createTenant({ name: `  Über ${word} & Söhne, Ltd. ` })
    expect(body.slug).toBe(`uber-${word}-sohne-ltd`)
  })

  test('gets a suffix if it is taken', async () => {
    const name = `Twin ${word}`
    const slugs = [await createTenant({ name }), await createTenant({ name }), await createTenant({ name })].map(
      ({ body }) => body.slug,
    )
    expect(slugs[0]).toBe(`twin-${word}`)
    for (const slug of slugs.slice(1)) expect(slug).toMatch(new RegExp(`^twin-${word}-[a-z0-9]{4,12}$`))
    expect(new Set(slugs).size).toBe(3)
  })

  test('has at most 63 characters, including the suffix', async () => {
    const name = `${word} `.padEnd(120, 'long ')
    for (const { status, body } of [await createTenant({ name }), await createTenant({ name })]) {
      expect(status).toBe(201)
      expect(body.slug).toMatch(SLUG)
      expect(body.slug.startsWith(word)).toBe(true)
    }
  })

  test.each(['API', 'Www', 'Admin', 'Well Known'])('is not a reserved word for the name %s', async (name) => {
    const { status, body } = await createTenant({ name })
    expect(status).toBe(201)
    const stem = name.toLowerCase().replace(' ', '-')
    expect(body.slug).toMatch(new RegExp(`^${stem}-[a-z0-9]{4,12}$`))
  })

  test.each(['株式会社', '🚀🚀', '---', '!', '...'])('is generated for the name %s, too', async (name) => {
    const [one, other] = [await createTenant({ name }), await createTenant({ name })]
    expect([one.status, other.status]).toEqual([201, 201])
    expect(one.body.slug).toMatch(SLUG)
    expect(other.body.slug).toMatch(SLUG)
    expect(other.body.slug).not.toBe(one.body.slug)
  })
})

test('a renamed tenant keeps its slug, and its new name has the same rules', async () => {
  const tenant = await newTenant(headers, 'Before')
  const rename = (name: unknown) => call('PATCH', `/api/tenants/${tenant.id}`, { headers, body: { name } })
  for (const name of ['', '  ', 'n'.repeat(121), 'a\nb', 'a\0b', 7, null]) {
    const { status, body } = await rename(name)
    expect(status, JSON.stringify(name)).toBe(422)
    expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: 'name' }] })
  }
  expect((await rename('  After ')).body).toMatchObject({ name: 'After', slug: tenant.slug })
  const shown = await call('GET', `/api/tenants/${tenant.id}`, { headers })
  expect(shown.body).toMatchObject({ name: 'After', slug: tenant.slug })
})
