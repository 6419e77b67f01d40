import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import {
  asPerson,
  call,
  errorBody,
  fromOwnPage,
  newForbiddenCallers,
  ownOrigin,
  withCookies,
} from '../support/calls.ts'
import { bearer, getTokens } from '../support/oauth.ts'
import { demoPerson, newPerson } from '../support/person.ts'
import { baseUrl, readResponse } from '../support/service.ts'

const ME = '/api/users/me'
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const spa = await newClient(await newApplication(), 'SPA')
const someone = await newPerson()
const headers = await asPerson(someone, spa)

const readProfile = async () => (await call('GET', ME, { headers })).body

describe('the profile', () => {
  test('of a new person has every field, and null for missing values', async () => {
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

  test('lists the tenants of the person with their roles', async () => {
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

  test('is the same for a token and for a session cookie', async () => {
    const browser = await someone.signIn()
    expect(await readResponse(await browser.get(ME))).toMatchObject({
      status: 200,
      body: await readProfile(),
    })
  })

  test('is not cacheable, and not readable for other origins', async () => {
    const response = await call('GET', ME, { headers: { ...headers, origin: 'https://evil.test' } })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })

  test.each(['PUT', 'POST'])('does not allow %s', async (method) => {
    expect((await call(method, ME, { headers })).status).toBe(405)
  })
})

describe('access control', () => {
  const forbiddenCallers = newForbiddenCallers(someone)

  test.each([
    ['GET', undefined],
    ['PATCH', { nickname: 'stranger' }],
  ])('%s refuses callers without authentication, machines and third-party applications', async (method, body) => {
    for (const [who, headers, status] of await forbiddenCallers) {
      const origin = { origin: ownOrigin }
      const response = await call(method, ME, { headers: { ...origin, ...headers }, body })
      expect(response.status, who).toBe(status)
      expect(response.body, who).toEqual(errorBody(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
      if (status === 401) expect(response.headers.get('www-authenticate'), who).toMatch(/^Bearer\b/)
    }
    expect(await readProfile()).not.toMatchObject({ nickname: 'stranger' })
  })

  test('an unauthenticated caller learns nothing about the body', async () => {
    expect((await call('PATCH', ME, { body: { zoneinfo: 5 } })).status).toBe(401)
  })

  test.each<[string, Record<string, string>]>([
    ['without an origin', {}],
    ['of another origin', { origin: 'https://evil.test' }],
    ['of an origin with the same prefix', { origin: `${ownOrigin}.evil.test` }],
    ['of the origin null', { origin: 'null' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another site with the own origin', { 'sec-fetch-site': 'cross-site', origin: ownOrigin }],
    ['of a sibling site', { 'sec-fetch-site': 'same-site', origin: ownOrigin }],
  ])('a cookie is not accepted for a write %s', async (_, origin) => {
    const cookies = withCookies(await someone.signIn())
    const response = await call('PATCH', ME, {
      headers: { ...cookies, ...origin },
      body: { nickname: 'forged' },
    })
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    expect(await readProfile()).not.toMatchObject({ nickname: 'forged' })
  })

  test('a cookie is accepted for a write from the own origin, and a token from any origin', async () => {
    const browser = await someone.signIn()
    const body = { nickname: 'from a page' }
    expect((await call('PATCH', ME, { headers: fromOwnPage(browser), body })).status).toBe(200)
    const fetched = { ...withCookies(browser), 'sec-fetch-site': 'same-origin' }
    expect((await call('PATCH', ME, { headers: fetched, body })).status).toBe(200)
    const crossSiteHeaders = { ...headers, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    expect((await call('PATCH', ME, { headers: crossSiteHeaders, body })).status).toBe(200)
  })
})

describe('the body of a change', () => {
  const send = async (type: string | undefined, body: string | undefined) =>
    readResponse(
      await fetch(baseUrl + ME, {
        method: 'PATCH',
        headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
        ...(body === undefined ? {} : { body }),
      }),
    )
  const valid = '{"nickname":"typed"}'

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])('may be %s', async (type) => {
    expect((await send(type, valid)).status).toBe(200)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/merge-patch+json',
    'application/json; charset=utf-16',
  ])('as %s is 415', async (type) => {
    const { status, body } = await send(type, valid)
    expect(status).toBe(415)
    expect(body).toEqual(errorBody(415, 'UNSUPPORTED_MEDIA_TYPE'))
  })

  test.each([
    ['truncated', '{"nickname":', 400],
    ['nothing', '', 400],
    ['a key twice', '{"nickname":"a","nickname":"b"}', 400],
    ['a list', '[]', 422],
    ['null', 'null', 422],
    ['a text', '"nickname"', 422],
    ['too large', `{"nickname":"${'x'.repeat(1_100_000)}"}`, 413],
  ])('that is %s is refused', async (_, body, status) => {
    expect((await send('application/json', body)).status).toBe(status)
  })

  test('a missing body is refused', async () => {
    const { status } = await send(undefined, undefined)
    expect([400, 415, 422]).toContain(status)
  })
})

test('with a bearer token and a cookie of two people, the token counts', async () => {
  const other = await newPerson()
  const { access_token } = await getTokens(await other.signIn(), spa)
  const both = { ...withCookies(await someone.signIn()), ...bearer(access_token) }
  expect((await call('GET', ME, { headers: both })).body).toMatchObject({ email: other.email })
})
