import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { createVisitor } from './visitor.ts'

let forger: FakeProvider
let service: TestService
beforeAll(async () => {
  forger = await startFakeProvider()
  const client = {
    clientId: 'latchkey',
    clientSecret: 'secret',
    scopes: 'openid email',
    trustEmail: false,
    trustReauthentication: false,
  }
  const provider = { ...client, name: 'FORGER', label: 'Forger', issuer: forger.issuer }
  service = await startService({ config: { sso: [provider] } })
})
afterAll(async () => {
  await service.close()
  await forger.stop()
})
beforeEach(() => {
  forger.ownKey = true
})

/** Signs in with an ID token that has these claims. */
async function signInWithClaims(claims: (nonce: string) => Record<string, unknown>) {
  const visitor = createVisitor([service.url])
  const { url } = await visitor.go(`${service.url}/sso/forger`)
  const { state, nonce = '' } = Object.fromEntries(new URL(url).searchParams)
  forger.claims = claims(nonce)
  const isArrived = (at: string) => at.endsWith('/account')
  return visitor.go(`${service.url}/sso/forger/callback?code=c&state=${state}`, isArrived)
}

const good = (nonce: string) => ({ nonce, sub: 's', email: 'nora@example.com', email_verified: true })

test('a valid ID token signs in', async () => {
  expect((await signInWithClaims(good)).url).toBe(`${service.url}/account`)
})

test('an ID token signed with another key is refused', async () => {
  forger.ownKey = false
  const stop = await signInWithClaims(good)
  expect(stop).toMatchObject({ status: 400, text: expect.stringContaining('could not be confirmed') })
})

test.each([
  ['another nonce', { nonce: 'another' }],
  ['no nonce', { nonce: undefined }],
  ['another issuer', { iss: 'https://accounts.google.com' }],
  ['another audience', { aud: 'somebody-else' }],
  ['no subject', { sub: undefined }],
  ['an invalid subject', { sub: 'a\0b' }],
])('an ID token with %s is refused', async (_name, wrong) => {
  const stop = await signInWithClaims((nonce) => ({ ...good(nonce), ...wrong }))
  expect(stop.status).toBe(400)
})

test('only the valid token created a session and a link', async () => {
  const { db } = service.ctx
  expect(await db.selectFrom('sessions').select('id').execute()).toHaveLength(1)
  expect(await db.selectFrom('sso_links').select('subject').execute()).toEqual([{ subject: 's' }])
})
