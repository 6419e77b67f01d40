import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { asPerson, call, fromOwnPage, intruders, ownOrigin, refusal, withCookies } from '../support/calls.ts'
import { startCanary } from '../support/canary.ts'
import { authorize, bearer, getTokens, userinfo } from '../support/oauth.ts'
import { readForms, submit } from '../support/pages.ts'
import { demoPerson, newPerson } from '../support/person.ts'
import { base, read } from '../support/service.ts'

const ME = '/api/users/me'
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const spa = await newClient(await newApplication(), 'SPA')
const someone = await newPerson()
const headers = await asPerson(someone, spa)

const me = async () => (await call('GET', ME, { headers })).body
const change = (body: unknown) => call('PATCH', ME, { headers, body })

describe('the profile', () => {
  test('of a new person has every field, and null for what they have not said', async () => {
    const newcomer = await newPerson()
    const { status, body } = await call('GET', ME, { headers: await asPerson(newcomer, spa) })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      email: newcomer.email,
      emailVerified: false,
      username: null,
      displayName: 'Sam Someone',
      givenName: 'Sam',
      familyName: 'Someone',
      middleName: null,
      nickname: null,
      pictureUrl: null,
      website: null,
      gender: null,
      birthdate: null,
      zoneinfo: 'UTC',
      locale: 'en',
      phone: null,
      phoneVerified: false,
      mfaEnabled: false,
      createdAt: expect.stringMatching(TIMESTAMP),
      updatedAt: expect.stringMatching(TIMESTAMP),
      memberships: [],
    })
  })

  test('names the tenants of the person and what they are there', async () => {
    const mia = await asPerson(demoPerson('mia@acme.test'), spa)
    const { memberships } = (await call('GET', ME, { headers: mia })).body
    expect(memberships).toContainEqual({
      tenantId: expect.stringMatching(UUID),
      tenantName: 'Acme',
      tenantSlug: 'acme',
      role: 'member',
      status: 'ACTIVE',
    })
  })

  test('is the same for a token and for the cookie of a browser', async () => {
    const browser = await someone.signIn()
    expect(await read(await browser.get(ME))).toMatchObject({ status: 200, body: await me() })
  })

  test('is not to be kept by caches, nor read by other origins', async () => {
    const answer = await call('GET', ME, { headers: { ...headers, origin: 'https://evil.test' } })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test.each(['PUT', 'POST'])('knows no %s', async (method) => {
    expect((await call(method, ME, { headers })).status).toBe(405)
  })
})

describe('who may enter', () => {
  const strangers = intruders(someone)

  test.each([
    ['GET', undefined],
    ['PATCH', { nickname: 'stranger' }],
  ])('%s lets in no stranger, no machine and no third party', async (method, body) => {
    for (const [who, headers, status] of await strangers) {
      const origin = { origin: ownOrigin }
      const answer = await call(method, ME, { headers: { ...origin, ...headers }, body })
      expect(answer.status, who).toBe(status)
      expect(answer.body, who).toEqual(refusal(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
      if (status === 401) expect(answer.headers.get('www-authenticate'), who).toMatch(/^Bearer\b/)
    }
    expect(await me()).not.toMatchObject({ nickname: 'stranger' })
  })

  test('a stranger learns nothing about what they sent', async () => {
    expect((await call('PATCH', ME, { body: { zoneinfo: 5 } })).status).toBe(401)
  })

  test.each<[string, Record<string, string>]>([
    ['without an origin', {}],
    ['of another origin', { origin: 'https://evil.test' }],
    ['of an origin that begins like ours', { origin: `${ownOrigin}.evil.test` }],
    ['of an origin without a name', { origin: 'null' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another site, whatever its origin', { 'sec-fetch-site': 'cross-site', origin: ownOrigin }],
    ['of a sibling site', { 'sec-fetch-site': 'same-site', origin: ownOrigin }],
  ])('a cookie is no good for a write %s', async (_, origin) => {
    const cookies = withCookies(await someone.signIn())
    const answer = await call('PATCH', ME, {
      headers: { ...cookies, ...origin },
      body: { nickname: 'forged' },
    })
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
    expect(await me()).not.toMatchObject({ nickname: 'forged' })
  })

  test('a cookie is good for a write of our own pages, and a token from anywhere', async () => {
    const browser = await someone.signIn()
    const body = { nickname: 'from a page' }
    expect((await call('PATCH', ME, { headers: fromOwnPage(browser), body })).status).toBe(200)
    const fetched = { ...withCookies(browser), 'sec-fetch-site': 'same-origin' }
    expect((await call('PATCH', ME, { headers: fetched, body })).status).toBe(200)
    const elsewhere = { ...headers, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    expect((await call('PATCH', ME, { headers: elsewhere, body })).status).toBe(200)
  })
})

describe('a change', () => {
  const wishes = {
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

  test('T101: of all eleven fields is answered with the names, and shows in the profile', async () => {
    const before = await me()
    const { status, body } = await change(wishes)
    expect(status).toBe(200)
    const { displayName, givenName, familyName, middleName } = wishes
    expect(body).toEqual({
      id: before.id,
      email: someone.email,
      ...{ displayName, givenName, familyName, middleName },
      updatedAt: expect.stringMatching(TIMESTAMP),
    })
    expect(await me()).toEqual({ ...before, ...wishes, updatedAt: body.updatedAt })
    expect(String(body.updatedAt) > String(before.updatedAt)).toBe(true)
  })

  test('leaves alone what it does not name', async () => {
    await change(wishes)
    const before = await me()
    const { body } = await change({ nickname: 'sam' })
    expect(await me()).toEqual({ ...before, nickname: 'sam', updatedAt: body.updatedAt })
  })

  test('to what is there already leaves updatedAt as it is', async () => {
    await change(wishes)
    const before = await me()
    const { status, body } = await change(wishes)
    expect(status).toBe(200)
    expect(body.updatedAt).toBe(before.updatedAt)
    expect(await me()).toEqual(before)
  })

  test('to an empty text clears names and addresses; the display name is made up again', async () => {
    await change(wishes)
    const empty = {
      ...{ displayName: '', middleName: '', nickname: '', pictureUrl: '', website: '' },
      ...{ gender: '', birthdate: '' },
    }
    const { status, body } = await change(empty)
    expect(status).toBe(200)
    expect(body).toMatchObject({ displayName: 'Samuel Somebody', middleName: null })
    expect(await me()).toMatchObject({ nickname: null, pictureUrl: null, website: null })
    expect(await me()).toMatchObject({ gender: null, birthdate: null })
    expect((await change({ givenName: '', familyName: '' })).body).toMatchObject({
      displayName: someone.email.split('@')[0],
      givenName: null,
    })
  })

  test('shows in userinfo at once, for a token in use', async () => {
    const { access_token } = await getTokens(await someone.signIn(), spa)
    for (const nickname of ['one', 'two', 'three']) {
      await change({ ...wishes, nickname })
      expect((await userinfo(access_token)).body).toMatchObject({
        name: 'Sam S.',
        nickname,
        picture: wishes.pictureUrl,
        gender: wishes.gender,
        birthdate: wishes.birthdate,
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

  test('T101: whatever else is sent is never applied', async () => {
    await change({ nickname: 'before' })
    const before = await me()
    const { status, body } = await change({ ...FORBIDDEN, nickname: 'after' })
    expect(status).toBe(200)
    expect(await me()).toEqual({ ...before, nickname: 'after', updatedAt: body.updatedAt })
    expect((await call('GET', '/api/admin/clients', { headers })).status).toBe(403)
    await someone.signIn()
  })

  test('T101: that names nothing that may be changed is 422', async () => {
    const before = await me()
    for (const body of [{}, FORBIDDEN]) {
      const answer = await change(body)
      expect(answer.status).toBe(422)
      expect(answer.body).toEqual(
        refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'body', message: expect.any(String) }] }),
      )
    }
    expect(await me()).toEqual(before)
  })

  const LONG = 'x'.repeat(10_240)
  const NAMES = ['displayName', 'givenName', 'familyName', 'middleName', 'nickname']
  const unfit = (field: string, ...texts: string[]) =>
    texts.map((text) => [field, text.slice(0, 40), text] as const)

  test.each([
    ...unfit('zoneinfo', '', LONG, 'Mars/Olympus', '+01:00', 'europe/berlin'),
    ...unfit('locale', '', LONG, 'english', 'en_US', 'x-klingon'),
    ...unfit('website', LONG, 'javascript:alert(1)', 'data:text/html,x', 'not a url', '//evil.test/'),
    ...unfit(
      'pictureUrl',
      `https://x.test/${LONG}`,
      'javascript:alert(1)',
      'ftp://x.test/',
      'https://a:b@x.test/',
    ),
    ...unfit('gender', LONG, 'x'.repeat(101), ' ', 'a\u0007b'),
    ...unfit('birthdate', LONG, ' ', '29.02.1988', '1988-2-29', '1989-02-29', '1988-13-01', '1988-02-00'),
    ...unfit('birthdate', '88-02-29', '1988-02-29T00:00:00Z', '+001988-02-29', '9999-12-31', '0000-01-01'),
    ...NAMES.flatMap((field) => unfit(field, LONG, 'x'.repeat(201), ' \t ', 'a\u0007b')),
  ])('T102: %s as %j is 422, and nothing is applied by half', async (field, _, text) => {
    const before = await me()
    const { status, body } = await change({ displayName: 'Half', locale: 'fr', [field]: text })
    expect(status).toBe(422)
    expect(body).toEqual(
      refusal(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
    )
    expect(await me()).toEqual(before)
  })

  test.each([
    ['a number', 5],
    ['true', true],
    ['null', null],
    ['a list', ['x']],
    ['an object', { x: 1 }],
  ])('T102: %s where a text belongs is 422 in every field', async (_, value) => {
    const before = await me()
    const { status, body } = await change(Object.fromEntries(Object.keys(wishes).map((key) => [key, value])))
    expect(status).toBe(422)
    const fields = (body.details as { field: string }[]).map(({ field }) => field)
    expect(fields.sort()).toEqual(Object.keys(wishes).sort())
    expect(await me()).toEqual(before)
  })

  test('T102: every field at fault is named at once', async () => {
    const { body } = await change({ zoneinfo: 'Mars', locale: '!', website: 'x', givenName: 'fine' })
    expect((body.details as { field: string }[]).map(({ field }) => field)).toEqual([
      'website',
      'zoneinfo',
      'locale',
    ])
  })

  test.each(Object.keys(wishes))('T157: U+0000 or half a character in %s is 422', async (field) => {
    for (const escaped of ['\\u0000', '\\ud800']) {
      const answer = await read(
        await fetch(base + ME, {
          method: 'PATCH',
          headers: { ...headers, 'content-type': 'application/json' },
          body: `{"${field}":"a${escaped}b"}`,
        }),
      )
      expect(answer.status).toBe(422)
      expect(answer.body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field }] })
    }
  })

  test('T103: nobody visits the addresses', async () => {
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
      expect(await me()).toMatchObject({ pictureUrl: address, website: address })
      await userinfo((await getTokens(await someone.signIn(), spa)).access_token)
    }
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(canary.visits()).toBe(0)
    canary.close()
  })

  test('T110: a name that looks like markup is text everywhere', async () => {
    const displayName = '<img src=x onerror=alert(1)> & "co"'
    await change({ displayName })
    expect(await me()).toMatchObject({ displayName })
    const stranger = await newClient(await newApplication({ trusted: false }), 'SPA')
    const page = await authorize(await someone.signIn(), stranger, { scope: 'openid profile' })
    expect(page.status).toBe(200)
    expect(await page.text()).not.toContain('<img')
    expect((await change({ displayName: 'Sam\r\nBcc: victim@else.test' })).status).toBe(422)
  })
})

describe('the body of a change', () => {
  const send = async (type: string | undefined, body: string | undefined) =>
    read(
      await fetch(base + ME, {
        method: 'PATCH',
        headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
        ...(body === undefined ? {} : { body }),
      }),
    )
  const good = '{"nickname":"typed"}'

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'may be %s',
    async (type) => {
      expect((await send(type, good)).status).toBe(200)
    },
  )

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/merge-patch+json',
    'application/json; charset=utf-16',
  ])('as %s is 415', async (type) => {
    const { status, body } = await send(type, good)
    expect(status).toBe(415)
    expect(body).toEqual(refusal(415, 'UNSUPPORTED_MEDIA_TYPE'))
  })

  test.each([
    ['cut off', '{"nickname":', 400],
    ['nothing', '', 400],
    ['a key twice', '{"nickname":"a","nickname":"b"}', 400],
    ['a list', '[]', 422],
    ['null', 'null', 422],
    ['a text', '"nickname"', 422],
    ['too large', `{"nickname":"${'x'.repeat(1_100_000)}"}`, 413],
  ])('that is %s is refused', async (_, body, status) => {
    expect((await send('application/json', body)).status).toBe(status)
  })

  test('that is missing is refused', async () => {
    const { status } = await send(undefined, undefined)
    expect([400, 415, 422]).toContain(status)
  })
})

test('bearer and cookie of two people together: the token counts', async () => {
  const other = await newPerson()
  const { access_token } = await getTokens(await other.signIn(), spa)
  const both = { ...withCookies(await someone.signIn()), ...bearer(access_token) }
  expect((await call('GET', ME, { headers: both })).body).toMatchObject({ email: other.email })
})

describe('the page of the profile', () => {
  const PAGE = '/account/profile'
  const profileForm = async (page: Response) => {
    const form = (await readForms(page)).find(({ inputs }) => inputs.includes('birthdate'))
    if (!form) throw new Error(`no form of the profile at ${page.url}: ${page.status}`)
    return form
  }
  const own = async () => {
    const person = await newPerson()
    const browser = await person.signIn()
    const profile = async () => (await read(await browser.get(ME))).body
    return { browser, profile, form: await profileForm(await browser.get(PAGE)) }
  }

  test('T101: changes what was filled in, and leaves the rest', async () => {
    const { browser, profile, form } = await own()
    const before = await profile()
    const page = await submit(browser, form, { gender: 'female', birthdate: '1990-12-31', nickname: ' S ' })
    expect(page.status).toBe(200)
    expect(await page.clone().text()).toMatch(/role="status"/)
    expect(await profile()).toEqual({
      ...before,
      ...{ gender: 'female', birthdate: '1990-12-31', nickname: 'S', updatedAt: expect.any(String) },
    })
    const again = await profileForm(page)
    expect(again.fields).toMatchObject({ gender: 'female', birthdate: '1990-12-31', displayName: '' })
    await submit(browser, again, { gender: '', birthdate: '' })
    expect(await profile()).toMatchObject({ gender: null, birthdate: null, nickname: 'S' })
  })

  test('T102: says what is wrong, keeps what was typed, and applies nothing by half', async () => {
    const { browser, profile, form } = await own()
    const before = await profile()
    const page = await submit(browser, form, { nickname: 'half', birthdate: 'yesterday' })
    expect(page.status).toBe(422)
    expect(await page.clone().text()).toMatch(/role="alert"[^<]*>[^<]*date of birth/i)
    expect((await profileForm(page)).fields).toMatchObject({ nickname: 'half' })
    const long = `https://sam.example.com/${'x'.repeat(3_000)}`
    expect((await submit(browser, form, { website: long })).status).toBe(422)
    expect(await profile()).toEqual(before)
  })

  test('is for those who are signed in, and its form is good from itself alone', async () => {
    const { browser, profile, form } = await own()
    const stranger = await openBrowser().get(PAGE)
    expect(stranger.status).toBe(303)
    const { csrf: _, ...forged } = form.fields
    expect((await browser.post(PAGE, { ...forged, nickname: 'forged' })).status).toBe(403)
    expect(await profile()).toMatchObject({ nickname: null })
  })
})
