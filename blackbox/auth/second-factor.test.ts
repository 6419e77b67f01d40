import { describe, expect, test } from 'vitest'
import { callAs, client, newConfirmedAccount } from '../support/account.ts'
import { addAuthenticatorApp, newAuthenticatorApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { errorBody } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { listMails } from '../support/mail.ts'
import { getTokens } from '../support/oauth.ts'
import { findLoginForm, readForms, submitForm } from '../support/pages.ts'
import { expectedSignIn, findSessionCookie, hasSession, postAuth } from '../support/sign-in.ts'

const INVALID = errorBody(400, 'INVALID_CODE')

/** A person with an authenticator app. */
async function newPersonWithApp() {
  const holder = await newConfirmedAccount()
  return { ...holder, ...(await addAuthenticatorApp(holder.tokens)) }
}

const sendCode = (browser: ReturnType<typeof openBrowser>, code: unknown) => postAuth(browser, 'mfa', { code })

test('after the password a code is required, and there is no session before it', async () => {
  const { person, app } = await newPersonWithApp()
  const { email, password } = person
  const browser = openBrowser()
  const pendingCookies = await postAuth(browser, 'login', { email, password })
  expect(pendingCookies.status).toBe(200)
  expect(pendingCookies.body).toEqual({ mfaRequired: true, methods: ['totp', 'recovery_code'] })
  expect(findSessionCookie(browser)).toBeUndefined()
  expect(await hasSession(browser)).toBe(false)
  expect((await sendCode(browser, '000000')).body).toEqual(INVALID)
  expect(await hasSession(browser)).toBe(false)

  const code = await app.nextCode()
  const whole = await sendCode(browser, `${code.slice(0, 3)} ${code.slice(3)}`)
  expect(whole.status).toBe(200)
  expect(whole.body).toEqual(expectedSignIn(email, { emailVerified: true }))
  expect(await hasSession(browser)).toBe(true)
  const { amr, sid } = await verifyAccessToken((await getTokens(browser, client)).access_token)
  expect(amr).toEqual(['pwd', 'otp', 'mfa'])
  expect(whole.body.session).toEqual({ id: sid })
})

test('a pending sign-in works once, and only in the browser that started it', async () => {
  const { person, app } = await newPersonWithApp()
  const browser = await person.signIn()
  const pendingCookies = new Map(browser.cookies)
  const outsider = openBrowser()
  const code = await app.nextCode()
  const response = await sendCode(outsider, code)
  expect(response.status).toBe(401)
  expect(response.body).toEqual(errorBody(401, 'UNAUTHORIZED'))
  expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  // A code without a pending sign-in is not used up.
  expect((await sendCode(browser, code)).status).toBe(200)
  for (const [name, value] of pendingCookies) outsider.cookies.set(name, value)
  expect((await sendCode(outsider, '123456')).body).toEqual(errorBody(401, 'UNAUTHORIZED'))
})

test('a code works once, and older codes are refused after it', async () => {
  const { person, tokens } = await newConfirmedAccount()
  const begun = await callAs(tokens, 'POST', '/api/users/me/mfa/totp', { password: tokens.password })
  const app = newAuthenticatorApp(String(begun.body.secret))
  const [first, second] = [await app.nextCode(), await app.nextCode()]
  const confirmed = await callAs(tokens, 'POST', '/api/users/me/mfa/totp/verify', { code: second })
  expect(confirmed.status).toBe(200)
  const browser = await person.signIn()
  for (const code of [second, first]) expect((await sendCode(browser, code)).body).toEqual(INVALID)
  const third = await app.nextCode()
  const browsers = [browser, await person.signIn(), await person.signIn()]
  const responses = await Promise.all(browsers.map((one) => sendCode(one, third)))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('a recovery code works once, in any notation, and the person is notified', async () => {
  const { person, tokens, recoveryCodes } = await newPersonWithApp()
  const [code = '', other = ''] = recoveryCodes
  const typed = ` ${code.toUpperCase().replaceAll('-', ' ')} `
  const browser = await person.signIn()
  const { status, body } = await sendCode(browser, typed)
  expect(status).toBe(200)
  expect(body).toEqual(expectedSignIn(person.email, { emailVerified: true }))
  expect((await callAs(tokens, 'GET', '/api/users/me/mfa')).body).toMatchObject({ recoveryCodesLeft: 9 })
  expect((await listMails(person.email))[0]?.subject).toBe('A recovery code was used')
  const again = await person.signIn()
  expect((await sendCode(again, code)).body).toEqual(INVALID)
  expect((await sendCode(again, other)).status).toBe(200)
})

test('codes of another person are refused', async () => {
  const [{ person }, outsider] = [await newPersonWithApp(), await newPersonWithApp()]
  const browser = await person.signIn()
  for (const code of [await outsider.app.nextCode(), outsider.recoveryCodes[0]]) {
    expect((await sendCode(browser, code)).body).toEqual(INVALID)
  }
})

test('a malformed code is an invalid request', async () => {
  const { person } = await newPersonWithApp()
  const browser = await person.signIn()
  for (const code of [undefined, null, 123456, ['123456'], 'a'.repeat(101)]) {
    expect((await sendCode(browser, code)).body).toEqual(
      errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'code', message: expect.any(String) }] }),
    )
  }
  for (const code of ['', '12345', '1234567', '١٢٣٤٥٦', '-1', '00000x', "' or 1=1 --"]) {
    expect((await sendCode(browser, code)).body, code).toEqual(INVALID)
  }
})

describe('guessing codes', () => {
  test('is limited, also for a right code afterwards, and does not affect other people', async () => {
    const [{ person, app }, bystander] = [await newPersonWithApp(), await newPersonWithApp()]
    const browser = await person.signIn()
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) => sendCode(browser, String(900_000 + index))),
    )
    const statuses = responses.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([400, 429]))
    const right = await sendCode(browser, await app.nextCode())
    expect(right.status).toBe(429)
    expect(right.body).toEqual(errorBody(429, 'RATE_LIMITED'))
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
    const other = await bystander.person.signIn()
    expect((await sendCode(other, await bystander.app.nextCode())).status).toBe(200)
  })
})

test('the pages work without scripts', async () => {
  const { person, app } = await newPersonWithApp()
  const browser = openBrowser()
  const login = findLoginForm(await readForms(await browser.get('/login')))
  if (!login) throw new Error('no form')
  const pendingCookies = await submitForm(browser, login, { email: person.email, password: person.password })
  expect([pendingCookies.status, pendingCookies.headers.get('location')]).toEqual([303, '/mfa'])
  const type = async (code: string) => {
    const [form] = await readForms(await browser.get('/mfa'))
    if (!form) throw new Error('no form')
    return submitForm(browser, form, { code })
  }
  expect((await type('000000')).status).toBe(400)
  const whole = await type(await app.nextCode())
  expect([whole.status, whole.headers.get('location')]).toEqual([303, '/account'])
  expect(await hasSession(browser)).toBe(true)
})
