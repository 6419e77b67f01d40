import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import type { Browser } from '../support/browser.ts'
import { call, fromOwnPage, intruders, ownOrigin, refusal, withCookies } from '../support/calls.ts'
import { splitToken } from '../support/jwt.ts'
import { bearer, getTokens, refresh, userinfo } from '../support/oauth.ts'
import { newPerson, type Person } from '../support/person.ts'
import { rawRequest } from '../support/raw.ts'
import { base } from '../support/service.ts'

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

async function list(headers: Record<string, string>): Promise<Session[]> {
  const { status, body } = await call<{ sessions: Session[] }>('GET', SESSIONS, { headers })
  expect(status).toBe(200)
  return body.sessions
}

const isAlive = async (browser: Browser) =>
  (await call('GET', SESSIONS, { headers: withCookies(browser) })).status === 200

async function currentId(browser: Browser): Promise<string> {
  return (await list(withCookies(browser))).find(({ isCurrent }) => isCurrent)?.id ?? ''
}

/** A device of somebody, with tokens that came from its session. */
async function newDevice(person: Person) {
  const browser = await person.signIn()
  return { browser, tokens: await getTokens(browser, spa) }
}

async function expectDead({ browser, tokens }: Awaited<ReturnType<typeof newDevice>>) {
  expect(await isAlive(browser)).toBe(false)
  expect((await userinfo(tokens.access_token)).status).toBe(401)
  expect((await call('GET', SESSIONS, { headers: bearer(tokens.access_token) })).status).toBe(401)
  expect(await refresh(spa, tokens.refresh_token)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
}

describe('the list', () => {
  test('T097: shows each session of the person, the latest first, and which of them asks', async () => {
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
    expect(older?.id).toBe(splitToken(first.tokens.access_token).payload.sid)
  })

  test('T097: a token belongs to the session it came from', async () => {
    const person = await newPerson()
    const { tokens, browser } = await newDevice(person)
    await person.signIn()
    const sessions = await list(bearer(tokens.access_token))
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1)
    expect(sessions.find(({ isCurrent }) => isCurrent)?.id).toBe(await currentId(browser))
    expect(sessions).toHaveLength(2)
  })

  test('the id of a session is not the secret of its cookie', async () => {
    const browser = await (await newPerson()).signIn()
    const id = await currentId(browser)
    expect([...browser.cookies.values()].join()).not.toContain(id)
    const cookie = [...browser.cookies.keys()].map((name) => `${name}=${id}`).join('; ')
    expect((await call('GET', SESSIONS, { headers: { cookie } })).status).toBe(401)
  })

  test('T098: the address is that of the peer, whatever X-Forwarded-For says', async () => {
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
    const sessions = await list({ ...withCookies(await person.signIn()), ...spoofed })
    expect(sessions).toHaveLength(2)
    for (const { ipAddress } of sessions) expect(ipAddress).not.toContain('203.0.113.7')
  })

  test('T098: a browser with a name of 8 KB and control characters harms nothing', async () => {
    const person = await newPerson()
    const { email, password } = person
    const name = `Evil\t\u0085\u009b31m<script>${'x'.repeat(8_000)}`
    const { status } = await rawRequest('/api/auth/login', {
      method: 'POST',
      headers: ['Content-Type', 'application/json', 'User-Agent', name],
      body: JSON.stringify({ email, password }),
    })
    expect(status).toBe(200)
    const response = await fetch(base + SESSIONS, { headers: withCookies(await person.signIn()) })
    const text = await response.text()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|\\[bfnrt]|\\u00[01]/)
    const { sessions } = JSON.parse(text) as { sessions: Session[] }
    const evil = sessions.find(({ userAgent }) => userAgent.startsWith('Evil'))
    expect(evil?.userAgent.length).toBeLessThanOrEqual(1_024)
  })
})

describe('ending one', () => {
  test('T097: ends that device with its tokens at once, and no other', async () => {
    const person = await newPerson()
    const lost = await newDevice(person)
    const kept = await newDevice(person)
    const third = await person.signIn()
    const path = `${SESSIONS}/${await currentId(lost.browser)}`
    const { status, body } = await call('DELETE', path, { headers: bearer(kept.tokens.access_token) })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Session revoked' })
    await expectDead(lost)
    expect([await isAlive(kept.browser), await isAlive(third)]).toEqual([true, true])
    expect((await userinfo(kept.tokens.access_token)).status).toBe(200)
    const again = await call('DELETE', path, { headers: bearer(kept.tokens.access_token) })
    expect(again.status).toBe(404)
    expect(again.body).toEqual(refusal(404, 'SESSION_NOT_FOUND'))
  })

  test('T097: that is somebody else’s, unknown or no id at all is 404 alike, and ends nothing', async () => {
    const other = await (await newPerson()).signIn()
    const headers = fromOwnPage(await (await newPerson()).signIn())
    for (const id of [
      await currentId(other),
      (await currentId(other)).toUpperCase(),
      '018f0000-0000-7000-8000-000000000000',
      'garbage',
      '0',
      "'%20or%201=1--",
      'me',
    ]) {
      const answer = await call('DELETE', `${SESSIONS}/${id}`, { headers })
      expect(answer.status, id).toBe(404)
      expect(answer.body, id).toEqual(refusal(404, 'SESSION_NOT_FOUND'))
    }
    expect((await call('DELETE', `${SESSIONS}/${'x'.repeat(500)}`, { headers })).status).toBe(404)
    expect((await call('DELETE', `${SESSIONS}/%00`, { headers })).status).toBe(404)
    expect(await isAlive(other)).toBe(true)
  })

  test('the current one is allowed, and the others stay', async () => {
    const person = await newPerson()
    const here = await newDevice(person)
    const elsewhere = await newDevice(person)
    const path = `${SESSIONS}/${await currentId(here.browser)}`
    expect((await call('DELETE', path, { headers: fromOwnPage(here.browser) })).status).toBe(200)
    await expectDead(here)
    expect(await list(bearer(elsewhere.tokens.access_token))).toMatchObject([{ isCurrent: true }])
  })
})

describe('ending all others', () => {
  test('T097: keeps the one that asks, says how many there were, and ends every token of theirs', async () => {
    const person = await newPerson()
    const bystander = await newDevice(await newPerson())
    const others = [await newDevice(person), await newDevice(person), await newDevice(person)]
    const kept = await newDevice(person)
    const { status, body } = await call('DELETE', SESSIONS, { headers: fromOwnPage(kept.browser) })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'All other sessions revoked', count: 3 })
    for (const device of others) await expectDead(device)
    expect(await list(withCookies(kept.browser))).toMatchObject([{ isCurrent: true }])
    expect((await refresh(spa, kept.tokens.refresh_token)).status).toBe(200)
    expect(await isAlive(bystander.browser)).toBe(true)
    const again = await call('DELETE', SESSIONS, { headers: bearer(kept.tokens.access_token) })
    expect(again.body).toEqual({ success: true, message: 'All other sessions revoked', count: 0 })
  })
})

describe('who may enter', () => {
  const person = newPerson()
  const strangers = person.then(intruders)
  const ROUTES = [
    ['GET', SESSIONS],
    ['DELETE', SESSIONS],
    ['DELETE', `${SESSIONS}/018f0000-0000-7000-8000-000000000000`],
  ] as const

  test.each(ROUTES)('%s %s lets in no stranger, no machine and no third party', async (method, path) => {
    const witness = await (await person).signIn()
    for (const [who, headers, status] of await strangers) {
      const answer = await call(method, path, { headers: { origin: ownOrigin, ...headers } })
      expect(answer.status, who).toBe(status)
      expect(answer.body, who).toEqual(refusal(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
      if (status === 401) expect(answer.headers.get('www-authenticate'), who).toMatch(/^Bearer\b/)
    }
    expect(await isAlive(witness)).toBe(true)
  })

  test.each<[string, Record<string, string>]>([
    ['without an origin', {}],
    ['of another origin', { origin: 'https://evil.test' }],
    ['of another site', { 'sec-fetch-site': 'cross-site', origin: ownOrigin }],
  ])('a cookie ends nothing for a page %s', async (_, origin) => {
    const browser = await (await person).signIn()
    const other = await (await person).signIn()
    const headers = { ...withCookies(browser), ...origin }
    for (const path of [SESSIONS, `${SESSIONS}/${await currentId(other)}`]) {
      const answer = await call('DELETE', path, { headers })
      expect(answer.status).toBe(403)
      expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
    }
    expect(await isAlive(other)).toBe(true)
  })

  test.each(['POST', 'PUT', 'PATCH'])('%s is 405', async (method) => {
    expect(
      (await call(method, SESSIONS, { headers: fromOwnPage(await (await person).signIn()) })).status,
    ).toBe(405)
  })
})
