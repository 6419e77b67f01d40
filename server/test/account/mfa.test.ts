import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf, obtainTokens, PASSWORD, startWorld, userinfo } from '../support/world.ts'
import { call, entriesOf, failure, logIn, mailTo, newSomebody, type Somebody } from './people.ts'

let service: TestService
let url: string
beforeAll(async () => {
  const limits = { signInFailures: 100, confirmFailures: 5, clientFailures: 60 }
  service = await startWorld({ config: { trustedProxies: ['127.0.0.1'], limits } })
  url = service.url
})
afterAll(() => service.close())

const STEP = 30_000
/** Every code is good once: the clock goes on before the next. */
const nextCode = (secret: string) => {
  service.advance(STEP)
  return totpCode(secret, service.ctx.now())
}

/** Somebody with an authenticator app. */
async function protectedBy(someone: Somebody) {
  const { body } = await someone.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const secret = body.secret as string
  const verified = await someone.call('POST', '/api/users/me/mfa/totp/verify', { code: nextCode(secret) })
  expect(verified.status).toBe(200)
  return { secret, recoveryCodes: verified.body.recoveryCodes as string[] }
}

const answerCode = (cookie: string, code: string, headers: Record<string, string> = {}) =>
  call(`${url}/api/auth/mfa`, { method: 'POST', body: { code }, headers: { cookie, ...headers } })

/** Shows the password: the answer is the cookie of half a sign-in. */
async function halfway(email: string): Promise<string> {
  const response = await logIn(url, email, PASSWORD)
  expect(await response.json()).toMatchObject({ mfaRequired: true })
  return cookieOf(response)
}

test('an authenticator app counts once a code has confirmed it, and codes for the day it is lost come with it', async () => {
  const ann = await newSomebody(service)
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
  // Not confirmed: nobody is asked for it, and it can be begun anew.
  expect(await (await logIn(url, ann.email, PASSWORD)).json()).toHaveProperty('session')
  const wrong = totpCode(secret, new Date(service.ctx.now().getTime() + 10 * STEP))
  const refused = await ann.call('POST', '/api/users/me/mfa/totp/verify', { code: wrong })
  expect(refused).toMatchObject(failure(400, 'INVALID_CODE'))
  const code = totpCode(secret, service.ctx.now())
  const confirmed = await ann.call('POST', '/api/users/me/mfa/totp/verify', { code })
  expect(confirmed.status).toBe(200)
  expect(new Set(confirmed.body.recoveryCodes as string[]).size).toBe(10)
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toEqual({
    ...{ mfaEnabled: true, totp: true, passkeys: 0, recoveryCodesLeft: 10 },
  })
  expect((await ann.call('GET', '/api/users/me')).body).toMatchObject({ mfaEnabled: true })
  expect(await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })).toMatchObject(
    failure(409, 'MFA_ALREADY_ENROLLED'),
  )
  expect((await mailTo(service, ann.email))[0]?.subject).toBe('An authenticator app was added')
  expect((await entriesOf(service, ann.id)).map(({ action }) => action)).toContain('user.totp_enabled')
})

test('no secret and no recovery code can be read from the database', async () => {
  const ann = await newSomebody(service)
  const { secret, recoveryCodes } = await protectedBy(ann)
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

test('a code is good once, also when it is shown many times at once', async () => {
  const ann = await newSomebody(service)
  const { secret } = await protectedBy(ann)
  const cookies = await Promise.all(Array.from({ length: 4 }, () => halfway(ann.email)))
  const code = nextCode(secret)
  const answers = await Promise.all(cookies.map((cookie) => answerCode(cookie, code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(3)
  // Nor is one of a step before it, although clocks may differ by a step.
  const before = totpCode(secret, new Date(service.ctx.now().getTime() - STEP))
  expect((await answerCode(await halfway(ann.email), before)).status).toBe(400)
})

test('codes of a clock one step away are good, of two steps not', async () => {
  const ann = await newSomebody(service)
  const { secret } = await protectedBy(ann)
  // To the beginning of a step, so that none ends between a code and the look at it.
  service.advance(6 * STEP - (service.ctx.now().getTime() % STEP) + 1_000)
  const at = (steps: number) => totpCode(secret, new Date(service.ctx.now().getTime() + steps * STEP))
  const cookie = await halfway(ann.email)
  expect((await answerCode(cookie, at(-2))).status).toBe(400)
  expect((await answerCode(cookie, at(2))).status).toBe(400)
  expect((await answerCode(cookie, at(-1))).status).toBe(200)
  expect((await answerCode(await halfway(ann.email), at(1))).status).toBe(200)
})

test('a recovery code lets in once, however it is typed, and its person is told', async () => {
  const ann = await newSomebody(service)
  const { recoveryCodes } = await protectedBy(ann)
  const code = recoveryCodes[3] ?? ''
  const cookies = await Promise.all([halfway(ann.email), halfway(ann.email), halfway(ann.email)])
  const typed = code.toUpperCase().replaceAll('-', ' ')
  const answers = await Promise.all(cookies.map((cookie) => answerCode(cookie, typed)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ recoveryCodesLeft: 9 })
  const subjects = (await mailTo(service, ann.email)).map(({ subject }) => subject)
  expect(subjects.filter((subject) => subject === 'A recovery code was used')).toHaveLength(1)
})

test('guessing codes ends in 429, also in parallel, and leaves the person a way in elsewhere', async () => {
  const ann = await newSomebody(service)
  const { secret } = await protectedBy(ann)
  const thief = { 'X-Forwarded-For': '10.9.8.7' }
  const cookie = await halfway(ann.email)
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => answerCode(cookie, String(100_000 + i), thief)),
  )
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(7)
  const refused = await answerCode(cookie, nextCode(secret), thief)
  expect(refused).toMatchObject(failure(429, 'RATE_LIMITED'))
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await answerCode(await halfway(ann.email), nextCode(secret))).status).toBe(200)
})

test('half a sign-in runs out, and ends with the password it was made with', async () => {
  const ann = await newSomebody(service)
  const { secret } = await protectedBy(ann)
  const late = await halfway(ann.email)
  service.advance(11 * 60_000)
  expect(await answerCode(late, nextCode(secret))).toMatchObject(failure(401, 'UNAUTHORIZED'))
  const stale = await halfway(ann.email)
  const newPassword = 'a quite different password'
  const changed = await ann.call('POST', '/api/users/me/password', { currentPassword: PASSWORD, newPassword })
  expect(changed.status).toBe(200)
  expect(await answerCode(stale, nextCode(secret))).toMatchObject(failure(401, 'UNAUTHORIZED'))
})

test('removing the app takes the password; then a password is enough again', async () => {
  const ann = await newSomebody(service)
  expect(await ann.call('DELETE', '/api/users/me/mfa/totp', { password: PASSWORD })).toMatchObject(
    failure(404, 'MFA_NOT_ENROLLED'),
  )
  await protectedBy(ann)
  const wrong = await ann.call('DELETE', '/api/users/me/mfa/totp', { password: 'wrong' })
  expect(wrong).toMatchObject(failure(400, 'CURRENT_PASSWORD_INCORRECT'))
  expect(await ann.call('DELETE', '/api/users/me/mfa/totp')).toMatchObject(
    failure(400, 'CURRENT_PASSWORD_INCORRECT'),
  )
  const removed = await ann.call('DELETE', '/api/users/me/mfa/totp', { password: PASSWORD })
  expect(removed.body).toEqual({ success: true, message: 'Authenticator app removed' })
  expect(await (await logIn(url, ann.email, PASSWORD)).json()).toHaveProperty('session')
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({
    mfaEnabled: false,
    recoveryCodesLeft: 0,
  })
  expect((await mailTo(service, ann.email)).map(({ subject }) => subject)).toContain(
    'Your authenticator app was removed',
  )
})

test('an old sign-in sets up no second factor without the password', async () => {
  const ann = await newSomebody(service)
  const fresh = await obtainTokens(url, ann.cookie)
  service.advance(61 * 60_000)
  const tokens = await obtainTokens(url, ann.cookie)
  expect(await userinfo(url, fresh.access_token)).toBe(401)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const path = `${url}/api/users/me/mfa/totp`
  expect(await call(path, { method: 'POST', headers })).toMatchObject(
    failure(403, 'REAUTHENTICATION_REQUIRED'),
  )
  const withPassword = await call(path, { method: 'POST', headers, body: { password: PASSWORD } })
  expect(withPassword.status).toBe(200)
})
