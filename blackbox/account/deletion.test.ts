import { expect, test } from 'vitest'
import { callAs, client, errorResponse, logIn, newAccount } from '../support/account.ts'
import { newApplication, newClient } from '../support/admin.ts'
import { call } from '../support/calls.ts'
import { listMails } from '../support/mail.ts'
import { getTokens, getUserinfo, introspectToken, refreshTokens } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'

const CONFIRMATION = 'DELETE MY ACCOUNT'
const web = await newClient(await newApplication(), 'WEB')

test('T114: deletion is refused for the last owner of a tenant, and with a wrong confirmation or password', async () => {
  const olivia = demoPerson('olivia@acme.test')
  const tokens = await getTokens(await olivia.signIn(), client)
  const requestDeletion = (confirmation: string, password: string) =>
    callAs(tokens, 'DELETE', '/api/users/me', { confirmation, password })
  expect(await requestDeletion('delete my account', 'wrong')).toMatchObject(
    errorResponse(400, 'INCORRECT_CONFIRMATION'),
  )
  expect(await requestDeletion(CONFIRMATION, 'wrong')).toMatchObject(errorResponse(400, 'CURRENT_PASSWORD_INCORRECT'))
  const response = await requestDeletion(CONFIRMATION, olivia.password)
  expect(response).toMatchObject(errorResponse(400, 'TENANT_OWNER'))
  expect(response.body.details).toEqual({ tenants: [{ id: expect.any(String), name: 'Acme', slug: 'acme' }] })
  expect((await getUserinfo(tokens.access_token)).status).toBe(200)
})

test('T114: a missing confirmation is an invalid request', async () => {
  const { person, tokens } = await newAccount()
  const { password } = person
  expect(await callAs(tokens, 'DELETE', '/api/users/me', { password })).toMatchObject(
    errorResponse(422, 'VALIDATION_FAILED'),
  )
  expect(await callAs(tokens, 'DELETE', '/api/users/me')).toMatchObject(errorResponse(422, 'VALIDATION_FAILED'))
})

test('T114: deletion ends all access immediately and can be undone for a limited time', async () => {
  const { person, tokens } = await newAccount()
  const otherBrowser = await person.signIn()
  const { email, password } = person
  const response = await callAs(tokens, 'DELETE', '/api/users/me', { password, confirmation: CONFIRMATION })
  expect(response.status).toBe(200)
  expect(response.body).toEqual({ success: true, message: 'Account scheduled for deletion' })
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  expect((await introspectToken(web, tokens.access_token)).body).toEqual({ active: false })
  expect((await refreshTokens(client, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await otherBrowser.get('/api/users/me')).status).toBe(401)
  expect((await listMails(email))[0]?.subject).toBe('Your account will be deleted')

  expect(await call('POST', '/api/auth/login', { body: { email, password } })).toMatchObject(
    errorResponse(403, 'ACCOUNT_SCHEDULED_FOR_DELETION'),
  )
  expect(await logIn(email, 'wrong')).toBe(401)
  expect(await call('POST', '/api/auth/restore', { body: { email, password: 'wrong' } })).toMatchObject(
    errorResponse(401, 'INVALID_CREDENTIALS'),
  )
  expect((await call('POST', '/api/auth/restore', { body: { email, password } })).status).toBe(200)
  expect(await logIn(email, password)).toBe(200)
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
})

test('a pending deletion is not visible to others: the address stays taken', async () => {
  const { person, tokens } = await newAccount()
  const { email, password } = person
  await callAs(tokens, 'DELETE', '/api/users/me', { password, confirmation: CONFIRMATION })
  const response = await call('POST', '/api/auth/register', {
    body: { email, password: 'another good secret' },
  })
  expect(response.status).toBe(201)
  expect(await logIn(email, 'another good secret')).toBe(401)
})
