import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { asPerson, call, errorBody } from '../support/calls.ts'
import { startCanary } from '../support/canary.ts'
import { authorize, getTokens, getUserinfo } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, readResponse } from '../support/service.ts'

const ME = '/api/users/me'
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const spa = await newClient(await newApplication(), 'SPA')
const someone = await newPerson()
const headers = await asPerson(someone, spa)

const readProfile = async () => (await call('GET', ME, { headers })).body
const change = (body: unknown) => call('PATCH', ME, { headers, body })

describe('a change of the profile', () => {
  const allFields = {
    displayName: 'Sam S.',
    givenName: 'Samuel',
    familyName: 'Somebody',
    middleName: 'Q.',
    nickname: 'sammy',
    pictureUrl: 'https://cdn.example.com/sam.png',
    website: 'https://sam.example.com/',
    gender: 'non-binary',
    birthdate: '1988-02-29',
    zoneinfo: 'Europe/Berlin',
    locale: 'de-DE',
  }

  test('T101: of all eleven fields responds with the names, and is visible in the profile', async () => {
    const before = await readProfile()
    const { status, body } = await change(allFields)
    expect(status).toBe(200)
    const { displayName, givenName, familyName, middleName } = allFields
    expect(body).toEqual({
      id: before.id,
      email: someone.email,
      displayName,
      givenName,
      familyName,
      middleName,
      updatedAt: expect.stringMatching(TIMESTAMP),
    })
    expect(await readProfile()).toEqual({ ...before, ...allFields, updatedAt: body.updatedAt })
    expect(String(body.updatedAt) > String(before.updatedAt)).toBe(true)
  })

  test('does not affect other fields', async () => {
    await change(allFields)
    const before = await readProfile()
    const { body } = await change({ nickname: 'sam' })
    expect(await readProfile()).toEqual({ ...before, nickname: 'sam', updatedAt: body.updatedAt })
  })

  test('to the same value keeps updatedAt', async () => {
    await change(allFields)
    const before = await readProfile()
    const { status, body } = await change(allFields)
    expect(status).toBe(200)
    expect(body.updatedAt).toBe(before.updatedAt)
    expect(await readProfile()).toEqual(before)
  })

  test('to an empty text clears names and addresses; the display name is derived again', async () => {
    await change(allFields)
    const empty = {
      displayName: '',
      middleName: '',
      nickname: '',
      pictureUrl: '',
      website: '',
      gender: '',
      birthdate: '',
    }
    const { status, body } = await change(empty)
    expect(status).toBe(200)
    expect(body).toMatchObject({ displayName: 'Samuel Somebody', middleName: null })
    expect(await readProfile()).toMatchObject({ nickname: null, pictureUrl: null, website: null })
    expect(await readProfile()).toMatchObject({ gender: null, birthdate: null })
    expect((await change({ givenName: '', familyName: '' })).body).toMatchObject({
      displayName: someone.email.split('@')[0],
      givenName: null,
    })
  })

  test('is visible in userinfo immediately, with an existing token', async () => {
    const { access_token } = await getTokens(await someone.signIn(), spa)
    for (const nickname of ['one', 'two', 'three']) {
      await change({ ...allFields, nickname })
      expect((await getUserinfo(access_token)).body).toMatchObject({
        name: 'Sam S.',
        nickname,
        picture: allFields.pictureUrl,
        gender: allFields.gender,
        birthdate: allFields.birthdate,
        zoneinfo: 'Europe/Berlin',
        locale: 'de-DE',
      })
    }
  })

  const FORBIDDEN = {
    id: '018f0000-0000-7000-8000-000000000000',
    email: 'somebody@else.test',
    emailVerified: true,
    username: 'root',
    phone: '+490000',
    phoneVerified: true,
    mfaEnabled: true,
    role: 'owner',
    isSuperAdmin: true,
    is_super_admin: true,
    email_verified: true,
    password: 'a new password entirely',
    passwordHash: 'x',
    password_hash: 'x',
    disabled: true,
    createdAt: '2000-01-01T00:00:00.000Z',
    updatedAt: '2000-01-01T00:00:00.000Z',
    memberships: [{ tenantId: '018f0000-0000-7000-8000-000000000000', role: 'owner' }],
    constructor: { prototype: { admin: true } },
  }

  test('T101: unknown fields are never applied', async () => {
    await change({ nickname: 'before' })
    const before = await readProfile()
    const { status, body } = await change({ ...FORBIDDEN, nickname: 'after' })
    expect(status).toBe(200)
    expect(await readProfile()).toEqual({ ...before, nickname: 'after', updatedAt: body.updatedAt })
    expect((await call('GET', '/api/admin/clients', { headers })).status).toBe(403)
    await someone.signIn()
  })

  test('T101: without any changeable field is 422', async () => {
    const before = await readProfile()
    for (const body of [{}, FORBIDDEN]) {
      const response = await change(body)
      expect(response.status).toBe(422)
      expect(response.body).toEqual(
        errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'body', message: expect.any(String) }] }),
      )
    }
    expect(await readProfile()).toEqual(before)
  })

  const LONG = 'x'.repeat(10_240)
  const NAMES = ['displayName', 'givenName', 'familyName', 'middleName', 'nickname']
  const invalid = (field: string, ...texts: string[]) => texts.map((text) => [field, text.slice(0, 40), text] as const)

  test.each([
    ...invalid('zoneinfo', '', LONG, 'Mars/Olympus', '+01:00', 'europe/berlin'),
    ...invalid('locale', '', LONG, 'english', 'en_US', 'x-klingon'),
    ...invalid('website', LONG, 'javascript:alert(1)', 'data:text/html,x', 'not a url', '//evil.test/'),
    ...invalid('pictureUrl', `https://x.test/${LONG}`, 'javascript:alert(1)', 'ftp://x.test/', 'https://a:b@x.test/'),
    ...invalid('gender', LONG, 'x'.repeat(101), ' ', 'a\u0007b'),
    ...invalid('birthdate', LONG, ' ', '29.02.1988', '1988-2-29', '1989-02-29', '1988-13-01', '1988-02-00'),
    ...invalid('birthdate', '88-02-29', '1988-02-29T00:00:00Z', '+001988-02-29', '9999-12-31', '0000-01-01'),
    ...NAMES.flatMap((field) => invalid(field, LONG, 'x'.repeat(201), ' \t ', 'a\u0007b')),
  ])('T102: %s as %j is 422, and no field is changed', async (field, _, text) => {
    const before = await readProfile()
    const { status, body } = await change({ displayName: 'Half', locale: 'fr', [field]: text })
    expect(status).toBe(422)
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }))
    expect(await readProfile()).toEqual(before)
  })

  test.each([
    ['a number', 5],
    ['true', true],
    ['null', null],
    ['a list', ['x']],
    ['an object', { x: 1 }],
  ])('T102: %s instead of a text is 422 in every field', async (_, value) => {
    const before = await readProfile()
    const { status, body } = await change(Object.fromEntries(Object.keys(allFields).map((key) => [key, value])))
    expect(status).toBe(422)
    const fields = (body.details as { field: string }[]).map(({ field }) => field)
    expect(fields.sort()).toEqual(Object.keys(allFields).sort())
    expect(await readProfile()).toEqual(before)
  })

  test('T102: all invalid fields are reported together', async () => {
    const { body } = await change({ zoneinfo: 'Mars', locale: '!', website: 'x', givenName: 'fine' })
    expect((body.details as { field: string }[]).map(({ field }) => field)).toEqual(['website', 'zoneinfo', 'locale'])
  })

  test.each(Object.keys(allFields))('T157: U+0000 or a lone surrogate in %s is 422', async (field) => {
    for (const escaped of ['\\u0000', '\\ud800']) {
      const response = await readResponse(
        await fetch(baseUrl + ME, {
          method: 'PATCH',
          headers: { ...headers, 'content-type': 'application/json' },
          body: `{"${field}":"a${escaped}b"}`,
        }),
      )
      expect(response.status).toBe(422)
      expect(response.body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field }] })
    }
  })

  test('T103: the service does not request the URLs in the profile', async () => {
    const canary = await startCanary()
    const { port } = new URL(canary.url)
    for (const address of [
      canary.url,
      `http://localhost:${port}/x`,
      `http://[::ffff:127.0.0.1]:${port}/x`,
      'http://169.254.169.254/latest/meta-data/',
    ]) {
      const { status } = await change({ pictureUrl: address, website: address })
      expect(status).toBe(200)
      expect(await readProfile()).toMatchObject({ pictureUrl: address, website: address })
      await getUserinfo((await getTokens(await someone.signIn(), spa)).access_token)
    }
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(canary.requests()).toBe(0)
    canary.close()
  })

  test('T110: a name with markup is shown as text everywhere', async () => {
    const displayName = '<img src=x onerror=alert(1)> & "co"'
    await change({ displayName })
    expect(await readProfile()).toMatchObject({ displayName })
    const thirdParty = await newClient(await newApplication({ trusted: false }), 'SPA')
    const page = await authorize(await someone.signIn(), thirdParty, { scope: 'openid profile' })
    expect(page.status).toBe(200)
    expect(await page.text()).not.toContain('<img')
    expect((await change({ displayName: 'Sam\r\nBcc: victim@else.test' })).status).toBe(422)
  })
})
