import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import { baseUrl } from '../support/service.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Settled')
const PATH = `/api/tenants/${tenant.id}`
const readTenant = async () => (await call('GET', PATH, owner)).body
const change = (body: unknown, { headers } = owner) => call('PATCH', PATH, { headers, body })

/** Replaces the settings. */
async function replaceSettings(settings: object) {
  const { settings: before } = await readTenant()
  const nothing = Object.fromEntries(Object.keys(before as object).map((key) => [key, null]))
  const { status } = await change({ settings: { ...nothing, ...settings } })
  expect(status).toBe(200)
}

/** Expects a refused change, with everything unchanged, including updatedAt. */
async function expectRefused(body: unknown, field: string) {
  const before = await readTenant()
  const response = await change(body)
  expect(response.status).toBe(422)
  expect(response.body).toEqual(
    errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
  )
  expect(await readTenant()).toEqual(before)
}

describe('a change of a tenant', () => {
  test('returns the changed tenant, as later reads do', async () => {
    const before = await readTenant()
    const { status, body } = await change({
      name: 'Renamed',
      mfaPolicy: 'OPTIONAL',
      settings: { theme: 'dark' },
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: tenant.id,
      name: 'Renamed',
      slug: tenant.slug,
      settings: { theme: 'dark' },
      mfaPolicy: 'OPTIONAL',
      updatedAt: expect.stringMatching(TIMESTAMP),
    })
    expect(Date.parse(String(body.updatedAt))).toBeGreaterThan(Date.parse(String(before.updatedAt)))
    expect(await readTenant()).toEqual({ ...body, memberCount: 1, createdAt: tenant.createdAt })
  })

  test('is allowed for an admin, and refused for a member without further information', async () => {
    const admin = await newMember(owner.headers, tenant.id, 'admin')
    const member = await newMember(owner.headers, tenant.id, 'member')
    expect((await change({ name: 'By an admin' }, admin)).status).toBe(200)
    const refused = await change({ name: 'By a member' }, member)
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual(errorBody(403, 'FORBIDDEN'))
    // Even an invalid body has the same response.
    expect((await change({ mfaPolicy: 'X' }, member)).body).toEqual(errorBody(403, 'FORBIDDEN'))
    expect(await readTenant()).toMatchObject({ name: 'By an admin' })
  })

  test.each([
    ['without fields', {}],
    ['with read-only fields only', { slug: 'another', memberCount: 7 }],
  ])('%s is refused', (_, body) => expectRefused(body, 'body'))

  test.each([
    ['null', null],
    ['a list', [{ name: 'Listed' }]],
    ['a text', 'name'],
  ])('that is %s instead of an object is refused', async (_, body) => {
    const before = await readTenant()
    const response = await change(body)
    expect(response.status).toBe(422)
    expect(response.body).toMatchObject({ statusCode: 422, error: 'VALIDATION_FAILED' })
    expect(await readTenant()).toEqual(before)
  })

  test('ignores read-only fields', async () => {
    const before = await readTenant()
    const ignoredFields = {
      id: '0197a000-0000-7000-8000-000000000001',
      slug: 'another-slug',
      ownerId: owner.userId,
      role: 'owner',
      memberCount: 99,
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
      mfa_policy: 'REQUIRED',
    }
    const { status } = await change({ name: 'Only the name', ...ignoredFields })
    expect(status).toBe(200)
    expect(await readTenant()).toEqual({
      ...before,
      name: 'Only the name',
      updatedAt: expect.not.stringMatching(/^2001/),
    })
  })

  test('of one field keeps the others', async () => {
    await change({ name: 'All three', mfaPolicy: 'OPTIONAL' })
    await replaceSettings({ kept: true })
    await change({ name: 'The name' })
    expect(await readTenant()).toMatchObject({
      name: 'The name',
      settings: { kept: true },
      mfaPolicy: 'OPTIONAL',
    })
    await change({ settings: { more: 1 } })
    expect(await readTenant()).toMatchObject({ name: 'The name', settings: { kept: true, more: 1 } })
  })

  test('can require MFA and stop requiring it', async () => {
    const own = await newOwnedTenant()
    const set = async (mfaPolicy: string) => {
      const response = await call('PATCH', `/api/tenants/${own.tenant.id}`, {
        headers: own.owner.headers,
        body: { mfaPolicy },
      })
      return [response.status, response.body.mfaPolicy]
    }
    expect(await set('REQUIRED')).toEqual([200, 'REQUIRED'])
    expect(await set('OPTIONAL')).toEqual([200, 'OPTIONAL'])
  })

  test.each(['X', '', 'required', 'OPTIONAL ', null, true, 1, ['REQUIRED'], {}])(
    'to the MFA policy %j is refused',
    (mfaPolicy) => expectRefused({ mfaPolicy }, 'mfaPolicy'),
  )

  test('is refused completely if one field is invalid', async () => {
    await expectRefused({ name: 'Half', mfaPolicy: 'X' }, 'mfaPolicy')
    await expectRefused({ name: ' ', settings: { half: true } }, 'name')
  })
})

describe('settings', () => {
  test.each([
    ['a list', []],
    ['a text', '{}'],
    ['null', null],
    ['a number', 1],
    ['true', true],
  ])('that are %s are refused', (_, settings) => expectRefused({ settings }, 'settings'))

  // RFC 7396, appendix A, for target and patch objects.
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ a: 'foo' }, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: [1, 2, 3] }, { a: [null, 4] }, { a: [null, 4] }],
    [{ a: 1 }, {}, { a: 1 }],
    [{ a: 1 }, { b: null }, { a: 1 }],
    [{ a: { b: 1 } }, { a: [] }, { a: [] }],
    [{ a: '1' }, { a: 1, b: false, c: 0, d: '' }, { a: 1, b: false, c: 0, d: '' }],
  ])('%j patched by %j are %j', async (before, patch, after) => {
    await replaceSettings(before)
    const { status, body } = await change({ settings: patch })
    expect(status).toBe(200)
    expect(body.settings).toEqual(after)
    expect((await readTenant()).settings).toEqual(after)
  })

  test('accept any key and any text', async () => {
    const unusual = {
      '': 1,
      ' ': 2,
      'ключ 🚀': '值',
      "'; --": '<b>',
      'a.b': { $set: [{ x: [[]] }] },
      big: 1e100,
    }
    await replaceSettings(unusual)
    expect((await readTenant()).settings).toEqual(unusual)
  })

  test('are limited to 16 KiB', async () => {
    const room = 16 * 1024 - JSON.stringify({ a: '' }).length
    await replaceSettings({ a: 'x'.repeat(room) })
    expect((await readTenant()).settings).toEqual({ a: 'x'.repeat(room) })
    await expectRefused({ settings: { a: 'x'.repeat(room + 1) } }, 'settings')
    // The limit applies to the result, not to the patch, and counts bytes, not characters.
    await expectRefused({ settings: { b: 1 } }, 'settings')
    await expectRefused({ settings: { a: 'é'.repeat(room / 2 + 1) } }, 'settings')
    await replaceSettings({})
    expect((await readTenant()).settings).toEqual({})
  })

  test('refuse a number that JavaScript cannot represent', async () => {
    const before = await readTenant()
    const response = await fetch(baseUrl + PATH, {
      method: 'PATCH',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: '{"settings":{"a":1e400}}',
    })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ error: 'VALIDATION_FAILED' })
    expect(await readTenant()).toEqual(before)
  })

  test('that are far too large are refused before parsing', async () => {
    const { status, body } = await change({ settings: { a: 'x'.repeat(2 * 1024 * 1024) } })
    expect(status).toBe(413)
    expect(body).toEqual(errorBody(413, 'PAYLOAD_TOO_LARGE'))
  })

  test('may be deeply nested without an error', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(2_500)}1${'}'.repeat(2_500)}`) as object
    const { status } = await change({ settings: { deep } })
    expect([200, 400, 422]).toContain(status)
    await replaceSettings({})
    expect((await readTenant()).settings).toEqual({})
  })

  test.each(['a\0b', 'a\ud800b'])('refuse %j, as a value and as a key', async (text) => {
    for (const settings of [{ a: text }, { [text]: 1 }, { a: [{ b: text }] }]) {
      const before = await readTenant()
      const { status, body } = await change({ settings })
      expect(status).toBe(422)
      expect(body).toMatchObject({ statusCode: 422, error: 'VALIDATION_FAILED' })
      expect(await readTenant()).toEqual(before)
    }
  })
})

describe('settings with names of object internals', () => {
  const ATTACKS = [
    '{"__proto__":{"role":"owner","polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"a":{"__proto__":{"polluted":true}}}',
    '{"toString":1,"hasOwnProperty":{"a":1},"valueOf":[]}',
  ]

  test.each(ATTACKS)('%s are stored unchanged or refused, without side effects', async (json) => {
    await replaceSettings({})
    const { status } = await change({ settings: JSON.parse(json) })
    expect([200, 422]).toContain(status)
    const after = (await readTenant()).settings as Record<string, unknown>
    expect(JSON.parse(JSON.stringify(after))).toEqual(status === 200 ? JSON.parse(json) : {})
    expect(Object.hasOwn(after, 'polluted')).toBe(false)
    const outsider = await newOwnedTenant('Untouched')
    const theirs = await call('GET', `/api/tenants/${outsider.tenant.id}`, outsider.owner)
    expect(theirs.body).toEqual({
      ...outsider.tenant,
      settings: {},
      mfaPolicy: 'OPTIONAL',
      memberCount: 1,
      updatedAt: outsider.tenant.createdAt,
    })
    const member = await newMember(owner.headers, tenant.id)
    expect((await change({ name: 'Mine now' }, member)).status).toBe(403)
    await replaceSettings({})
  })
})
