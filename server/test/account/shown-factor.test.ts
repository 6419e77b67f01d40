import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { claimsOf, cookieOf, obtainTokens, PASSWORD, startWorld } from '../support/world.ts'
import { begin, newPasskey, PASSKEYS } from './passkey-calls.ts'
import { call, failure, logIn, newSomebody, type Somebody } from './people.ts'

const MINUTE = 60_000
const APP = '/api/users/me/mfa/totp'
const mustShow = failure(403, 'REAUTHENTICATION_REQUIRED')
const notBegun = failure(404, 'MFA_NOT_ENROLLED')
let service: TestService
let url: string
beforeAll(async () => {
  service = await startWorld()
  url = service.url
})
afterAll(() => service.close())

type Calls = Pick<Somebody, 'call'>

/** Somebody else who knows the person's password, and has signed in with it. */
async function intruderOf(ann: Somebody): Promise<Calls & { cookie: string }> {
  const { cookie, tokens } = await ann.signInElsewhere()
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  return { cookie, call: (method, path, body) => call(url + path, { method, body, headers }) }
}

async function beginApp(somebody: Calls): Promise<string> {
  const { status, body } = await somebody.call('POST', APP, { password: PASSWORD })
  expect(status).toBe(200)
  return body.secret as string
}

/** Shows the code of now. */
const confirmApp = (somebody: Calls, secret: string) =>
  somebody.call('POST', `${APP}/verify`, { code: totpCode(secret, service.ctx.now()) })

async function enrolApp(somebody: Calls): Promise<string> {
  const secret = await beginApp(somebody)
  expect((await confirmApp(somebody, secret)).status).toBe(200)
  return secret
}

describe('what was begun before there was a second factor is not finished without showing it:', () => {
  test('an authenticator app, once there is a passkey', async () => {
    const ann = await newSomebody(service)
    const intruder = await intruderOf(ann)
    const secret = await beginApp(intruder)
    const { passkeyId } = await newPasskey(service, ann)
    expect(await confirmApp(intruder, secret)).toMatchObject(mustShow)
    expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ totp: false, passkeys: 1 })
    // Nor has the session of the intruder become worth more by trying.
    const removal = await intruder.call('DELETE', `${PASSKEYS}/${passkeyId}`, { password: PASSWORD })
    expect(removal).toMatchObject(mustShow)
  })

  test('a passkey, once there is an authenticator app', async () => {
    const ann = await newSomebody(service)
    const intruder = await intruderOf(ann)
    const made = newAuthenticator(service.ctx.config.baseUrl).create(await begin(intruder))
    await enrolApp(ann)
    expect(await intruder.call('POST', PASSKEYS, made)).toMatchObject(mustShow)
    expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ totp: true, passkeys: 0 })
  })

  test('a passkey, once there is another', async () => {
    const ann = await newSomebody(service)
    const intruder = await intruderOf(ann)
    const made = newAuthenticator(service.ctx.config.baseUrl).create(await begin(intruder))
    await newPasskey(service, ann)
    expect(await intruder.call('POST', PASSKEYS, made)).toMatchObject(mustShow)
    expect((await ann.call('GET', '/api/users/me/mfa')).body).toMatchObject({ passkeys: 1 })
  })
})

describe('an authenticator app that waits for its first code', () => {
  /** What the page for setting one up shows after a wrong code. */
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
  const shown = (secret: string) => secret.match(/.{1,4}/g)?.join(' ') ?? secret

  test('is seen and confirmed in the session that began it, and in no other of the person', async () => {
    const ann = await newSomebody(service)
    const intruder = await intruderOf(ann)
    const secret = await beginApp(ann)
    expect(await setupPage(intruder.cookie)).not.toContain(shown(secret))
    expect(await confirmApp(intruder, secret)).toMatchObject(notBegun)
    expect(await setupPage(ann.cookie)).toContain(shown(secret))
    expect((await confirmApp(ann, secret)).status).toBe(200)
  })

  test('does so for an hour', async () => {
    const [ann, ben] = [await newSomebody(service), await newSomebody(service)]
    const [early, late] = [await beginApp(ann), await beginApp(ben)]
    service.advance(59 * MINUTE)
    expect((await confirmApp(await again(ann), early)).status).toBe(200)
    service.advance(2 * MINUTE)
    expect(await confirmApp(await again(ben), late)).toMatchObject(notBegun)
    expect(await setupPage(ben.cookie)).not.toContain(shown(late))
  })

  /** The same session with a token that has not run out. */
  async function again({ cookie }: Somebody): Promise<Calls> {
    const { access_token } = await obtainTokens(url, cookie)
    const headers = { authorization: `Bearer ${access_token}` }
    return { call: (method, path, body) => call(url + path, { method, body, headers }) }
  }
})

test('a second factor shown in an old session makes the sign-in no younger', async () => {
  const ann = await newSomebody(service)
  const old = cookieOf(await logIn(url, ann.email, PASSWORD))
  const before = claimsOf((await obtainTokens(url, old)).access_token)
  const secret = await enrolApp(ann)
  service.advance(2 * 60 * MINUTE)
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
  expect(adding).toMatchObject(mustShow)
})
