import { describe, expect, test } from 'vitest'
import { callAs, client, newConfirmedHolder } from '../support/account.ts'
import { addApp, newApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { refusal } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { mailTo } from '../support/mail.ts'
import { getTokens } from '../support/oauth.ts'
import { loginForm, readForms, submit } from '../support/pages.ts'
import { ask, isAlive, sessionOf, signedIn } from '../support/sign-in.ts'

const INVALID = refusal(400, 'INVALID_CODE')

/** Somebody with an authenticator app. */
async function newProtected() {
  const holder = await newConfirmedHolder()
  return { ...holder, ...(await addApp(holder.tokens)) }
}

const show = (browser: ReturnType<typeof openBrowser>, code: unknown) => ask(browser, 'mfa', { code })

test('after the password a code is asked for, and nobody is signed in before it was shown', async () => {
  const { person, app } = await newProtected()
  const { email, password } = person
  const browser = openBrowser()
  const half = await ask(browser, 'login', { email, password })
  expect(half.status).toBe(200)
  expect(half.body).toEqual({ mfaRequired: true, methods: ['totp', 'recovery_code'] })
  expect(sessionOf(browser)).toBeUndefined()
  expect(await isAlive(browser)).toBe(false)
  expect((await show(browser, '000000')).body).toEqual(INVALID)
  expect(await isAlive(browser)).toBe(false)

  const code = await app.nextCode()
  const whole = await show(browser, `${code.slice(0, 3)} ${code.slice(3)}`)
  expect(whole.status).toBe(200)
  expect(whole.body).toEqual(signedIn(email, { emailVerified: true }))
  expect(await isAlive(browser)).toBe(true)
  const { amr, sid } = await verifyAccessToken((await getTokens(browser, client)).access_token)
  expect(amr).toEqual(['pwd', 'otp', 'mfa'])
  expect(whole.body.session).toEqual({ id: sid })
})

test('half a sign-in is good once, and in the browser where it began', async () => {
  const { person, app } = await newProtected()
  const browser = await person.signIn()
  const half = new Map(browser.cookies)
  const stranger = openBrowser()
  const code = await app.nextCode()
  const answer = await show(stranger, code)
  expect(answer.status).toBe(401)
  expect(answer.body).toEqual(refusal(401, 'UNAUTHORIZED'))
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  // A code that nobody was asked for is not used up.
  expect((await show(browser, code)).status).toBe(200)
  for (const [name, value] of half) stranger.cookies.set(name, value)
  expect((await show(stranger, '123456')).body).toEqual(refusal(401, 'UNAUTHORIZED'))
})

test('a code is good once, wherever it is shown, and none before it is good after', async () => {
  const { person, tokens } = await newConfirmedHolder()
  const begun = await callAs(tokens, 'POST', '/api/users/me/mfa/totp', { password: tokens.password })
  const app = newApp(String(begun.body.secret))
  const [first, second] = [await app.nextCode(), await app.nextCode()]
  const confirmed = await callAs(tokens, 'POST', '/api/users/me/mfa/totp/verify', { code: second })
  expect(confirmed.status).toBe(200)
  const browser = await person.signIn()
  for (const code of [second, first]) expect((await show(browser, code)).body).toEqual(INVALID)
  const third = await app.nextCode()
  const browsers = [browser, await person.signIn(), await person.signIn()]
  const answers = await Promise.all(browsers.map((one) => show(one, third)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('a recovery code lets in once, however it is typed, and its person is told', async () => {
  const { person, tokens, recoveryCodes } = await newProtected()
  const [code = '', other = ''] = recoveryCodes
  const typed = ` ${code.toUpperCase().replaceAll('-', ' ')} `
  const browser = await person.signIn()
  const { status, body } = await show(browser, typed)
  expect(status).toBe(200)
  expect(body).toEqual(signedIn(person.email, { emailVerified: true }))
  expect((await callAs(tokens, 'GET', '/api/users/me/mfa')).body).toMatchObject({ recoveryCodesLeft: 9 })
  expect((await mailTo(person.email))[0]?.subject).toBe('A recovery code was used')
  const again = await person.signIn()
  expect((await show(again, code)).body).toEqual(INVALID)
  expect((await show(again, other)).status).toBe(200)
})

test('the codes of somebody else are worth nothing', async () => {
  const [{ person }, stranger] = [await newProtected(), await newProtected()]
  const browser = await person.signIn()
  for (const code of [await stranger.app.nextCode(), stranger.recoveryCodes[0]]) {
    expect((await show(browser, code)).body).toEqual(INVALID)
  }
})

test('what cannot be a code is a mistake in the request', async () => {
  const { person } = await newProtected()
  const browser = await person.signIn()
  for (const code of [undefined, null, 123456, ['123456'], 'a'.repeat(101)]) {
    expect((await show(browser, code)).body).toEqual(
      refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'code', message: expect.any(String) }] }),
    )
  }
  for (const code of ['', '12345', '1234567', '١٢٣٤٥٦', '-1', '00000x', "' or 1=1 --"]) {
    expect((await show(browser, code)).body, code).toEqual(INVALID)
  }
})

describe('guessing', () => {
  test('ends soon, also for who then guesses right, and nobody else notices', async () => {
    const [{ person, app }, bystander] = [await newProtected(), await newProtected()]
    const browser = await person.signIn()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => show(browser, String(900_000 + index))),
    )
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([400, 429]))
    const right = await show(browser, await app.nextCode())
    expect(right.status).toBe(429)
    expect(right.body).toEqual(refusal(429, 'RATE_LIMITED'))
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(0)
    const other = await bystander.person.signIn()
    expect((await show(other, await bystander.app.nextCode())).status).toBe(200)
  })
})

test('the pages do the same without a script', async () => {
  const { person, app } = await newProtected()
  const browser = openBrowser()
  const login = loginForm(await readForms(await browser.get('/login')))
  if (!login) throw new Error('no form')
  const half = await submit(browser, login, { email: person.email, password: person.password })
  expect([half.status, half.headers.get('location')]).toEqual([303, '/mfa'])
  const type = async (code: string) => {
    const [form] = await readForms(await browser.get('/mfa'))
    if (!form) throw new Error('no form')
    return submit(browser, form, { code })
  }
  expect((await type('000000')).status).toBe(400)
  const whole = await type(await app.nextCode())
  expect([whole.status, whole.headers.get('location')]).toEqual([303, '/account'])
  expect(await isAlive(browser)).toBe(true)
})
