import { expect, test } from 'vitest'
import { callAdmin, newApplication, newClient } from '../support/admin.ts'
import { authorizationRequest } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, encodeFields, unique } from '../support/service.ts'

const ORIGIN = `https://${unique('app')}.test`
const application = await newApplication()
const spa = await newClient(application, 'SPA', { allowedOrigins: [ORIGIN] })

const SHARED = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/api/oauth/jwks']
const GUARDED: [string, string][] = [
  ['POST', '/api/oauth/token'],
  ['GET', '/api/oauth/userinfo'],
  ['POST', '/api/oauth/revoke'],
  ['GET', '/api/tenants'],
  ['GET', '/api/integration/licenses/check'],
  ['GET', '/api/integration/licenses/feature'],
]

const from = async (origin: string, path: string, method = 'GET') =>
  (await fetch(baseUrl + path, { method, headers: { origin }, redirect: 'manual' })).headers

const preflight = (origin: string, path: string, method: string) => {
  const requested = {
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization',
  }
  return fetch(baseUrl + path, { method: 'OPTIONS', headers: { origin, ...requested } })
}

test.each(SHARED)('T006: every origin may read %s, without credentials', async (path) => {
  const headers = await from('https://anywhere.test', path)
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.has('access-control-allow-credentials')).toBe(false)
})

test.each(GUARDED)('T006: %s %s allows the registered origin of a client, and no other', async (method, path) => {
  const allowed = await from(ORIGIN, path, method)
  expect(allowed.get('access-control-allow-origin')).toBe(ORIGIN)
  expect(allowed.get('vary')?.toLowerCase()).toContain('origin')
  expect(allowed.has('access-control-allow-credentials')).toBe(false)
  for (const origin of ['null', 'https://evil.test', `${ORIGIN}.evil.test`, ORIGIN.replace('https', 'http')]) {
    expect((await from(origin, path, method)).has('access-control-allow-origin'), origin).toBe(false)
  }
})

test.each(GUARDED)('T006: the preflight of %s %s is 204 and allows only a listed origin', async (method, path) => {
  const allowed = await preflight(ORIGIN, path, method)
  expect(allowed.status).toBe(204)
  expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN)
  expect(allowed.headers.get('access-control-allow-methods')).toContain(method)
  expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization')
  expect(allowed.headers.has('access-control-allow-credentials')).toBe(false)
  const refused = await preflight('https://evil.test', path, method)
  expect(refused.status).toBeLessThan(500)
  expect(refused.headers.has('access-control-allow-origin')).toBe(false)
})

test('T006: the origin of a disabled client is not allowed', async () => {
  const origin = `https://${unique('gone')}.test`
  const client = await newClient(application, 'SPA', { allowedOrigins: [origin] })
  expect((await from(origin, '/api/oauth/token', 'POST')).get('access-control-allow-origin')).toBe(origin)
  expect((await callAdmin('PATCH', `/clients/${client.id}`, { disabled: true })).status).toBe(200)
  expect((await from(origin, '/api/oauth/token', 'POST')).has('access-control-allow-origin')).toBe(false)
})

test.each([ORIGIN, 'null', 'https://evil.test'])(
  'T006: scripts of %s cannot read the authorization endpoint, the sign-in page or an account',
  async (origin) => {
    const browser = await newPerson().then((person) => person.signIn())
    const authorizePath = `/oauth/authorize?${encodeFields(authorizationRequest(spa))}`
    for (const path of [authorizePath, '/login', '/api/users/me', '/api/oauth/logout']) {
      const { headers } = await browser.get(path, { origin })
      expect(headers.has('access-control-allow-origin'), path).toBe(false)
      expect(headers.has('access-control-allow-credentials'), path).toBe(false)
    }
    const requested = await preflight(origin, '/oauth/authorize', 'GET')
    expect(requested.headers.has('access-control-allow-origin')).toBe(false)
  },
)

test('T006: pages of a registered origin can list tenants, but not create one', async () => {
  const requested = await preflight(ORIGIN, '/api/tenants', 'POST')
  expect(requested.headers.has('access-control-allow-origin')).toBe(false)
  const { headers } = await fetch(`${baseUrl}/api/tenants`, { method: 'POST', headers: { origin: ORIGIN } })
  expect(headers.has('access-control-allow-origin')).toBe(false)
})

test('T006: the tenants that a session cookie gives access to cannot be read by a page of another origin', async () => {
  const browser = await newPerson().then((person) => person.signIn())
  const registered = await browser.get('/api/tenants', { origin: ORIGIN })
  expect(registered.headers.has('access-control-allow-credentials')).toBe(false)
  const foreign = await browser.get('/api/tenants', { origin: 'https://evil.test' })
  expect(foreign.headers.has('access-control-allow-origin')).toBe(false)
})

test.each(['/api/users/me', '/api/integration/licenses/explain', '/api/admin/users'])(
  'T006: %s is closed to pages of other origins',
  async (path) => {
    expect((await from(ORIGIN, path)).has('access-control-allow-origin')).toBe(false)
    expect((await preflight(ORIGIN, path, 'GET')).headers.has('access-control-allow-origin')).toBe(false)
  },
)
