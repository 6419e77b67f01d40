import { expect, test } from 'vitest'
import { callAs, client, logIn, newHolder, refused } from '../support/account.ts'
import { mailTo } from '../support/mail.ts'
import { getTokens, refresh, userinfo } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'

const PATH = '/api/users/me/password'

test('T086: a wrong current password, the same again, a short one and a missing field are told apart', async () => {
  const { person, tokens } = await newHolder()
  const change = (currentPassword: string, newPassword: string) =>
    callAs(tokens, 'POST', PATH, { currentPassword, newPassword })
  expect(await change('wrong', unique('another secret'))).toMatchObject(
    refused(400, 'CURRENT_PASSWORD_INCORRECT'),
  )
  expect(await change(person.password, 'sevench')).toMatchObject(refused(422, 'WEAK_PASSWORD'))
  expect(await change(person.password, person.password)).toMatchObject(refused(422, 'SAME_PASSWORD'))
  expect(await callAs(tokens, 'POST', PATH, { newPassword: unique('another secret') })).toMatchObject(
    refused(422, 'VALIDATION_FAILED'),
  )
  expect(await logIn(person.email, person.password)).toBe(200)
})

test('T086: after a change the old password fails and the new one works', async () => {
  const { person, tokens } = await newHolder()
  const newPassword = unique('another secret')
  const answer = await callAs(tokens, 'POST', PATH, { currentPassword: person.password, newPassword })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, message: 'Password changed successfully' })
  expect(await logIn(person.email, person.password)).toBe(401)
  expect(await logIn(person.email, newPassword)).toBe(200)
})

test('T088: common ones and the own address are weak; length is strength; spelling does not matter', async () => {
  const { person, tokens } = await newHolder()
  let currentPassword = person.password
  for (const newPassword of ['password', '12345678', 'qwertyuiop', person.email]) {
    const answer = await callAs(tokens, 'POST', PATH, { currentPassword, newPassword })
    expect(answer, newPassword).toMatchObject(refused(422, 'WEAK_PASSWORD'))
  }
  const strong = [
    'jqzkvwxyfmbhgpnudtlc',
    'a few words will do',
    '🦑🪐🧦🪗🛶🧵🪁🦤',
    'w8'.repeat(32),
    'v9'.repeat(64),
  ]
  for (const newPassword of [...strong, 'caf\u00e9 au lait, s\u2019il']) {
    const answer = await callAs(tokens, 'POST', PATH, { currentPassword, newPassword })
    expect(answer.status, newPassword).toBe(200)
    currentPassword = newPassword
  }
  expect(await logIn(person.email, currentPassword.normalize('NFD'))).toBe(200)
})

test('T091: other sessions and their tokens die, the current one lives, and a notice is mailed', async () => {
  const { person, tokens } = await newHolder()
  const elsewhere = await person.signIn()
  const stolen = await getTokens(elsewhere, client)
  const body = { currentPassword: person.password, newPassword: unique('another secret') }
  expect((await callAs(tokens, 'POST', PATH, body)).status).toBe(200)
  expect((await userinfo(stolen.access_token)).status).toBe(401)
  expect((await refresh(client, stolen.refresh_token)).body.error).toBe('invalid_grant')
  expect((await elsewhere.get('/api/users/me')).status).toBe(401)
  expect((await userinfo(tokens.access_token)).status).toBe(200)
  expect((await refresh(client, tokens.refresh_token)).status).toBe(200)
  expect((await mailTo(person.email)).map(({ subject }) => subject)).toContain('Your password was changed')
})

test('T095: in a browser the value of the cookie changes, and the one before is worthless', async () => {
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
