import { expect, test } from 'vitest'
import { callAs, logIn, newHolder, refused } from '../support/account.ts'
import { openBrowser } from '../support/browser.ts'
import { call } from '../support/calls.ts'
import { linkIn, mailTo, tokenIn } from '../support/mail.ts'
import type { Tokens } from '../support/oauth.ts'
import { press, readForms } from '../support/pages.ts'
import { base, unique } from '../support/service.ts'

const SENT = { success: true, message: 'Verification email sent to new address' }
const newAddress = () => `${unique('moved')}@blackbox.test`
const ask = (tokens: Tokens, newEmail: unknown, password: string) =>
  callAs(tokens, 'POST', '/api/users/me/email', { newEmail, password })
const verify = (token: string | undefined) => call('POST', '/api/auth/email/verify', { body: { token } })
const addressOf = async (tokens: Tokens) => (await callAs(tokens, 'GET', '/api/users/me')).body

test('T104: the link goes to the new address alone, works once, and the old address is told', async () => {
  const { person, tokens } = await newHolder()
  const newEmail = newAddress()
  const answer = await ask(tokens, newEmail, person.password)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual(SENT)
  expect(await addressOf(tokens)).toMatchObject({ email: person.email })
  const [letter, ...others] = await mailTo(newEmail)
  expect(others).toEqual([])
  expect(linkIn(letter)).toMatch(`${base}/verify-email?token=`)
  const token = tokenIn(letter)
  // Beside it, the old address has the mail that asked to confirm it at first.
  expect((await mailTo(person.email)).map(tokenIn)).not.toContain(token)

  expect((await verify(token)).status).toBe(200)
  expect(await addressOf(tokens)).toMatchObject({ email: newEmail, emailVerified: true })
  expect(await verify(token)).toMatchObject(refused(400, 'INVALID_TOKEN'))
  expect((await mailTo(person.email))[0]?.text).toContain(newEmail)
  expect(await logIn(person.email, person.password)).toBe(401)
  expect(await logIn(newEmail, person.password)).toBe(200)
})

test('T104: the page behind the link changes nothing until its button is pressed', async () => {
  const { person, tokens } = await newHolder()
  const newEmail = newAddress()
  await ask(tokens, newEmail, person.password)
  const browser = openBrowser()
  const page = await browser.get(linkIn((await mailTo(newEmail))[0]) ?? '')
  expect(page.status).toBe(200)
  expect(await addressOf(tokens)).toMatchObject({ email: person.email })
  const [form] = await readForms(page)
  if (!form) throw new Error('the page has no form')
  expect((await press(browser, form, /confirm/i)).status).toBe(200)
  expect(await addressOf(tokens)).toMatchObject({ email: newEmail, emailVerified: true })
})

test('T104: a newer request voids the older link, and a wrong password makes none', async () => {
  const { person, tokens } = await newHolder()
  const [older, newer, none] = [newAddress(), newAddress(), newAddress()]
  await ask(tokens, older, person.password)
  await ask(tokens, newer, person.password)
  expect(await ask(tokens, none, 'wrong')).toMatchObject(refused(400, 'CURRENT_PASSWORD_INCORRECT'))
  expect(await verify(tokenIn((await mailTo(older))[0]))).toMatchObject(refused(400, 'INVALID_TOKEN'))
  expect(await mailTo(none)).toEqual([])
  expect((await verify(tokenIn((await mailTo(newer))[0]))).status).toBe(200)
})

test('T106: an address that is taken gets the same answer and no link', async () => {
  const [{ person, tokens }, { person: owner }] = [await newHolder(), await newHolder()]
  const before = (await mailTo(owner.email)).length
  const answer = await ask(tokens, owner.email, person.password)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual(SENT)
  const mails = await mailTo(owner.email)
  expect(mails).toHaveLength(before + 1)
  expect(tokenIn(mails[0])).toBeUndefined()
})

test('T108: what is no single plain address is refused, and no mail goes anywhere', async () => {
  const { person, tokens } = await newHolder()
  const [one, two] = [newAddress(), newAddress()]
  const unfit = [
    ...[[one], [one, two], { address: one }, '', `${one},${two}`, `${one};${two}`, `${one}\r\nBcc: ${two}`],
    ...[`${one}\n`, `${one}\0`, one.replace('@', '\uff20'), `"a ${one}"@blackbox.test`, `<${one}>`],
    `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.test`,
  ]
  for (const newEmail of unfit) {
    const answer = await ask(tokens, newEmail, person.password)
    expect(answer, JSON.stringify(newEmail)).toMatchObject(refused(422, 'VALIDATION_FAILED'))
  }
  expect([...(await mailTo(one)), ...(await mailTo(two))]).toEqual([])
})
