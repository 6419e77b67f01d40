import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import { base } from '../support/service.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant('Settled')
const PATH = `/api/tenants/${tenant.id}`
const show = async () => (await call('GET', PATH, owner)).body
const change = (body: unknown, { headers } = owner) => call('PATCH', PATH, { headers, body })

/** Makes the settings be these and no others. */
async function settle(settings: object) {
  const { settings: before } = await show()
  const nothing = Object.fromEntries(Object.keys(before as object).map((key) => [key, null]))
  const { status } = await change({ settings: { ...nothing, ...settings } })
  expect(status).toBe(200)
}

/** Refuses a change and leaves everything as it was, the time of the last change included. */
async function expectRefused(body: unknown, field: string) {
  const before = await show()
  const answer = await change(body)
  expect(answer.status).toBe(422)
  expect(answer.body).toEqual(
    refusal(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
  )
  expect(await show()).toEqual(before)
}

describe('a change of a tenant', () => {
  test('answers with what the tenant is now, which is what it shows afterwards', async () => {
    const before = await show()
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
    expect(await show()).toEqual({ ...body, memberCount: 1, createdAt: tenant.createdAt })
  })

  test('may be made by an admin, and not by a member, who is told nothing', async () => {
    const admin = await newMember(owner.headers, tenant.id, 'admin')
    const member = await newMember(owner.headers, tenant.id, 'member')
    expect((await change({ name: 'By an admin' }, admin)).status).toBe(200)
    const refused = await change({ name: 'By a member' }, member)
    expect(refused.status).toBe(403)
    expect(refused.body).toEqual(refusal(403, 'FORBIDDEN'))
    // Not even whether their change would have been well-formed.
    expect((await change({ mfaPolicy: 'X' }, member)).body).toEqual(refusal(403, 'FORBIDDEN'))
    expect(await show()).toMatchObject({ name: 'By an admin' })
  })

  test.each([
    ['that names nothing', {}],
    ['that names only what cannot be changed', { slug: 'another', memberCount: 7 }],
  ])('%s is refused', (_, body) => expectRefused(body, 'body'))

  test.each([
    ['null', null],
    ['a list', [{ name: 'Listed' }]],
    ['a text', 'name'],
  ])('that is %s instead of an object is refused', async (_, body) => {
    const before = await show()
    const answer = await change(body)
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ statusCode: 422, error: 'VALIDATION_FAILED' })
    expect(await show()).toEqual(before)
  })

  test('touches nothing that it cannot name', async () => {
    const before = await show()
    const wishes = {
      id: '0197a000-0000-7000-8000-000000000001',
      slug: 'another-slug',
      ownerId: owner.userId,
      role: 'owner',
      memberCount: 99,
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
      mfa_policy: 'REQUIRED',
    }
    const { status } = await change({ name: 'Only the name', ...wishes })
    expect(status).toBe(200)
    expect(await show()).toEqual({
      ...before,
      name: 'Only the name',
      updatedAt: expect.not.stringMatching(/^2001/),
    })
  })

  test('of one thing leaves the others alone', async () => {
    await change({ name: 'All three', mfaPolicy: 'OPTIONAL' })
    await settle({ kept: true })
    await change({ name: 'The name' })
    expect(await show()).toMatchObject({ name: 'The name', settings: { kept: true }, mfaPolicy: 'OPTIONAL' })
    await change({ settings: { more: 1 } })
    expect(await show()).toMatchObject({ name: 'The name', settings: { kept: true, more: 1 } })
  })

  test('can demand MFA and stop demanding it', async () => {
    const own = await newOwnedTenant()
    const set = async (mfaPolicy: string) => {
      const answer = await call('PATCH', `/api/tenants/${own.tenant.id}`, {
        headers: own.owner.headers,
        body: { mfaPolicy },
      })
      return [answer.status, answer.body.mfaPolicy]
    }
    expect(await set('REQUIRED')).toEqual([200, 'REQUIRED'])
    expect(await set('OPTIONAL')).toEqual([200, 'OPTIONAL'])
  })

  test.each(['X', '', 'required', 'OPTIONAL ', null, true, 1, ['REQUIRED'], {}])(
    'to the MFA policy %j is refused',
    (mfaPolicy) => expectRefused({ mfaPolicy }, 'mfaPolicy'),
  )

  test('is refused as a whole when a part of it is wrong', async () => {
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

  // RFC 7396, appendix A, as far as the target and the patch are objects.
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
  ])('%j, changed by %j, are %j', async (before, patch, after) => {
    await settle(before)
    const { status, body } = await change({ settings: patch })
    expect(status).toBe(200)
    expect(body.settings).toEqual(after)
    expect((await show()).settings).toEqual(after)
  })

  test('keep any key and any text', async () => {
    const odd = { '': 1, ' ': 2, 'ключ 🚀': '值', "'; --": '<b>', 'a.b': { $set: [{ x: [[]] }] }, big: 1e100 }
    await settle(odd)
    expect((await show()).settings).toEqual(odd)
  })

  test('may take 16 KiB in all and not a byte more', async () => {
    const room = 16 * 1024 - JSON.stringify({ a: '' }).length
    await settle({ a: 'x'.repeat(room) })
    expect((await show()).settings).toEqual({ a: 'x'.repeat(room) })
    await expectRefused({ settings: { a: 'x'.repeat(room + 1) } }, 'settings')
    // What counts is what they would be, not what was sent; and bytes, not characters.
    await expectRefused({ settings: { b: 1 } }, 'settings')
    await expectRefused({ settings: { a: 'é'.repeat(room / 2 + 1) } }, 'settings')
    await settle({})
    expect((await show()).settings).toEqual({})
  })

  test('do not hold a number that JavaScript cannot', async () => {
    const before = await show()
    const response = await fetch(base + PATH, {
      method: 'PATCH',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: '{"settings":{"a":1e400}}',
    })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ error: 'VALIDATION_FAILED' })
    expect(await show()).toEqual(before)
  })

  test('that are far too large are refused before they are read', async () => {
    const { status, body } = await change({ settings: { a: 'x'.repeat(2 * 1024 * 1024) } })
    expect(status).toBe(413)
    expect(body).toEqual(refusal(413, 'PAYLOAD_TOO_LARGE'))
  })

  test('nested ever deeper break nothing', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(2_500)}1${'}'.repeat(2_500)}`) as object
    const { status } = await change({ settings: { deep } })
    expect([200, 400, 422]).toContain(status)
    await settle({})
    expect((await show()).settings).toEqual({})
  })

  test.each(['a\0b', 'a\ud800b'])('do not hold %j, as a value or as a key', async (text) => {
    for (const settings of [{ a: text }, { [text]: 1 }, { a: [{ b: text }] }]) {
      const before = await show()
      const { status, body } = await change({ settings })
      expect(status).toBe(422)
      expect(body).toMatchObject({ statusCode: 422, error: 'VALIDATION_FAILED' })
      expect(await show()).toEqual(before)
    }
  })
})

describe('settings named like the inside of an object', () => {
  const ATTACKS = [
    '{"__proto__":{"role":"owner","polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"a":{"__proto__":{"polluted":true}}}',
    '{"toString":1,"hasOwnProperty":{"a":1},"valueOf":[]}',
  ]

  test.each(ATTACKS)('%s are kept as they are or refused, and mean nothing', async (json) => {
    await settle({})
    const { status } = await change({ settings: JSON.parse(json) })
    expect([200, 422]).toContain(status)
    const after = (await show()).settings as Record<string, unknown>
    expect(JSON.parse(JSON.stringify(after))).toEqual(status === 200 ? JSON.parse(json) : {})
    expect(Object.hasOwn(after, 'polluted')).toBe(false)
    const stranger = await newOwnedTenant('Untouched')
    const theirs = await call('GET', `/api/tenants/${stranger.tenant.id}`, stranger.owner)
    expect(theirs.body).toEqual({
      ...stranger.tenant,
      settings: {},
      mfaPolicy: 'OPTIONAL',
      memberCount: 1,
      updatedAt: stranger.tenant.createdAt,
    })
    const member = await newMember(owner.headers, tenant.id)
    expect((await change({ name: 'Mine now' }, member)).status).toBe(403)
    await settle({})
  })
})
