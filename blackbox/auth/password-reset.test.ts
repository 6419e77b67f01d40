import { expect, test } from 'vitest'
import { callAs, client, newAccount, newConfirmedAccount } from '../support/account.ts'
import { addAuthenticatorApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { call, errorBody } from '../support/calls.ts'
import { findLink, findToken, listMails, waitForMail } from '../support/mail.ts'
import { getTokens, getUserinfo, refreshTokens } from '../support/oauth.ts'
import { readForms, submitForm } from '../support/pages.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { baseUrl, unique } from '../support/service.ts'
import { expectedSignIn, findSessionCookie, hasSession, postAuth } from '../support/sign-in.ts'

const SUBJECT = 'Choose a new password'
const INVALID = errorBody(400, 'INVALID_TOKEN')
const newPassword = () => unique('another long secret')
const requestReset = (email: unknown) => call('POST', '/api/auth/password/forgot', { body: { email } })
const resetPassword = (token: unknown, password: unknown) =>
  call('POST', '/api/auth/password/reset', { body: { token, newPassword: password } })
const logIn = (email: string, password: string) => postAuth(openBrowser(), 'login', { email, password })

/** Requests a reset link and reads it from the mail. */
async function getResetLink(email: string): Promise<string> {
  const response = await requestReset(email)
  if (response.status !== 200) throw new Error(`forgot: ${response.status} ${JSON.stringify(response.body)}`)
  return findLink(await waitForMail(email, SUBJECT)) ?? ''
}
const getResetToken = async (email: string) => new URL(await getResetLink(email)).searchParams.get('token')

test('a mailed link sets a new password, ends every session and notifies the person', async () => {
  const { person, tokens } = await newConfirmedAccount()
  const { email, password } = person
  const [elsewhere, chosenPassword] = [await person.signIn(), newPassword()]
  const link = await getResetLink(email)
  expect(link).toMatch(`${baseUrl}/reset-password?token=`)
  const { status, body, headers } = await resetPassword(new URL(link).searchParams.get('token'), chosenPassword)
  expect(status).toBe(200)
  expect(body).toEqual({ success: true, message: expect.any(String) })
  expect(headers.getSetCookie()).toEqual([])
  expect((await logIn(email, password)).status).toBe(401)
  expect((await logIn(email, chosenPassword)).body).toEqual(expectedSignIn(email, { emailVerified: true }))
  expect(await hasSession(elsewhere)).toBe(false)
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  expect((await refreshTokens(client, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await listMails(email)).map(({ subject }) => subject)).toContain('Your password was reset')
})

test('T094: known and unknown addresses get the same response, and only the known one a mail', async () => {
  const { email } = await newConfirmedPerson()
  const unknownAddress = `${unique('nobody')}@blackbox.test`
  const [known, unknown] = [await requestReset(email.toUpperCase()), await requestReset(unknownAddress)]
  for (const { status, body } of [known, unknown]) {
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: known.body.message })
  }
  expect(known.body.message).toEqual(expect.any(String))
  expect([...unknown.headers.keys()]).toEqual([...known.headers.keys()])
  await waitForMail(email, SUBJECT)
  // Requested later and already processed, so the mail for the other would have been sent.
  await getResetLink((await newConfirmedPerson()).email)
  expect(await listMails(unknownAddress)).toEqual([])
})

test('a link works once, also for concurrent requests', async () => {
  const { email } = await newConfirmedPerson()
  const token = await getResetToken(email)
  const passwords = Array.from({ length: 5 }, newPassword)
  const responses = await Promise.all(passwords.map((password) => resetPassword(token, password)))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
  for (const [index, { status, body }] of responses.entries()) {
    if (status === 400) expect(body).toEqual(INVALID)
    expect((await logIn(email, passwords[index] ?? '')).status).toBe(status === 200 ? 200 : 401)
  }
})

test('a weak password does not use up the link', async () => {
  const { email } = await newConfirmedPerson()
  const token = await getResetToken(email)
  for (const weak of ['sevench', 'password', '12345678', email, 'Sam Someone', 'x'.repeat(1025)]) {
    expect((await resetPassword(token, weak)).body, weak).toEqual(errorBody(422, 'WEAK_PASSWORD'))
  }
  expect((await resetPassword(token, newPassword())).status).toBe(200)
})

test('a newer link invalidates the older one, and a password change invalidates every link', async () => {
  const { person, tokens } = await newConfirmedAccount()
  const { email, password } = person
  const older = await getResetToken(email)
  await requestReset(email)
  await expect.poll(async () => (await listMails(email)).filter(isReset).length).toBe(2)
  expect((await resetPassword(older, newPassword())).body).toEqual(INVALID)
  const newer = findToken((await listMails(email)).find(isReset))
  const chosenPassword = newPassword()
  await callAs(tokens, 'POST', '/api/users/me/password', {
    currentPassword: password,
    newPassword: chosenPassword,
  })
  expect((await resetPassword(newer, newPassword())).body).toEqual(INVALID)
  expect((await logIn(email, chosenPassword)).status).toBe(200)
})
const isReset = ({ subject }: { subject: string }) => subject === SUBJECT

test('a token for one purpose is refused for another', async () => {
  const { email } = await newPerson()
  const confirmation = findToken((await listMails(email))[0])
  const token = await getResetToken(email)
  expect((await resetPassword(confirmation, newPassword())).body).toEqual(INVALID)
  expect((await call('POST', '/api/auth/email/verify', { body: { token } })).body).toEqual(INVALID)
  expect((await resetPassword(token, newPassword())).status).toBe(200)
})

test('a reset confirms the address', async () => {
  const { person, tokens } = await newAccount()
  const chosenPassword = newPassword()
  expect((await resetPassword(await getResetToken(person.email), chosenPassword)).status).toBe(200)
  expect((await logIn(person.email, chosenPassword)).body).toEqual(
    expectedSignIn(person.email, { emailVerified: true }),
  )
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
})

test('a reset does not bypass the second factor', async () => {
  const { person, tokens } = await newConfirmedAccount()
  const { app } = await addAuthenticatorApp(tokens)
  const chosenPassword = newPassword()
  expect((await resetPassword(await getResetToken(person.email), chosenPassword)).status).toBe(200)
  const browser = openBrowser()
  expect((await postAuth(browser, 'login', { email: person.email, password: chosenPassword })).body).toEqual({
    mfaRequired: true,
    methods: ['totp', 'recovery_code'],
  })
  expect(findSessionCookie(browser)).toBeUndefined()
  expect((await postAuth(browser, 'mfa', { code: await app.nextCode() })).status).toBe(200)
  expect((await getUserinfo((await getTokens(browser, client)).access_token)).status).toBe(200)
})

test('an invalid token is refused, and an invalid address is a field error', async () => {
  for (const token of ['', 'x', 'A'.repeat(43), "' or 1=1 --"]) {
    expect((await resetPassword(token, newPassword())).body, token).toEqual(INVALID)
  }
  const fieldError = (field: string) =>
    errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] })
  for (const token of [undefined, null, 5, ['A'.repeat(43)]]) {
    expect((await resetPassword(token, newPassword())).body).toEqual(fieldError('token'))
  }
  expect((await resetPassword('A'.repeat(43), undefined)).body).toEqual(fieldError('newPassword'))
  const one = `${unique('one')}@blackbox.test`
  for (const email of [undefined, '', [one], `${one},${one}`, `${one}\r\nBcc: ${one}`, 'x'.repeat(1001)]) {
    expect((await requestReset(email)).body, JSON.stringify(email)).toEqual(fieldError('email'))
  }
  expect(await listMails(one)).toEqual([])
})

test('the pages work without scripts, and opening one does not use the link', async () => {
  const { email } = await newConfirmedPerson()
  const browser = openBrowser()
  const fill = async (page: string, fields: Record<string, string>) => {
    const [form] = await readForms(await browser.get(page))
    if (!form) throw new Error(`no form at ${page}`)
    return submitForm(browser, form, fields)
  }
  expect((await fill('/forgot-password', { email })).status).toBe(200)
  const link = findLink(await waitForMail(email, SUBJECT)) ?? ''
  for (let look = 0; look < 3; look++) expect((await browser.get(link)).status).toBe(200)
  const chosenPassword = newPassword()
  expect((await fill(link, { newPassword: 'short' })).status).toBe(422)
  // This browser has asked for the link, so it is signed in.
  expect((await fill(link, { newPassword: chosenPassword })).status).toBe(303)
  expect(await hasSession(browser)).toBe(true)
  expect((await browser.get(link)).status).toBe(400)
  expect((await logIn(email, chosenPassword)).status).toBe(200)
})
