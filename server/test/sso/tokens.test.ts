import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { type Forger, startForger } from './forger.ts'
import { createVisitor } from './visitor.ts'

let forger: Forger
let service: TestService
beforeAll(async () => {
  forger = await startForger()
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

/** Comes back with a code for a token that says this. */
async function comeWith(claims: (nonce: string) => Record<string, unknown>) {
  const visitor = createVisitor([service.url])
  const { url } = await visitor.go(`${service.url}/sso/forger`)
  const { state, nonce = '' } = Object.fromEntries(new URL(url).searchParams)
  forger.claims = claims(nonce)
  const isArrived = (at: string) => at.endsWith('/account')
  return visitor.go(`${service.url}/sso/forger/callback?code=c&state=${state}`, isArrived)
}

const good = (nonce: string) => ({ nonce, sub: 's', email: 'nora@example.com', email_verified: true })

test('a token that says and proves what it should opens an account', async () => {
  expect((await comeWith(good)).url).toBe(`${service.url}/account`)
})

test('a token that another key has signed is not believed', async () => {
  forger.ownKey = false
  const stop = await comeWith(good)
  expect(stop).toMatchObject({ status: 400, text: expect.stringContaining('could not be confirmed') })
})

test.each([
  ['another nonce', { nonce: 'another' }],
  ['no nonce', { nonce: undefined }],
  ['another issuer', { iss: 'https://accounts.google.com' }],
  ['another audience', { aud: 'somebody-else' }],
  ['no subject', { sub: undefined }],
  ['a subject that cannot be kept', { sub: 'a\0b' }],
])('a token with %s is not believed', async (_name, wrong) => {
  const stop = await comeWith((nonce) => ({ ...good(nonce), ...wrong }))
  expect(stop.status).toBe(400)
})

test('nobody but the first came in', async () => {
  const { db } = service.ctx
  expect(await db.selectFrom('sessions').select('id').execute()).toHaveLength(1)
  expect(await db.selectFrom('sso_links').select('subject').execute()).toEqual([{ subject: 's' }])
})
