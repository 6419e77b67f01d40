import { expect, test } from 'vitest'
import { callAs, errorResponse, logIn, newAccount } from '../support/account.ts'
import { openBrowser } from '../support/browser.ts'
import { call } from '../support/calls.ts'
import { findLink, findToken, listMails } from '../support/mail.ts'
import type { Tokens } from '../support/oauth.ts'
import { pressButton, readForms } from '../support/pages.ts'
import { baseUrl, unique } from '../support/service.ts'

const SENT = { success: true, message: 'Verification email sent to new address' }
const newAddress = () => `${unique('moved')}@blackbox.test`
const requestChange = (tokens: Tokens, newEmail: unknown, password: string) =>
  callAs(tokens, 'POST', '/api/users/me/email', { newEmail, password })
const verifyEmail = (token: string | undefined) => call('POST', '/api/auth/email/verify', { body: { token } })
const readProfile = async (tokens: Tokens) => (await callAs(tokens, 'GET', '/api/users/me')).body

test('T104: the link is sent to the new address only, works once, and the old address is notified', async () => {
  const { person, tokens } = await newAccount()
  const newEmail = newAddress()
  const response = await requestChange(tokens, newEmail, person.password)
  expect(response.status).toBe(200)
  expect(response.body).toEqual(SENT)
  expect(await readProfile(tokens)).toMatchObject({ email: person.email })
  const [letter, ...others] = await listMails(newEmail)
  expect(others).toEqual([])
  expect(findLink(letter)).toMatch(`${baseUrl}/verify-email?token=`)
  const token = findToken(letter)
  // The old address also has the mail from the registration.
  expect((await listMails(person.email)).map(findToken)).not.toContain(token)

  expect((await verifyEmail(token)).status).toBe(200)
  expect(await readProfile(tokens)).toMatchObject({ email: newEmail, emailVerified: true })
  expect(await verifyEmail(token)).toMatchObject(errorResponse(400, 'INVALID_TOKEN'))
  expect((await listMails(person.email))[0]?.text).toContain(newEmail)
  expect(await logIn(person.email, person.password)).toBe(401)
  expect(await logIn(newEmail, person.password)).toBe(200)
})

test('T104: the page behind the link changes nothing until its button is pressed', async () => {
  const { person, tokens } = await newAccount()
  const newEmail = newAddress()
  await requestChange(tokens, newEmail, person.password)
  const browser = openBrowser()
  const page = await browser.get(findLink((await listMails(newEmail))[0]) ?? '')
  expect(page.status).toBe(200)
  expect(await readProfile(tokens)).toMatchObject({ email: person.email })
  const [form] = await readForms(page)
  if (!form) throw new Error('the page has no form')
  expect((await pressButton(browser, form, /confirm/i)).status).toBe(200)
  expect(await readProfile(tokens)).toMatchObject({ email: newEmail, emailVerified: true })
})

test('T104: a newer request invalidates the older link, and a wrong password creates none', async () => {
  const { person, tokens } = await newAccount()
  const [older, newer, none] = [newAddress(), newAddress(), newAddress()]
  await requestChange(tokens, older, person.password)
  await requestChange(tokens, newer, person.password)
  expect(await requestChange(tokens, none, 'wrong')).toMatchObject(errorResponse(400, 'CURRENT_PASSWORD_INCORRECT'))
  expect(await verifyEmail(findToken((await listMails(older))[0]))).toMatchObject(errorResponse(400, 'INVALID_TOKEN'))
  expect(await listMails(none)).toEqual([])
  expect((await verifyEmail(findToken((await listMails(newer))[0]))).status).toBe(200)
})

test('T106: an address that is taken gets the same response and no link', async () => {
  const [{ person, tokens }, { person: owner }] = [await newAccount(), await newAccount()]
  const before = (await listMails(owner.email)).length
  const response = await requestChange(tokens, owner.email, person.password)
  expect(response.status).toBe(200)
  expect(response.body).toEqual(SENT)
  const mails = await listMails(owner.email)
  expect(mails).toHaveLength(before + 1)
  expect(findToken(mails[0])).toBeUndefined()
})

test('T108: an invalid address is refused, and no mail is sent', async () => {
  const { person, tokens } = await newAccount()
  const [one, two] = [newAddress(), newAddress()]
  const unfit = [
    ...[[one], [one, two], { address: one }, '', `${one},${two}`, `${one};${two}`, `${one}\r\nBcc: ${two}`],
    ...[`${one}\n`, `${one}\0`, one.replace('@', '\uff20'), `"a ${one}"@blackbox.test`, `<${one}>`],
    `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.test`,
  ]
  for (const newEmail of unfit) {
    const response = await requestChange(tokens, newEmail, person.password)
    expect(response, JSON.stringify(newEmail)).toMatchObject(errorResponse(422, 'VALIDATION_FAILED'))
  }
  expect([...(await listMails(one)), ...(await listMails(two))]).toEqual([])
})
