import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf, obtainTokens, PASSWORD, startDemoService, userinfo } from '../support/world.ts'
import { call, createSignedInUser, entriesOf, errorReply, listMailTo, logIn, type TestUser } from './people.ts'

let service: TestService
let url: string
beforeAll(async () => {
  const limits = { signInFailures: 100, confirmFailures: 5, clientFailures: 60 }
  service = await startDemoService({ config: { trustedProxies: ['127.0.0.1'], limits } })
  url = service.url
})
afterAll(() => service.close())

const STEP_MS = 30_000
/** Every code is accepted once, so the clock is advanced before the next. */
const nextCode = (secret: string) => {
  service.advance(STEP_MS)
  return totpCode(secret, service.ctx.now())
}

/** Enrolls an authenticator app. */
async function enrollApp(someone: TestUser) {
  const { body } = await someone.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const secret = body.secret as string
  const verified = await someone.call('POST', '/api/users/me/mfa/totp/verify', { code: nextCode(secret) })
  expect(verified.status).toBe(200)
  return { secret, recoveryCodes: verified.body.recoveryCodes as string[] }
}

const submitCode = (cookie: string, code: string, headers: Record<string, string> = {}) =>
  call(`${url}/api/auth/mfa`, { method: 'POST', body: { code }, headers: { cookie, ...headers } })

/** Signs in with the password; returns the cookie of the pending sign-in. */
async function startSignIn(email: string): Promise<string> {
  const response = await logIn(url, email, PASSWORD)
  expect(await response.json()).toMatchObject({ mfaRequired: true })
  return cookieOf(response)
}

test('an authenticator app takes effect after a code confirms it, and recovery codes are returned with it', async () => {
  const ann = await createSignedInUser(service)
  const me = await ann.call('GET', '/api/users/me/mfa')
  expect(me.body).toEqual({ mfaEnabled: false, totp: false, passkeys: 0, recoveryCodesLeft: 0 })
  const begun = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  expect(begun).toMatchObject({
    status: 200,
    body: {
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauthUrl: expect.stringMatching(/^otpauth:\/\/totp\//),
      qrCode: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
    },
  })
  const secret = begun.body.secret as string
  expect(begun.body.otpauthUrl).toContain(`secret=${secret}`)
  // An unconfirmed app is not required at sign-in, and the enrollment can be restarted.
  expect(await (await logIn(url, ann.email, PASSWORD)).json()).toHaveProperty('session')
  const wrong = totpCode(secret, new Date(service.ctx.now().getTime() + 10 * STEP_MS))
  const refused = await ann.call('POST', '/api/users/me/mfa/totp/verify', { code: wrong })
  expect(refused).toMatchObject(errorReply(400, 'INVALID_CODE'))
  const code = totpCode(secret, service.ctx.now())
  const confirmed = await ann.call('POST', '/api/users/me/mfa/totp/verify', { code })
  expect(confirmed.status).toBe(200)
  expect(new Set(confirmed.body.recoveryCodes as string[]).size).toBe(10)
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toEqual({
    mfaEnabled: true,
    totp: true,
    passkeys: 0,
    recoveryCodesLeft: 10,
  })
  expect((await ann.call('GET', '/api/users/me')).body).toMatchObject({ mfaEnabled: true })
  expect(await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })).toMatchObject(
    errorReply(409, 'MFA_ALREADY_ENROLLED'),
  )
  expect((await listMailTo(service, ann.email))[0]?.subject).toBe('An authenticator app was added')
  expect((await entriesOf(service, ann.id)).map(({ action }) => action)).toContain('user.totp_enabled')
})

test('no secret and no recovery code can be read from the database', async () => {
  const ann = await createSignedInUser(service)
  const { secret, recoveryCodes } = await enrollApp(ann)
  const rows = await Promise.all([
    service.ctx.db.selectFrom('totp_secrets').selectAll().where('user_id', '=', ann.id).execute(),
    service.ctx.db.selectFrom('recovery_codes').selectAll().where('user_id', '=', ann.id).execute(),
  ])
  const text = JSON.stringify(rows, (_key, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  for (const hidden of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]) {
    expect(text).not.toContain(hidden)
  }
})

test('a code is accepted once, also by concurrent requests', async () => {
  const ann = await createSignedInUser(service)
  const { secret } = await enrollApp(ann)
  const cookies = await Promise.all(Array.from({ length: 4 }, () => startSignIn(ann.email)))
  const code = nextCode(secret)
  const answers = await Promise.all(cookies.map((cookie) => submitCode(cookie, code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(3)
  // A code of an earlier step is refused, too, although it is within the tolerance.
  const before = totpCode(secret, new Date(service.ctx.now().getTime() - STEP_MS))
  expect((await submitCode(await startSignIn(ann.email), before)).status).toBe(400)
})

test('a code one time step away is accepted, two steps away is refused', async () => {
  const ann = await createSignedInUser(service)
  const { secret } = await enrollApp(ann)
  // Moves to the start of a time step, so that none ends between creating and checking a code.
  service.advance(6 * STEP_MS - (service.ctx.now().getTime() % STEP_MS) + 1_000)
  const at = (steps: number) => totpCode(secret, new Date(service.ctx.now().getTime() + steps * STEP_MS))
  const cookie = await startSignIn(ann.email)
  expect((await submitCode(cookie, at(-2))).status).toBe(400)
  expect((await submitCode(cookie, at(2))).status).toBe(400)
  expect((await submitCode(cookie, at(-1))).status).toBe(200)
  expect((await submitCode(await startSignIn(ann.email), at(1))).status).toBe(200)
})

test('a recovery code is accepted once, in any spelling, and the person is notified', async () => {
  const ann = await createSignedInUser(service)
  const { recoveryCodes } = await enrollApp(ann)
  const code = recoveryCodes[3] ?? ''
  const cookies = await Promise.all([startSignIn(ann.email), startSignIn(ann.email), startSignIn(ann.email)])
  const typed = code.toUpperCase().replaceAll('-', ' ')
  const answers = await Promise.all(cookies.map((cookie) => submitCode(cookie, typed)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ recoveryCodesLeft: 9 })
  const subjects = (await listMailTo(service, ann.email)).map(({ subject }) => subject)
  expect(subjects.filter((subject) => subject === 'A recovery code was used')).toHaveLength(1)
})

test('guessing codes ends in 429, also in parallel, and does not lock the person out elsewhere', async () => {
  const ann = await createSignedInUser(service)
  const { secret } = await enrollApp(ann)
  const thief = { 'X-Forwarded-For': '10.9.8.7' }
  const cookie = await startSignIn(ann.email)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => submitCode(cookie, String(100_000 + i), thief)),
  )
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(7)
  const refused = await submitCode(cookie, nextCode(secret), thief)
  expect(refused).toMatchObject(errorReply(429, 'RATE_LIMITED'))
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await submitCode(await startSignIn(ann.email), nextCode(secret))).status).toBe(200)
})

test('a pending sign-in expires, and ends when the password changes', async () => {
  const ann = await createSignedInUser(service)
  const { secret } = await enrollApp(ann)
  const late = await startSignIn(ann.email)
  service.advance(11 * 60_000)
  expect(await submitCode(late, nextCode(secret))).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
  const stale = await startSignIn(ann.email)
  const newPassword = 'a quite different password'
  const changed = await ann.call('POST', '/api/users/me/password', { currentPassword: PASSWORD, newPassword })
  expect(changed.status).toBe(200)
  expect(await submitCode(stale, nextCode(secret))).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
})

test('removing the app requires the password; then a password alone signs in again', async () => {
  const ann = await createSignedInUser(service)
  expect(await ann.call('DELETE', '/api/users/me/mfa/totp', { password: PASSWORD })).toMatchObject(
    errorReply(404, 'MFA_NOT_ENROLLED'),
  )
  await enrollApp(ann)
  const wrong = await ann.call('DELETE', '/api/users/me/mfa/totp', { password: 'wrong' })
  expect(wrong).toMatchObject(errorReply(400, 'CURRENT_PASSWORD_INCORRECT'))
  expect(await ann.call('DELETE', '/api/users/me/mfa/totp')).toMatchObject(
    errorReply(400, 'CURRENT_PASSWORD_INCORRECT'),
  )
  const removed = await ann.call('DELETE', '/api/users/me/mfa/totp', { password: PASSWORD })
  expect(removed.body).toEqual({ success: true, message: 'Authenticator app removed' })
  expect(await (await logIn(url, ann.email, PASSWORD)).json()).toHaveProperty('session')
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({
    mfaEnabled: false,
    recoveryCodesLeft: 0,
  })
  expect((await listMailTo(service, ann.email)).map(({ subject }) => subject)).toContain(
    'Your authenticator app was removed',
  )
})

test('an old sign-in adds no second factor without the password', async () => {
  const ann = await createSignedInUser(service)
  const fresh = await obtainTokens(url, ann.cookie)
  service.advance(61 * 60_000)
  const tokens = await obtainTokens(url, ann.cookie)
  expect(await userinfo(url, fresh.access_token)).toBe(401)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const path = `${url}/api/users/me/mfa/totp`
  expect(await call(path, { method: 'POST', headers })).toMatchObject(errorReply(403, 'REAUTHENTICATION_REQUIRED'))
  const withPassword = await call(path, { method: 'POST', headers, body: { password: PASSWORD } })
  expect(withPassword.status).toBe(200)
})
