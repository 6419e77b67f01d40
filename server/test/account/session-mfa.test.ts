import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { claimsOf, cookieOf, obtainTokens, PASSWORD, startDemoService } from '../support/world.ts'
import { beginEnrollment, createPasskey, PASSKEYS } from './passkey-calls.ts'
import { call, createSignedInUser, errorReply, logIn, type TestUser } from './people.ts'

const MINUTE_MS = 60_000
const TOTP_PATH = '/api/users/me/mfa/totp'
const reauthenticationRequired = errorReply(403, 'REAUTHENTICATION_REQUIRED')
const notEnrolled = errorReply(404, 'MFA_NOT_ENROLLED')
let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

type Caller = Pick<TestUser, 'call'>

/** An attacker who knows the password and has signed in with it. */
async function intruderOf(ann: TestUser): Promise<Caller & { cookie: string }> {
  const { cookie, tokens } = await ann.signInAgain()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  return { cookie, call: (method, path, body) => call(url + path, { method, body, headers }) }
}

async function beginApp(somebody: Caller): Promise<string> {
  const { status, body } = await somebody.call('POST', TOTP_PATH, { password: PASSWORD })
  expect(status).toBe(200)
  return body.secret as string
}

/** Submits the current code. */
const confirmApp = (somebody: Caller, secret: string) =>
  somebody.call('POST', `${TOTP_PATH}/verify`, { code: totpCode(secret, service.ctx.now()) })

async function enrollApp(somebody: Caller): Promise<string> {
  const secret = await beginApp(somebody)
  expect((await confirmApp(somebody, secret)).status).toBe(200)
  return secret
}

describe('an enrollment that started before there was a second factor cannot complete without using that factor:', () => {
  test('an authenticator app, when there is a passkey', async () => {
    const ann = await createSignedInUser(service)
    const intruder = await intruderOf(ann)
    const secret = await beginApp(intruder)
    const { passkeyId } = await createPasskey(service, ann)
    expect(await confirmApp(intruder, secret)).toMatchObject(reauthenticationRequired)
    expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ totp: false, passkeys: 1 })
    // The attempt gives the session of the intruder no further rights.
    const removal = await intruder.call('DELETE', `${PASSKEYS}/${passkeyId}`, { password: PASSWORD })
    expect(removal).toMatchObject(reauthenticationRequired)
  })

  test('a passkey, when there is an authenticator app', async () => {
    const ann = await createSignedInUser(service)
    const intruder = await intruderOf(ann)
    const made = newAuthenticator(service.ctx.config.baseUrl).create(await beginEnrollment(intruder))
    await enrollApp(ann)
    expect(await intruder.call('POST', PASSKEYS, made)).toMatchObject(reauthenticationRequired)
    expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ totp: true, passkeys: 0 })
  })

  test('a passkey, when there is another', async () => {
    const ann = await createSignedInUser(service)
    const intruder = await intruderOf(ann)
    const made = newAuthenticator(service.ctx.config.baseUrl).create(await beginEnrollment(intruder))
    await createPasskey(service, ann)
    expect(await intruder.call('POST', PASSKEYS, made)).toMatchObject(reauthenticationRequired)
    expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ passkeys: 1 })
  })
})

describe('an unconfirmed authenticator app', () => {
  /** The setup page after a wrong code. */
  async function setupPage(cookie: string): Promise<string> {
    const page = await fetch(`${url}/mfa/setup`, { headers: { cookie } })
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
    const answer = await fetch(`${url}/mfa/setup`, {
      method: 'POST',
      headers: { cookie: `${cookie}; ${cookieOf(page)}` },
      body: new URLSearchParams({ csrf, code: '000000' }),
      redirect: 'manual',
    })
    return answer.text()
  }
  const formatted = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

  test('can be shown and confirmed only in the session that started the enrollment', async () => {
    const ann = await createSignedInUser(service)
    const intruder = await intruderOf(ann)
    const secret = await beginApp(ann)
    expect(await setupPage(intruder.cookie)).not.toContain(formatted(secret))
    expect(await confirmApp(intruder, secret)).toMatchObject(notEnrolled)
    expect(await setupPage(ann.cookie)).toContain(formatted(secret))
    expect((await confirmApp(ann, secret)).status).toBe(200)
  })

  test('expires after an hour', async () => {
    const [ann, ben] = [await createSignedInUser(service), await createSignedInUser(service)]
    const [early, late] = [await beginApp(ann), await beginApp(ben)]
    service.advance(59 * MINUTE_MS)
    expect((await confirmApp(await withNewToken(ann), early)).status).toBe(200)
    service.advance(2 * MINUTE_MS)
    expect(await confirmApp(await withNewToken(ben), late)).toMatchObject(notEnrolled)
    expect(await setupPage(ben.cookie)).not.toContain(formatted(late))
  })

  /** The same session with a new token. */
  async function withNewToken({ cookie }: TestUser): Promise<Caller> {
    const { access_token } = await obtainTokens(url, cookie)
    const headers = { authorization: `Bearer ${access_token}` }
    return { call: (method, path, body) => call(url + path, { method, body, headers }) }
  }
})

test('a second factor used in an old session does not renew the time of sign-in', async () => {
  const ann = await createSignedInUser(service)
  const old = cookieOf(await logIn(url, ann.email, PASSWORD))
  const before = claimsOf((await obtainTokens(url, old)).access_token)
  const secret = await enrollApp(ann)
  service.advance(2 * 60 * MINUTE_MS)
  const code = totpCode(secret, service.ctx.now())
  const response = await fetch(`${url}/api/auth/mfa`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', cookie: old },
    body: JSON.stringify({ code }),
  })
  expect(response.status).toBe(200)
  const { access_token } = await obtainTokens(url, cookieOf(response))
  const after = claimsOf(access_token)
  expect(after).toMatchObject({ sid: before.sid, amr: expect.arrayContaining(['otp', 'mfa']) })
  expect(after.auth_time).toBe(before.auth_time)
  const headers = { authorization: `Bearer ${access_token}` }
  const adding = await call(`${url}${PASSKEYS}/options`, { method: 'POST', headers })
  expect(adding).toMatchObject(reauthenticationRequired)
})
