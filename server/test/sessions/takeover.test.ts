import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, failure, logIn, mailTo, tokenIn } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import {
  authorize,
  authorizeUrl,
  cookieOf,
  obtainTokens,
  refresh,
  startWorld,
  thirdParty,
  userinfo,
} from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld({ worker: true })
  url = service.url
})
afterAll(() => service.close())

const SQUATTERS = 'password of the squatter'
const OWNERS = 'password of the owner'
const HOUR = 3_600_000
const invalidToken = failure(400, 'INVALID_TOKEN')

/** Calls a route as a page of ours does. */
const send = (cookie: string, method: string, path: string, body?: unknown) =>
  call(url + path, { method, body, headers: { cookie, origin: service.ctx.config.baseUrl } })
const me = (cookie: string) => send(cookie, 'GET', '/api/users/me')
const register = (email: string, password: string) =>
  call(`${url}/api/auth/register`, { method: 'POST', body: { email, password } })
const verify = (token: string | undefined, password?: string) =>
  call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token, password } })

/** The links in the mails with this subject, newest first. */
const linksTo = async (email: string, subject = 'Confirm your e-mail address') =>
  (await mailTo(service, email)).filter((mail) => mail.subject === subject).map(tokenIn)

/** Somebody who has signed up with an address that is not theirs, and is in before its owner knows. */
async function squat() {
  const email = `owner-${randomBytes(4).toString('hex')}@people.test`
  expect((await register(email, SQUATTERS)).status).toBe(201)
  return { email, cookie: cookieOf(await logIn(url, email, SQUATTERS)) }
}

/** The owner signs up as well, follows the link with their own password, and signs in. */
async function takeOver(email: string): Promise<string> {
  expect((await register(email, OWNERS)).status).toBe(201)
  const [link] = await linksTo(email)
  expect((await verify(link, OWNERS)).status).toBe(200)
  expect((await logIn(url, email, SQUATTERS)).status).toBe(401)
  const response = await logIn(url, email, OWNERS)
  expect(response.status).toBe(200)
  return cookieOf(response)
}

/** Presses the button of a page. */
async function press(cookie: string, page: Response, fields: Record<string, string> = {}) {
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

describe('whoever proves that a squatted address is theirs begins anew:', () => {
  test('sessions and tokens of the squatter end', async () => {
    const { email, cookie } = await squat()
    const tokens = await obtainTokens(url, cookie)
    const own = await takeOver(email)
    expect((await me(cookie)).status).toBe(401)
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    expect(await refresh(url, tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
    expect((await me(own)).body).toMatchObject({ email, emailVerified: true })
  })

  test('the link to another address that the squatter asked for moves nothing', async () => {
    const { email, cookie } = await squat()
    const newEmail = `squatter-of-${email}`
    const asked = await send(cookie, 'POST', '/api/users/me/email', { newEmail, password: SQUATTERS })
    expect(asked.status).toBe(200)
    const [kept] = await linksTo(newEmail, 'Confirm your new e-mail address')
    expect(kept).toBeDefined()
    const own = await takeOver(email)
    expect(await verify(kept)).toMatchObject(invalidToken)
    expect((await me(own)).body).toMatchObject({ email })
  })

  test('applications that the squatter allowed must ask', async () => {
    const { email, cookie } = await squat()
    const { clientId: client_id } = await thirdParty(url, `Squatter's ${email}`)
    const page = await fetch(authorizeUrl(url, { client_id }), { headers: { cookie } })
    expect((await press(cookie, page, { decision: 'allow' })).status).toBe(303)
    const silently = { client_id, prompt: 'none' }
    expect((await authorize(url, cookie, silently)).answer.code).toBeDefined()
    const own = await takeOver(email)
    expect((await authorize(url, own, silently)).answer).toMatchObject({ error: 'consent_required' })
  })

  test('nothing that the squatter wrote stays', async () => {
    const { email, cookie } = await squat()
    const { body: blank } = await me(cookie)
    const texts = {
      ...{
        displayName: 'Squatter',
        givenName: 'S.',
        familyName: 'Q.',
        middleName: 'U.',
        nickname: 'Squatty',
      },
      ...{ pictureUrl: 'https://evil.test/a.png', website: 'https://evil.test/' },
      ...{ zoneinfo: 'Asia/Tokyo', locale: 'fr-FR', gender: 'none of yours', birthdate: '1950-01-01' },
    }
    expect((await send(cookie, 'PATCH', '/api/users/me', texts)).status).toBe(200)
    expect((await me(cookie)).body).toMatchObject(texts)
    const { body } = await me(await takeOver(email))
    for (const field of Object.keys(texts)) expect([field, body[field]]).toEqual([field, blank[field]])
  })

  test('nothing is deleted, and the half sign-in that would undo it leads nowhere', async () => {
    const { email, cookie } = await squat()
    const farewell = { confirmation: 'DELETE MY ACCOUNT', password: SQUATTERS }
    expect((await send(cookie, 'DELETE', '/api/users/me', farewell)).status).toBe(200)
    const half = await logIn(url, email, SQUATTERS)
    expect(half.status).toBe(403)
    const pending = cookieOf(half)
    expect(pending).toContain('latchkey_sign_in')
    // The page waits in the squatter's browser for its button to be pressed.
    const page = await fetch(`${url}/restore`, { headers: { cookie: pending } })
    await takeOver(email)
    const back = await press(pending, page)
    expect(back.headers.get('location')).toMatch(/^\/login/)
    expect((await me(cookieOf(back))).status).toBe(401)
    const code = { method: 'POST', body: { code: '123456' }, headers: { cookie: pending } }
    expect(await call(`${url}/api/auth/mfa`, code)).toMatchObject(failure(401, 'UNAUTHORIZED'))
    const [user] = await service.ctx.db.selectFrom('users').selectAll().where('email', '=', email).execute()
    expect(user).toMatchObject({ deletion_requested_at: null, email_verified: true })
  })
})

test('who resets the password of an address that somebody else had claimed begins anew too', async () => {
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

describe('where several have claimed an address', () => {
  const RESEND = '/api/users/me/email/verification'

  test('a link mailed much later still asks for the password, although the links of the others have run out', async () => {
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

  test('a link asks for the password of now, also after that was changed', async () => {
    const { email, cookie } = await squat()
    await register(email, OWNERS)
    const [, first] = await linksTo(email)
    const change = { currentPassword: SQUATTERS, newPassword: 'the next password of theirs' }
    expect((await send(cookie, 'POST', '/api/users/me/password', change)).status).toBe(200)
    for (const password of [undefined, SQUATTERS, OWNERS]) {
      expect(await verify(first, password)).toMatchObject(invalidToken)
    }
    expect((await verify(first, change.newPassword)).status).toBe(200)
    // It was their own account all along: nobody took anything over.
    expect((await logIn(url, email, change.newPassword)).status).toBe(200)
    expect((await logIn(url, email, OWNERS)).status).toBe(401)
  })
})
