import { describe, expect, test } from 'vitest'
import { logIn } from '../support/account.ts'
import { call, errorBody, newForbiddenCallers, withCookies } from '../support/calls.ts'
import { newPerson } from '../support/person.ts'

const person = await newPerson()
const forbiddenCallers = await newForbiddenCallers(person)
const { password } = person
const ROUTES: [string, string, object][] = [
  ['POST', '/api/users/me/password', { currentPassword: password, newPassword: 'a stranger has chosen this' }],
  ['POST', '/api/users/me/email', { newEmail: 'stranger@blackbox.test', password }],
  ['DELETE', '/api/users/me', { confirmation: 'DELETE MY ACCOUNT', password }],
]

describe.each(ROUTES)('%s %s', (method, path, body) => {
  test.each(forbiddenCallers)('refuses %s', async (_, headers, status) => {
    const response = await call(method, path, { headers, body })
    expect(response).toMatchObject({
      status,
      body: errorBody(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'),
    })
  })
})

test.each(ROUTES)('%s %s: a cookie is not accepted from other sites', async (method, path, body) => {
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
