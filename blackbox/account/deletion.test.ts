import { expect, test } from 'vitest'
import { callAs, client, logIn, newHolder, refused } from '../support/account.ts'
import { newApplication, newClient } from '../support/admin.ts'
import { call } from '../support/calls.ts'
import { mailTo } from '../support/mail.ts'
import { getTokens, introspect, refresh, userinfo } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'

const CONFIRMATION = 'DELETE MY ACCOUNT'
const web = await newClient(await newApplication(), 'WEB')

test('T114: the last owner of a tenant cannot go, nor who says or knows the wrong words', async () => {
  const olivia = demoPerson('olivia@acme.test')
  const tokens = await getTokens(await olivia.signIn(), client)
  const ask = (confirmation: string, password: string) =>
    callAs(tokens, 'DELETE', '/api/users/me', { confirmation, password })
  expect(await ask('delete my account', 'wrong')).toMatchObject(refused(400, 'INCORRECT_CONFIRMATION'))
  expect(await ask(CONFIRMATION, 'wrong')).toMatchObject(refused(400, 'CURRENT_PASSWORD_INCORRECT'))
  const answer = await ask(CONFIRMATION, olivia.password)
  expect(answer).toMatchObject(refused(400, 'TENANT_OWNER'))
  expect(answer.body.details).toEqual({ tenants: [{ id: expect.any(String), name: 'Acme', slug: 'acme' }] })
  expect((await userinfo(tokens.access_token)).status).toBe(200)
})

test('T114: a missing confirmation is a mistake in the request', async () => {
  const { person, tokens } = await newHolder()
  const { password } = person
  expect(await callAs(tokens, 'DELETE', '/api/users/me', { password })).toMatchObject(
    refused(422, 'VALIDATION_FAILED'),
  )
  expect(await callAs(tokens, 'DELETE', '/api/users/me')).toMatchObject(refused(422, 'VALIDATION_FAILED'))
})

test('T114: everything ends at once, and for a while it can be taken back', async () => {
  const { person, tokens } = await newHolder()
  const elsewhere = await person.signIn()
  const { email, password } = person
  const answer = await callAs(tokens, 'DELETE', '/api/users/me', { password, confirmation: CONFIRMATION })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ success: true, message: 'Account scheduled for deletion' })
  expect((await userinfo(tokens.access_token)).status).toBe(401)
  expect((await introspect(web, tokens.access_token)).body).toEqual({ active: false })
  expect((await refresh(client, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await elsewhere.get('/api/users/me')).status).toBe(401)
  expect((await mailTo(email))[0]?.subject).toBe('Your account will be deleted')

  expect(await call('POST', '/api/auth/login', { body: { email, password } })).toMatchObject(
    refused(403, 'ACCOUNT_SCHEDULED_FOR_DELETION'),
  )
  expect(await logIn(email, 'wrong')).toBe(401)
  expect(await call('POST', '/api/auth/restore', { body: { email, password: 'wrong' } })).toMatchObject(
    refused(401, 'INVALID_CREDENTIALS'),
  )
  expect((await call('POST', '/api/auth/restore', { body: { email, password } })).status).toBe(200)
  expect(await logIn(email, password)).toBe(200)
  expect((await userinfo(tokens.access_token)).status).toBe(401)
})

test('nobody else finds out that an account is about to be deleted: its address stays taken', async () => {
  const { person, tokens } = await newHolder()
  const { email, password } = person
  await callAs(tokens, 'DELETE', '/api/users/me', { password, confirmation: CONFIRMATION })
  const answer = await call('POST', '/api/auth/register', {
    body: { email, password: 'another good secret' },
  })
  expect(answer.status).toBe(201)
  expect(await logIn(email, 'another good secret')).toBe(401)
})
