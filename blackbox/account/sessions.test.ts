import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import type { Browser } from '../support/browser.ts'
import { call, errorBody, fromOwnPage, newForbiddenCallers, ownOrigin, withCookies } from '../support/calls.ts'
import { decodeToken } from '../support/jwt.ts'
import { bearer, getTokens, getUserinfo, refreshTokens } from '../support/oauth.ts'
import { newPerson, type Person } from '../support/person.ts'
import { rawRequest } from '../support/raw.ts'
import { baseUrl } from '../support/service.ts'

const SESSIONS = '/api/users/me/sessions'
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const spa = await newClient(await newApplication(), 'SPA')

interface Session {
  id: string
  userAgent: string
  ipAddress: string
  lastActive: string
  isCurrent: boolean
}

async function listSessions(headers: Record<string, string>): Promise<Session[]> {
  const { status, body } = await call<{ sessions: Session[] }>('GET', SESSIONS, { headers })
  expect(status).toBe(200)
  return body.sessions
}

const hasSession = async (browser: Browser) =>
  (await call('GET', SESSIONS, { headers: withCookies(browser) })).status === 200

async function getCurrentId(browser: Browser): Promise<string> {
  return (await listSessions(withCookies(browser))).find(({ isCurrent }) => isCurrent)?.id ?? ''
}

/** A signed-in browser and tokens from its session. */
async function newDevice(person: Person) {
  const browser = await person.signIn()
  return { browser, tokens: await getTokens(browser, spa) }
}

async function expectEnded({ browser, tokens }: Awaited<ReturnType<typeof newDevice>>) {
  expect(await hasSession(browser)).toBe(false)
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  expect((await call('GET', SESSIONS, { headers: bearer(tokens.access_token) })).status).toBe(401)
  expect(await refreshTokens(spa, tokens.refresh_token)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
}

describe('the list', () => {
  test('T097: contains each session of the person, the latest first, and marks the current one', async () => {
    const person = await newPerson()
    await (await newPerson()).signIn()
    const first = await newDevice(person)
    const second = await newDevice(person)
    const { status, body } = await call('GET', SESSIONS, { headers: withCookies(second.browser) })
    expect(status).toBe(200)
    const session = {
      id: expect.stringMatching(UUID),
      userAgent: expect.any(String),
      ipAddress: expect.stringMatching(/^(?:127\.0\.0\.1|::1|::ffff:127\.0\.0\.1|[\d.]+|[\da-f:]+)$/),
      location: expect.stringMatching(/\S/),
      lastActive: expect.stringMatching(TIMESTAMP),
      createdAt: expect.stringMatching(TIMESTAMP),
    }
    expect(body).toEqual({
      sessions: [
        { ...session, isCurrent: true },
        { ...session, isCurrent: false },
      ],
    })
    const [newer, older] = body.sessions as Session[]
    expect(String(newer?.lastActive) >= String(older?.lastActive)).toBe(true)
    expect(older?.id).toBe(decodeToken(first.tokens.access_token).payload.sid)
  })

  test('T097: a token belongs to the session that issued it', async () => {
    const person = await newPerson()
    const { tokens, browser } = await newDevice(person)
    await person.signIn()
    const sessions = await listSessions(bearer(tokens.access_token))
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1)
    expect(sessions.find(({ isCurrent }) => isCurrent)?.id).toBe(await getCurrentId(browser))
    expect(sessions).toHaveLength(2)
  })

  test('the id of a session is not the secret of its cookie', async () => {
    const browser = await (await newPerson()).signIn()
    const id = await getCurrentId(browser)
    expect([...browser.cookies.values()].join()).not.toContain(id)
    const cookie = [...browser.cookies.keys()].map((name) => `${name}=${id}`).join('; ')
    expect((await call('GET', SESSIONS, { headers: { cookie } })).status).toBe(401)
  })

  test('T098: the IP address is that of the peer, even with X-Forwarded-For', async () => {
    const person = await newPerson()
    const spoofed = {
      'x-forwarded-for': '203.0.113.7',
      forwarded: 'for=203.0.113.7',
      'x-real-ip': '203.0.113.7',
      'true-client-ip': '203.0.113.7',
    }
    const { email, password } = person
    const body = { email, password }
    expect((await call('POST', '/api/auth/login', { headers: spoofed, body })).status).toBe(200)
    const sessions = await listSessions({ ...withCookies(await person.signIn()), ...spoofed })
    expect(sessions).toHaveLength(2)
    for (const { ipAddress } of sessions) expect(ipAddress).not.toContain('203.0.113.7')
  })

  test('T098: a user agent of 8 KB with control characters is stored safely', async () => {
    const person = await newPerson()
    const { email, password } = person
    const name = `Evil\t\u0085\u009b31m<script>${'x'.repeat(8_000)}`
    const { status } = await rawRequest('/api/auth/login', {
      method: 'POST',
      headers: ['Content-Type', 'application/json', 'User-Agent', name],
      body: JSON.stringify({ email, password }),
    })
    expect(status).toBe(200)
    const response = await fetch(baseUrl + SESSIONS, { headers: withCookies(await person.signIn()) })
    const text = await response.text()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|\\[bfnrt]|\\u00[01]/)
    const { sessions } = JSON.parse(text) as { sessions: Session[] }
    const evil = sessions.find(({ userAgent }) => userAgent.startsWith('Evil'))
    expect(evil?.userAgent.length).toBeLessThanOrEqual(1_024)
  })
})

describe('ending a session', () => {
  test('T097: revokes its tokens immediately, and no others', async () => {
    const person = await newPerson()
    const lost = await newDevice(person)
    const kept = await newDevice(person)
    const third = await person.signIn()
    const path = `${SESSIONS}/${await getCurrentId(lost.browser)}`
    const { status, body } = await call('DELETE', path, { headers: bearer(kept.tokens.access_token) })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Session revoked' })
    await expectEnded(lost)
    expect([await hasSession(kept.browser), await hasSession(third)]).toEqual([true, true])
    expect((await getUserinfo(kept.tokens.access_token)).status).toBe(200)
    const again = await call('DELETE', path, { headers: bearer(kept.tokens.access_token) })
    expect(again.status).toBe(404)
    expect(again.body).toEqual(errorBody(404, 'SESSION_NOT_FOUND'))
  })

  test('T097: an unknown, malformed or foreign id is the same 404 and ends nothing', async () => {
    const other = await (await newPerson()).signIn()
    const headers = fromOwnPage(await (await newPerson()).signIn())
    for (const id of [
      await getCurrentId(other),
      (await getCurrentId(other)).toUpperCase(),
      '018f0000-0000-7000-8000-000000000000',
      'garbage',
      '0',
      "'%20or%201=1--",
      'me',
    ]) {
      const response = await call('DELETE', `${SESSIONS}/${id}`, { headers })
      expect(response.status, id).toBe(404)
      expect(response.body, id).toEqual(errorBody(404, 'SESSION_NOT_FOUND'))
    }
    expect((await call('DELETE', `${SESSIONS}/${'x'.repeat(500)}`, { headers })).status).toBe(404)
    expect((await call('DELETE', `${SESSIONS}/%00`, { headers })).status).toBe(404)
    expect(await hasSession(other)).toBe(true)
  })

  test('the current session can be ended, and the others stay', async () => {
    const person = await newPerson()
    const here = await newDevice(person)
    const otherDevice = await newDevice(person)
    const path = `${SESSIONS}/${await getCurrentId(here.browser)}`
    expect((await call('DELETE', path, { headers: fromOwnPage(here.browser) })).status).toBe(200)
    await expectEnded(here)
    expect(await listSessions(bearer(otherDevice.tokens.access_token))).toMatchObject([{ isCurrent: true }])
  })
})

describe('ending all others', () => {
  test('T097: keeps the current session, returns the number of ended ones, and revokes their tokens', async () => {
    const person = await newPerson()
    const bystander = await newDevice(await newPerson())
    const others = [await newDevice(person), await newDevice(person), await newDevice(person)]
    const kept = await newDevice(person)
    const { status, body } = await call('DELETE', SESSIONS, { headers: fromOwnPage(kept.browser) })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'All other sessions revoked', count: 3 })
    for (const device of others) await expectEnded(device)
    expect(await listSessions(withCookies(kept.browser))).toMatchObject([{ isCurrent: true }])
    expect((await refreshTokens(spa, kept.tokens.refresh_token)).status).toBe(200)
    expect(await hasSession(bystander.browser)).toBe(true)
    const again = await call('DELETE', SESSIONS, { headers: bearer(kept.tokens.access_token) })
    expect(again.body).toEqual({ success: true, message: 'All other sessions revoked', count: 0 })
  })
})

describe('access control', () => {
  const person = newPerson()
  const forbiddenCallers = person.then(newForbiddenCallers)
  const ROUTES = [
    ['GET', SESSIONS],
    ['DELETE', SESSIONS],
    ['DELETE', `${SESSIONS}/018f0000-0000-7000-8000-000000000000`],
  ] as const

  test.each(ROUTES)(
    '%s %s refuses callers without authentication, machines and third-party applications',
    async (method, path) => {
      const witness = await (await person).signIn()
      for (const [who, headers, status] of await forbiddenCallers) {
        const response = await call(method, path, { headers: { origin: ownOrigin, ...headers } })
        expect(response.status, who).toBe(status)
        expect(response.body, who).toEqual(errorBody(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
        if (status === 401) expect(response.headers.get('www-authenticate'), who).toMatch(/^Bearer\b/)
      }
      expect(await hasSession(witness)).toBe(true)
    },
  )

  test.each<[string, Record<string, string>]>([
    ['without an origin', {}],
    ['of another origin', { origin: 'https://evil.test' }],
    ['of another site', { 'sec-fetch-site': 'cross-site', origin: ownOrigin }],
  ])('a cookie ends nothing for a page %s', async (_, origin) => {
    const browser = await (await person).signIn()
    const other = await (await person).signIn()
    const headers = { ...withCookies(browser), ...origin }
    for (const path of [SESSIONS, `${SESSIONS}/${await getCurrentId(other)}`]) {
      const response = await call('DELETE', path, { headers })
      expect(response.status).toBe(403)
      expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
    expect(await hasSession(other)).toBe(true)
  })

  test.each(['POST', 'PUT', 'PATCH'])('%s is 405', async (method) => {
    expect((await call(method, SESSIONS, { headers: fromOwnPage(await (await person).signIn()) })).status).toBe(405)
  })
})
