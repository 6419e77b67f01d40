import { expect, test } from 'vitest'
import { callAs, client, errorResponse, logIn, newAccount } from '../support/account.ts'
import { listMails } from '../support/mail.ts'
import { getTokens, getUserinfo, refreshTokens } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'

const PATH = '/api/users/me/password'

test('T086: a wrong current password, the same password, a short one and a missing field have different errors', async () => {
  const { person, tokens } = await newAccount()
  const change = (currentPassword: string, newPassword: string) =>
    callAs(tokens, 'POST', PATH, { currentPassword, newPassword })
  expect(await change('wrong', unique('another secret'))).toMatchObject(
    errorResponse(400, 'CURRENT_PASSWORD_INCORRECT'),
  )
  expect(await change(person.password, 'sevench')).toMatchObject(errorResponse(422, 'WEAK_PASSWORD'))
  expect(await change(person.password, person.password)).toMatchObject(errorResponse(422, 'SAME_PASSWORD'))
  expect(await callAs(tokens, 'POST', PATH, { newPassword: unique('another secret') })).toMatchObject(
    errorResponse(422, 'VALIDATION_FAILED'),
  )
  expect(await logIn(person.email, person.password)).toBe(200)
})

test('T086: after a change the old password fails and the new one works', async () => {
  const { person, tokens } = await newAccount()
  const newPassword = unique('another secret')
  const response = await callAs(tokens, 'POST', PATH, { currentPassword: person.password, newPassword })
  expect(response.status).toBe(200)
  expect(response.body).toEqual({ success: true, message: 'Password changed successfully' })
  expect(await logIn(person.email, person.password)).toBe(401)
  expect(await logIn(person.email, newPassword)).toBe(200)
})

test('T088: common passwords and the own address are weak; composition rules do not apply', async () => {
  const { person, tokens } = await newAccount()
  let currentPassword = person.password
  for (const newPassword of ['password', '12345678', 'qwertyuiop', person.email]) {
    const response = await callAs(tokens, 'POST', PATH, { currentPassword, newPassword })
    expect(response, newPassword).toMatchObject(errorResponse(422, 'WEAK_PASSWORD'))
  }
  const strong = ['jqzkvwxyfmbhgpnudtlc', 'a few words will do', '🦑🪐🧦🪗🛶🧵🪁🦤', 'w8'.repeat(32), 'v9'.repeat(64)]
  for (const newPassword of [...strong, 'caf\u00e9 au lait, s\u2019il']) {
    const response = await callAs(tokens, 'POST', PATH, { currentPassword, newPassword })
    expect(response.status, newPassword).toBe(200)
    currentPassword = newPassword
  }
  expect(await logIn(person.email, currentPassword.normalize('NFD'))).toBe(200)
})

test('T091: other sessions and their tokens end, the current one stays, and a notification is mailed', async () => {
  const { person, tokens } = await newAccount()
  const otherBrowser = await person.signIn()
  const stolen = await getTokens(otherBrowser, client)
  const body = { currentPassword: person.password, newPassword: unique('another secret') }
  expect((await callAs(tokens, 'POST', PATH, body)).status).toBe(200)
  expect((await getUserinfo(stolen.access_token)).status).toBe(401)
  expect((await refreshTokens(client, stolen.refresh_token)).body.error).toBe('invalid_grant')
  expect((await otherBrowser.get('/api/users/me')).status).toBe(401)
  expect((await getUserinfo(tokens.access_token)).status).toBe(200)
  expect((await refreshTokens(client, tokens.refresh_token)).status).toBe(200)
  expect((await listMails(person.email)).map(({ subject }) => subject)).toContain('Your password was changed')
})

test('T095: the session cookie is rotated, and the old one is invalid', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  const before = new Map(browser.cookies)
  const body = { currentPassword: person.password, newPassword: unique('another secret') }
  expect((await browser.postJson(PATH, body)).status).toBe(200)
  expect((await browser.get('/api/users/me')).status).toBe(200)
  expect([...browser.cookies]).not.toEqual([...before])
  for (const [name, value] of before) browser.cookies.set(name, value)
  expect((await browser.get('/api/users/me')).status).toBe(401)
})
