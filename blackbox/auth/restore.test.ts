import { expect, test } from 'vitest'
import { callAs, newConfirmedHolder } from '../support/account.ts'
import { addApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { call, refusal } from '../support/calls.ts'
import { mailTo } from '../support/mail.ts'
import { userinfo } from '../support/oauth.ts'
import { loginForm, press, readForms, submit } from '../support/pages.ts'
import { unique } from '../support/service.ts'
import { ask, isAlive, sessionOf, signedIn, TIMESTAMP } from '../support/sign-in.ts'

const DAY = 86_400_000
const SCHEDULED = refusal(403, 'ACCOUNT_SCHEDULED_FOR_DELETION', {
  details: { erasedAt: expect.stringMatching(TIMESTAMP) },
})

/** Somebody who has asked for the deletion of their account. */
async function newLeaver({ withApp = false } = {}) {
  const holder = await newConfirmedHolder()
  const app = withApp ? (await addApp(holder.tokens)).app : undefined
  const { password } = holder.person
  const body = { password, confirmation: 'DELETE MY ACCOUNT' }
  const answer = await callAs(holder.tokens, 'DELETE', '/api/users/me', body)
  expect(answer.body).toEqual({ success: true, message: 'Account scheduled for deletion' })
  return { ...holder.person, tokens: holder.tokens, app }
}

test('who signs in is told how long there is time, and only if they know the password', async () => {
  const { email, password } = await newLeaver()
  const browser = openBrowser()
  const { status, body } = await ask(browser, 'login', { email, password })
  expect(status).toBe(403)
  expect(body).toEqual(SCHEDULED)
  const { erasedAt } = body.details as { erasedAt: string }
  const days = (Date.parse(erasedAt) - Date.now()) / DAY
  expect(days).toBeGreaterThan(29.9)
  expect(days).toBeLessThanOrEqual(30)
  expect(sessionOf(browser)).toBeUndefined()
  expect(await isAlive(browser)).toBe(false)
  expect((await ask(openBrowser(), 'login', { email, password: 'wrong password' })).body).toEqual(
    refusal(401, 'INVALID_CREDENTIALS'),
  )
})

test('restoring signs in, is told by mail, and brings nothing back that was ended', async () => {
  const { email, password, tokens } = await newLeaver()
  const before = await ask(openBrowser(), 'login', { email, password })
  expect(before.status).toBe(403)
  const browser = openBrowser()
  const { status, body } = await ask(browser, 'restore', { email, password })
  expect(status).toBe(200)
  expect(body).toEqual(signedIn(email, { emailVerified: true }))
  expect(await isAlive(browser)).toBe(true)
  expect((await userinfo(tokens.access_token)).status).toBe(401)
  expect((await mailTo(email)).map(({ subject }) => subject)).toContain('Your account was restored')
  expect((await ask(openBrowser(), 'login', { email, password })).body).toEqual(
    signedIn(email, { emailVerified: true }),
  )
})

test('a wrong password, an unknown address and half a request restore nothing', async () => {
  const { email, password } = await newLeaver()
  const restore = (body: object) => call('POST', '/api/auth/restore', { body })
  for (const typed of [
    { email, password: 'wrong password' },
    { email: `${unique('nobody')}@blackbox.test`, password },
  ]) {
    const answer = await restore(typed)
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual(refusal(401, 'INVALID_CREDENTIALS'))
  }
  for (const half of [{ email }, { password }, { email: [email], password }]) {
    expect((await restore(half)).body).toMatchObject(refusal(422, 'VALIDATION_FAILED'))
  }
  expect((await ask(openBrowser(), 'login', { email, password })).body).toEqual(SCHEDULED)
})

test('restoring leads past no second factor: nothing changes until it was shown', async () => {
  const { email, password, app } = await newLeaver({ withApp: true })
  const browser = openBrowser()
  const half = await ask(browser, 'restore', { email, password })
  expect(half.status).toBe(200)
  expect(half.body).toEqual({ mfaRequired: true, methods: ['totp', 'recovery_code'] })
  expect((await ask(openBrowser(), 'login', { email, password })).body).toEqual(SCHEDULED)
  const whole = await ask(browser, 'mfa', { code: await app?.nextCode() })
  expect(whole.status).toBe(200)
  expect(whole.body).toEqual(signedIn(email, { emailVerified: true }))
  expect(await isAlive(browser)).toBe(true)
})

test('where nothing is to be undone it is a plain sign-in', async () => {
  const { person } = await newConfirmedHolder()
  const { email, password } = person
  const { body } = await ask(openBrowser(), 'restore', { email, password })
  expect(body).toEqual(signedIn(email, { emailVerified: true }))
  expect((await mailTo(email)).map(({ subject }) => subject)).not.toContain('Your account was restored')
})

test('the pages do the same without a script', async () => {
  const { email, password } = await newLeaver()
  const browser = openBrowser()
  const login = loginForm(await readForms(await browser.get('/login')))
  if (!login) throw new Error('no form')
  const led = await submit(browser, login, { email, password })
  expect([led.status, led.headers.get('location')]).toEqual([303, '/restore'])
  const page = await browser.get('/restore')
  expect(await page.clone().text()).toContain(email)
  expect(await isAlive(browser)).toBe(false)
  const form = (await readForms(page)).find(({ action }) => action.includes('/restore'))
  if (!form) throw new Error('no form')
  const done = await press(browser, form, /restore/i)
  expect([done.status, done.headers.get('location')]).toEqual([303, '/account'])
  expect(await isAlive(browser)).toBe(true)
  expect((await ask(openBrowser(), 'login', { email, password })).status).toBe(200)
})
