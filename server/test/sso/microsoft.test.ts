import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { createVisitor } from './visitor.ts'

const MICROSOFT = 'https://login.microsoftonline.com'
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'
const ACME = '11111111-2222-3333-4444-555555555555'
const GLOBEX = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

let forger: FakeProvider
let service: TestService
beforeAll(async () => {
  forger = await startFakeProvider()
  // Like Microsoft: one document for all tenants, with a placeholder in the issuer.
  forger.metadata = {
    issuer: `${MICROSOFT}/{tenantid}/v2.0`,
    authorization_endpoint: `${MICROSOFT}/authorize`,
    token_endpoint: `${MICROSOFT}/token`,
    jwks_uri: `${MICROSOFT}/jwks`,
    userinfo_endpoint: `${MICROSOFT}/userinfo`,
  }
  const real = fetch
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) =>
    real(String(input).replace(MICROSOFT, forger.issuer), init),
  )
  const client = {
    clientId: 'latchkey',
    clientSecret: 's',
    scopes: 'openid email',
    trustEmail: false,
    trustReauthentication: false,
  }
  const named = (name: string, tenant: string) => ({
    ...client,
    name,
    label: 'Microsoft',
    issuer: `${MICROSOFT}/${tenant}/v2.0`,
  })
  service = await startService({
    config: { sso: [named('MICROSOFT', 'common'), named('WORK', 'organizations')] },
  })
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await service.close()
  await forger.stop()
})

async function signInWithClaims(claims: Record<string, unknown>, provider = 'microsoft') {
  const visitor = createVisitor([service.url])
  const { url } = await visitor.go(`${service.url}/sso/${provider}`)
  const { state, nonce } = Object.fromEntries(new URL(url).searchParams)
  forger.claims = { nonce, ...claims }
  const isArrived = (at: string) => at.endsWith('/account')
  const { status } = await visitor.go(`${service.url}/sso/${provider}/callback?code=c&state=${state}`, isArrived)
  return status === 0 ? 'signed in' : status
}

const from = (tid: string, sub: string) => ({ iss: `${MICROSOFT}/${tid}/v2.0`, tid, sub })

test('the same subject in two tenants is two users', async () => {
  const proven = { xms_edov: true }
  expect(await signInWithClaims({ ...from(ACME, 's'), email: 'a@acme.example', ...proven })).toBe('signed in')
  expect(await signInWithClaims({ ...from(GLOBEX, 's'), email: 'g@globex.example', ...proven })).toBe('signed in')
  const links = await service.ctx.db.selectFrom('sso_links').select(['issuer', 'user_id']).execute()
  expect(links.map(({ issuer }) => issuer).sort()).toEqual([`${MICROSOFT}/${ACME}/v2.0`, `${MICROSOFT}/${GLOBEX}/v2.0`])
  expect(new Set(links.map(({ user_id }) => user_id)).size).toBe(2)
})

test('an unverified address of a tenant does not match an existing account', async () => {
  const claims = { ...from(GLOBEX, 'mallory'), email: 'a@acme.example' }
  expect(await signInWithClaims(claims)).toBe(403)
  expect(await signInWithClaims({ ...claims, email_verified: true })).toBe(403)
  expect(await signInWithClaims({ ...claims, xms_edov: false })).toBe(403)
})

test('a token whose tid does not match its issuer is refused', async () => {
  expect(await signInWithClaims({ ...from(GLOBEX, 's'), tid: ACME })).toBe(400)
  expect(await signInWithClaims({ ...from(GLOBEX, 's'), tid: undefined })).toBe(400)
  expect(await signInWithClaims({ iss: `${MICROSOFT}/common/v2.0`, tid: 'common', sub: 's' })).toBe(400)
})

test('the audience organizations refuses personal accounts', async () => {
  const proven = { email: 'p@outlook.example', xms_edov: '1' }
  expect(await signInWithClaims({ ...from(PERSONAL, 'p'), ...proven }, 'work')).toBe(400)
  expect(await signInWithClaims({ ...from(PERSONAL, 'p'), ...proven })).toBe('signed in')
})
