import { expect, test } from 'vitest'
import { callAs, newConfirmedAccount } from '../support/account.ts'
import { addAuthenticatorApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { call, errorBody } from '../support/calls.ts'
import { listMails } from '../support/mail.ts'
import { getUserinfo } from '../support/oauth.ts'
import { findLoginForm, pressButton, readForms, submitForm } from '../support/pages.ts'
import { unique } from '../support/service.ts'
import { expectedSignIn, findSessionCookie, hasSession, postAuth, TIMESTAMP } from '../support/sign-in.ts'

const DAY = 86_400_000
const SCHEDULED = errorBody(403, 'ACCOUNT_SCHEDULED_FOR_DELETION', {
  details: { erasedAt: expect.stringMatching(TIMESTAMP) },
})

/** A person with a pending deletion. */
async function newPersonWithPendingDeletion({ withApp = false } = {}) {
  const holder = await newConfirmedAccount()
  const app = withApp ? (await addAuthenticatorApp(holder.tokens)).app : undefined
  const { password } = holder.person
  const body = { password, confirmation: 'DELETE MY ACCOUNT' }
  const response = await callAs(holder.tokens, 'DELETE', '/api/users/me', body)
  expect(response.body).toEqual({ success: true, message: 'Account scheduled for deletion' })
  return { ...holder.person, tokens: holder.tokens, app }
}

test('sign-in returns the restore deadline, but only with the right password', async () => {
  const { email, password } = await newPersonWithPendingDeletion()
  const browser = openBrowser()
  const { status, body } = await postAuth(browser, 'login', { email, password })
  expect(status).toBe(403)
  expect(body).toEqual(SCHEDULED)
  const { erasedAt } = body.details as { erasedAt: string }
  const days = (Date.parse(erasedAt) - Date.now()) / DAY
  expect(days).toBeGreaterThan(29.9)
  expect(days).toBeLessThanOrEqual(30)
  expect(findSessionCookie(browser)).toBeUndefined()
  expect(await hasSession(browser)).toBe(false)
  expect((await postAuth(openBrowser(), 'login', { email, password: 'wrong password' })).body).toEqual(
    errorBody(401, 'INVALID_CREDENTIALS'),
  )
})

test('restoring signs in, sends a mail, and does not restore ended sessions', async () => {
  const { email, password, tokens } = await newPersonWithPendingDeletion()
  const before = await postAuth(openBrowser(), 'login', { email, password })
  expect(before.status).toBe(403)
  const browser = openBrowser()
  const { status, body } = await postAuth(browser, 'restore', { email, password })
  expect(status).toBe(200)
  expect(body).toEqual(expectedSignIn(email, { emailVerified: true }))
  expect(await hasSession(browser)).toBe(true)
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  expect((await listMails(email)).map(({ subject }) => subject)).toContain('Your account was restored')
  expect((await postAuth(openBrowser(), 'login', { email, password })).body).toEqual(
    expectedSignIn(email, { emailVerified: true }),
  )
})

test('a wrong password, an unknown address and missing fields restore nothing', async () => {
  const { email, password } = await newPersonWithPendingDeletion()
  const restore = (body: object) => call('POST', '/api/auth/restore', { body })
  for (const typed of [
    { email, password: 'wrong password' },
    { email: `${unique('nobody')}@blackbox.test`, password },
  ]) {
    const response = await restore(typed)
    expect(response.status).toBe(401)
    expect(response.body).toEqual(errorBody(401, 'INVALID_CREDENTIALS'))
  }
  for (const half of [{ email }, { password }, { email: [email], password }]) {
    expect((await restore(half)).body).toMatchObject(errorBody(422, 'VALIDATION_FAILED'))
  }
  expect((await postAuth(openBrowser(), 'login', { email, password })).body).toEqual(SCHEDULED)
})

test('restoring does not bypass the second factor', async () => {
  const { email, password, app } = await newPersonWithPendingDeletion({ withApp: true })
  const browser = openBrowser()
  const half = await postAuth(browser, 'restore', { email, password })
  expect(half.status).toBe(200)
  expect(half.body).toEqual({ mfaRequired: true, methods: ['totp', 'recovery_code'] })
  expect((await postAuth(openBrowser(), 'login', { email, password })).body).toEqual(SCHEDULED)
  const whole = await postAuth(browser, 'mfa', { code: await app?.nextCode() })
  expect(whole.status).toBe(200)
  expect(whole.body).toEqual(expectedSignIn(email, { emailVerified: true }))
  expect(await hasSession(browser)).toBe(true)
})

test('without a pending deletion it is a normal sign-in', async () => {
  const { person } = await newConfirmedAccount()
  const { email, password } = person
  const { body } = await postAuth(openBrowser(), 'restore', { email, password })
  expect(body).toEqual(expectedSignIn(email, { emailVerified: true }))
  expect((await listMails(email)).map(({ subject }) => subject)).not.toContain('Your account was restored')
})

test('the pages work without scripts', async () => {
  const { email, password } = await newPersonWithPendingDeletion()
  const browser = openBrowser()
  const login = findLoginForm(await readForms(await browser.get('/login')))
  if (!login) throw new Error('no form')
  const led = await submitForm(browser, login, { email, password })
  expect([led.status, led.headers.get('location')]).toEqual([303, '/restore'])
  const page = await browser.get('/restore')
  expect(await page.clone().text()).toContain(email)
  expect(await hasSession(browser)).toBe(false)
  const form = (await readForms(page)).find(({ action }) => action.includes('/restore'))
  if (!form) throw new Error('no form')
  const done = await pressButton(browser, form, /restore/i)
  expect([done.status, done.headers.get('location')]).toEqual([303, '/account'])
  expect(await hasSession(browser)).toBe(true)
  expect((await postAuth(openBrowser(), 'login', { email, password })).status).toBe(200)
})
