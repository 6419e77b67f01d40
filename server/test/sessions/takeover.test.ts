import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, errorReply, findLinkToken, listMailTo, logIn } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import {
  authorize,
  authorizeUrl,
  cookieOf,
  obtainTokens,
  refresh,
  startDemoService,
  thirdParty,
  userinfo,
} from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({ worker: true })
  url = service.url
})
afterAll(() => service.close())

const SQUATTERS = 'password of the squatter'
const OWNERS = 'password of the owner'
const HOUR = 3_600_000
const invalidToken = errorReply(400, 'INVALID_TOKEN')

/** Calls a route like a page of this service. */
const send = (cookie: string, method: string, path: string, body?: unknown) =>
  call(url + path, { method, body, headers: { cookie, origin: service.ctx.config.baseUrl } })
const me = (cookie: string) => send(cookie, 'GET', '/api/users/me')
const register = (email: string, password: string) =>
  call(`${url}/api/auth/register`, { method: 'POST', body: { email, password } })
const verify = (token: string | undefined, password?: string) =>
  call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token, password } })

/** The tokens in the mails with this subject, newest first. */
const linksTo = async (email: string, subject = 'Confirm your email address') =>
  (await listMailTo(service, email)).filter((mail) => mail.subject === subject).map(findLinkToken)

/** Registers an address that belongs to somebody else, and signs in before the owner notices. */
async function squat() {
  const email = `owner-${randomBytes(4).toString('hex')}@people.test`
  expect((await register(email, SQUATTERS)).status).toBe(201)
  return { email, cookie: cookieOf(await logIn(url, email, SQUATTERS)) }
}

/** The owner registers too, follows the link with their own password, and signs in. */
async function takeOver(email: string): Promise<string> {
  expect((await register(email, OWNERS)).status).toBe(201)
  const [link] = await linksTo(email)
  expect((await verify(link, OWNERS)).status).toBe(200)
  expect((await logIn(url, email, SQUATTERS)).status).toBe(401)
  const response = await logIn(url, email, OWNERS)
  expect(response.status).toBe(200)
  return cookieOf(response)
}

/** Submits the form of a page. */
async function submitForm(cookie: string, page: Response, fields: Record<string, string> = {}) {
  const html = await page.text()
  const action = /action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
  return fetch(url + action, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `${cookie}; ${cookieOf(page)}` },
    body: new URLSearchParams({ csrf, ...fields }),
  })
}

describe('when the owner verifies a squatted address', () => {
  test('the sessions and tokens of the squatter end', async () => {
    const { email, cookie } = await squat()
    const tokens = await obtainTokens(url, cookie)
    const own = await takeOver(email)
    expect((await me(cookie)).status).toBe(401)
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    expect(await refresh(url, tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
    expect((await me(own)).body).toMatchObject({ email, emailVerified: true })
  })

  test('a pending address change of the squatter is refused', async () => {
    const { email, cookie } = await squat()
    const newEmail = `squatter-of-${email}`
    const asked = await send(cookie, 'POST', '/api/users/me/email', { newEmail, password: SQUATTERS })
    expect(asked.status).toBe(200)
    const [kept] = await linksTo(newEmail, 'Confirm your new email address')
    expect(kept).toBeDefined()
    const own = await takeOver(email)
    expect(await verify(kept)).toMatchObject(invalidToken)
    expect((await me(own)).body).toMatchObject({ email })
  })

  test('consents of the squatter are deleted', async () => {
    const { email, cookie } = await squat()
    const { clientId: client_id } = await thirdParty(url, `Squatter's ${email}`)
    const page = await fetch(authorizeUrl(url, { client_id }), { headers: { cookie } })
    expect((await submitForm(cookie, page, { decision: 'allow' })).status).toBe(303)
    const silently = { client_id, prompt: 'none' }
    expect((await authorize(url, cookie, silently)).answer.code).toBeDefined()
    const own = await takeOver(email)
    expect((await authorize(url, own, silently)).answer).toMatchObject({ error: 'consent_required' })
  })

  test('the profile of the squatter is deleted', async () => {
    const { email, cookie } = await squat()
    const { body: blank } = await me(cookie)
    const texts = {
      displayName: 'Squatter',
      givenName: 'S.',
      familyName: 'Q.',
      middleName: 'U.',
      nickname: 'Squatty',
      pictureUrl: 'https://evil.test/a.png',
      website: 'https://evil.test/',
      zoneinfo: 'Asia/Tokyo',
      locale: 'fr-FR',
      gender: 'none of yours',
      birthdate: '1950-01-01',
    }
    expect((await send(cookie, 'PATCH', '/api/users/me', texts)).status).toBe(200)
    expect((await me(cookie)).body).toMatchObject(texts)
    const { body } = await me(await takeOver(email))
    for (const field of Object.keys(texts)) expect([field, body[field]]).toEqual([field, blank[field]])
  })

  test('a scheduled deletion is cancelled, and the pending sign-in of the squatter is refused', async () => {
    const { email, cookie } = await squat()
    const farewell = { confirmation: 'DELETE MY ACCOUNT', password: SQUATTERS }
    expect((await send(cookie, 'DELETE', '/api/users/me', farewell)).status).toBe(200)
    const half = await logIn(url, email, SQUATTERS)
    expect(half.status).toBe(403)
    const pending = cookieOf(half)
    expect(pending).toContain('latchkey_sign_in')
    // The squatter has the restore page open.
    const page = await fetch(`${url}/restore`, { headers: { cookie: pending } })
    await takeOver(email)
    const back = await submitForm(pending, page)
    expect(back.headers.get('location')).toMatch(/^\/login/)
    expect((await me(cookieOf(back))).status).toBe(401)
    const code = { method: 'POST', body: { code: '123456' }, headers: { cookie: pending } }
    expect(await call(`${url}/api/auth/mfa`, code)).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
    const [user] = await service.ctx.db.selectFrom('users').selectAll().where('email', '=', email).execute()
    expect(user).toMatchObject({ deletion_requested_at: null, email_verified: true })
  })
})

test('a password reset of a contested address also resets the account', async () => {
  const { email, cookie } = await squat()
  expect((await send(cookie, 'PATCH', '/api/users/me', { displayName: 'Squatter' })).status).toBe(200)
  await register(email, 'forgotten right away')
  await call(`${url}/api/auth/password/forgot`, { method: 'POST', body: { email } })
  const token = await eventually(async () => (await linksTo(email, 'Choose a new password'))[0])
  const body = { token, newPassword: OWNERS }
  expect((await call(`${url}/api/auth/password/reset`, { method: 'POST', body })).status).toBe(200)
  expect((await me(cookie)).status).toBe(401)
  const own = cookieOf(await logIn(url, email, OWNERS))
  expect((await me(own)).body).toMatchObject({ displayName: email.split('@')[0], emailVerified: true })
})

describe('when an address is contested', () => {
  const RESEND = '/api/users/me/email/verification'

  test('a later link still requires the password, after the links of the other claimants have expired', async () => {
    const { email, cookie } = await squat()
    await register(email, OWNERS)
    service.advance(25 * HOUR)
    expect((await send(cookie, 'POST', RESEND)).status).toBe(200)
    const [link] = await linksTo(email)
    expect(await verify(link)).toMatchObject({
      ...invalidToken,
      body: { details: { reason: 'PASSWORD_NEEDED' } },
    })
    expect(await verify(link, OWNERS)).toMatchObject(invalidToken)
    expect((await verify(link, SQUATTERS)).status).toBe(200)
  })

  test('a link requires the current password after a password change', async () => {
    const { email, cookie } = await squat()
    await register(email, OWNERS)
    const [, first] = await linksTo(email)
    const change = { currentPassword: SQUATTERS, newPassword: 'the next password of theirs' }
    expect((await send(cookie, 'POST', '/api/users/me/password', change)).status).toBe(200)
    for (const password of [undefined, SQUATTERS, OWNERS]) {
      expect(await verify(first, password)).toMatchObject(invalidToken)
    }
    expect((await verify(first, change.newPassword)).status).toBe(200)
    // The account was confirmed with its own password, so it is not reset.
    expect((await logIn(url, email, change.newPassword)).status).toBe(200)
    expect((await logIn(url, email, OWNERS)).status).toBe(401)
  })
})
