import { expect, test } from 'vitest'
import { callAs, client, newConfirmedHolder, newHolder } from '../support/account.ts'
import { addApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { call, refusal } from '../support/calls.ts'
import { awaitMail, linkIn, mailTo, tokenIn } from '../support/mail.ts'
import { getTokens, refresh, userinfo } from '../support/oauth.ts'
import { readForms, submit } from '../support/pages.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { base, unique } from '../support/service.ts'
import { ask, isAlive, sessionOf, signedIn } from '../support/sign-in.ts'

const SUBJECT = 'Choose a new password'
const INVALID = refusal(400, 'INVALID_TOKEN')
const newPassword = () => unique('another long secret')
const forgot = (email: unknown) => call('POST', '/api/auth/password/forgot', { body: { email } })
const reset = (token: unknown, password: unknown) =>
  call('POST', '/api/auth/password/reset', { body: { token, newPassword: password } })
const logIn = (email: string, password: string) => ask(openBrowser(), 'login', { email, password })

/** Asks for a link and takes it from the mail. */
async function linkFor(email: string): Promise<string> {
  const asked = await forgot(email)
  if (asked.status !== 200) throw new Error(`forgot: ${asked.status} ${JSON.stringify(asked.body)}`)
  return linkIn(await awaitMail(email, SUBJECT)) ?? ''
}
const tokenFor = async (email: string) => new URL(await linkFor(email)).searchParams.get('token')

test('a link comes by mail, sets a new password, ends every session and tells the person', async () => {
  const { person, tokens } = await newConfirmedHolder()
  const { email, password } = person
  const [elsewhere, mine] = [await person.signIn(), newPassword()]
  const link = await linkFor(email)
  expect(link).toMatch(`${base}/reset-password?token=`)
  const { status, body, headers } = await reset(new URL(link).searchParams.get('token'), mine)
  expect(status).toBe(200)
  expect(body).toEqual({ success: true, message: expect.any(String) })
  expect(headers.getSetCookie()).toEqual([])
  expect((await logIn(email, password)).status).toBe(401)
  expect((await logIn(email, mine)).body).toEqual(signedIn(email, { emailVerified: true }))
  expect(await isAlive(elsewhere)).toBe(false)
  expect((await userinfo(tokens.access_token)).status).toBe(401)
  expect((await refresh(client, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await mailTo(email)).map(({ subject }) => subject)).toContain('Your password was reset')
})

test('T094: known and unknown addresses get the same answer, and only the known a mail', async () => {
  const { email } = await newConfirmedPerson()
  const nobody = `${unique('nobody')}@blackbox.test`
  const [known, unknown] = [await forgot(email.toUpperCase()), await forgot(nobody)]
  for (const { status, body } of [known, unknown]) {
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: known.body.message })
  }
  expect(known.body.message).toEqual(expect.any(String))
  expect([...unknown.headers.keys()]).toEqual([...known.headers.keys()])
  await awaitMail(email, SUBJECT)
  // Asked for later, and worked off by now: whatever was to come for the other has come.
  await linkFor((await newConfirmedPerson()).email)
  expect(await mailTo(nobody)).toEqual([])
})

test('a link is good once, also when it is followed several times at once', async () => {
  const { email } = await newConfirmedPerson()
  const token = await tokenFor(email)
  const passwords = Array.from({ length: 5 }, newPassword)
  const answers = await Promise.all(passwords.map((password) => reset(token, password)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
  for (const [index, { status, body }] of answers.entries()) {
    if (status === 400) expect(body).toEqual(INVALID)
    expect((await logIn(email, passwords[index] ?? '')).status).toBe(status === 200 ? 200 : 401)
  }
})

test('a weak password does not burn the link', async () => {
  const { email } = await newConfirmedPerson()
  const token = await tokenFor(email)
  for (const weak of ['sevench', 'password', '12345678', email, 'Sam Someone', 'x'.repeat(1025)]) {
    expect((await reset(token, weak)).body, weak).toEqual(refusal(422, 'WEAK_PASSWORD'))
  }
  expect((await reset(token, newPassword())).status).toBe(200)
})

test('a newer link voids the older, and a change of the password every link', async () => {
  const { person, tokens } = await newConfirmedHolder()
  const { email, password } = person
  const older = await tokenFor(email)
  await forgot(email)
  await expect.poll(async () => (await mailTo(email)).filter(isReset).length).toBe(2)
  expect((await reset(older, newPassword())).body).toEqual(INVALID)
  const newer = tokenIn((await mailTo(email)).find(isReset))
  const mine = newPassword()
  await callAs(tokens, 'POST', '/api/users/me/password', { currentPassword: password, newPassword: mine })
  expect((await reset(newer, newPassword())).body).toEqual(INVALID)
  expect((await logIn(email, mine)).status).toBe(200)
})
const isReset = ({ subject }: { subject: string }) => subject === SUBJECT

test('a link for one purpose is worth nothing for another', async () => {
  const { email } = await newPerson()
  const confirmation = tokenIn((await mailTo(email))[0])
  const token = await tokenFor(email)
  expect((await reset(confirmation, newPassword())).body).toEqual(INVALID)
  expect((await call('POST', '/api/auth/email/verify', { body: { token } })).body).toEqual(INVALID)
  expect((await reset(token, newPassword())).status).toBe(200)
})

test('who reads the mail of an address has it: a reset confirms it', async () => {
  const { person, tokens } = await newHolder()
  const mine = newPassword()
  expect((await reset(await tokenFor(person.email), mine)).status).toBe(200)
  expect((await logIn(person.email, mine)).body).toEqual(signedIn(person.email, { emailVerified: true }))
  expect((await userinfo(tokens.access_token)).status).toBe(401)
})

test('a reset leads past no second factor', async () => {
  const { person, tokens } = await newConfirmedHolder()
  const { app } = await addApp(tokens)
  const mine = newPassword()
  expect((await reset(await tokenFor(person.email), mine)).status).toBe(200)
  const browser = openBrowser()
  expect((await ask(browser, 'login', { email: person.email, password: mine })).body).toEqual({
    ...{ mfaRequired: true, methods: ['totp', 'recovery_code'] },
  })
  expect(sessionOf(browser)).toBeUndefined()
  expect((await ask(browser, 'mfa', { code: await app.nextCode() })).status).toBe(200)
  expect((await userinfo((await getTokens(browser, client)).access_token)).status).toBe(200)
})

test('what is no token resets nothing, and what is no address is named', async () => {
  for (const token of ['', 'x', 'A'.repeat(43), "' or 1=1 --"]) {
    expect((await reset(token, newPassword())).body, token).toEqual(INVALID)
  }
  const unfit = (field: string) =>
    refusal(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] })
  for (const token of [undefined, null, 5, ['A'.repeat(43)]]) {
    expect((await reset(token, newPassword())).body).toEqual(unfit('token'))
  }
  expect((await reset('A'.repeat(43), undefined)).body).toEqual(unfit('newPassword'))
  const one = `${unique('one')}@blackbox.test`
  for (const email of [undefined, '', [one], `${one},${one}`, `${one}\r\nBcc: ${one}`, 'x'.repeat(1001)]) {
    expect((await forgot(email)).body, JSON.stringify(email)).toEqual(unfit('email'))
  }
  expect(await mailTo(one)).toEqual([])
})

test('the pages do the same without a script, and looking at one uses nothing up', async () => {
  const { email } = await newConfirmedPerson()
  const browser = openBrowser()
  const fill = async (page: string, fields: Record<string, string>) => {
    const [form] = await readForms(await browser.get(page))
    if (!form) throw new Error(`no form at ${page}`)
    return submit(browser, form, fields)
  }
  expect((await fill('/forgot-password', { email })).status).toBe(200)
  const link = linkIn(await awaitMail(email, SUBJECT)) ?? ''
  for (let look = 0; look < 3; look++) expect((await browser.get(link)).status).toBe(200)
  const mine = newPassword()
  expect((await fill(link, { newPassword: 'short' })).status).toBe(422)
  expect((await fill(link, { newPassword: mine })).status).toBe(200)
  expect((await fill(link, { newPassword: newPassword() })).status).toBe(400)
  expect((await logIn(email, mine)).status).toBe(200)
})
