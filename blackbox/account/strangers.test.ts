import { describe, expect, test } from 'vitest'
import { logIn } from '../support/account.ts'
import { call, intruders, refusal, withCookies } from '../support/calls.ts'
import { newPerson } from '../support/person.ts'

const person = await newPerson()
const strangers = await intruders(person)
const { password } = person
const DOORS: [string, string, object][] = [
  [
    'POST',
    '/api/users/me/password',
    { currentPassword: password, newPassword: 'a stranger has chosen this' },
  ],
  ['POST', '/api/users/me/email', { newEmail: 'stranger@blackbox.test', password }],
  ['DELETE', '/api/users/me', { confirmation: 'DELETE MY ACCOUNT', password }],
]

describe.each(DOORS)('%s %s', (method, path, body) => {
  test.each(strangers)('is closed to %s', async (_, headers, status) => {
    const answer = await call(method, path, { headers, body })
    expect(answer).toMatchObject({
      status,
      body: refusal(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'),
    })
  })
})

test.each(DOORS)('%s %s: a cookie alone does nothing for other sites', async (method, path, body) => {
  const browser = await person.signIn()
  const sites: Record<string, string>[] = [
    { origin: 'https://evil.test' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const site of sites) {
    const headers = { ...withCookies(browser), ...site }
    expect(await call(method, path, { headers, body })).toMatchObject({ status: 403 })
  }
  expect(await logIn(person.email, password)).toBe(200)
})
