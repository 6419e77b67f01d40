import { describe, expect, test } from 'vitest'
import { callAdmin, newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { verifyIdToken } from '../support/jwt.ts'
import {
  authorize,
  CHALLENGE,
  exchangeCode,
  getCode,
  getTokens,
  getUserinfo,
  PLAIN,
  readRedirect,
  S256,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, CALLBACK, type Fields, unique } from '../support/service.ts'

const REGISTERED = 'https://app.blackbox.test/signed-in?from=latchkey'
const application = await newApplication()
const spa = await newClient(application, 'SPA', { redirectUris: [CALLBACK, REGISTERED] })
const web = await newClient(application, 'WEB', { redirectUris: [CALLBACK, REGISTERED] })
const someone = await newPerson()

/** Sends the request with a session, so that only the request itself can be refused. */
const sendRequest = async (fields: Fields, client: typeof spa | typeof web = spa) =>
  authorize(await someone.signIn(), client, fields)

async function expectPageWithoutRedirect(response: Response) {
  expect(response.status).toBe(400)
  expect(response.headers.has('location')).toBe(false)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
}

test.each([
  ['an SPA with S256', spa, S256],
  ['an SPA with plain', spa, PLAIN],
  ['a confidential client without PKCE', web, {}],
  ['a confidential client with S256', web, S256],
])('T009: %s gets a code, its state and iss', async (_, client, proof) => {
  const state = unique('state')
  const response = readRedirect(await sendRequest({ ...proof, state }, client))
  expect(response).toEqual({ code: expect.any(String), state, iss: baseUrl })
  // 128 bits need 22 characters of base64url.
  expect(response.code).toMatch(/^[\w.~-]{22,}$/)
})

test('T009: each request gets another code', async () => {
  const browser = await someone.signIn()
  const codes = new Set<string>()
  for (let round = 0; round < 10; round++) codes.add(await getCode(browser, spa))
  expect(codes.size).toBe(10)
})

test('T009: a registered redirect URI keeps its query', async () => {
  const response = readRedirect(await sendRequest({ redirect_uri: REGISTERED }), REGISTERED)
  expect(response).toMatchObject({ from: 'latchkey', code: expect.any(String) })
})

test.each<[string, Fields]>([
  ['an unknown client_id', { client_id: 'nobody' }],
  ['no client_id', { client_id: undefined }],
  ['no redirect_uri', { redirect_uri: undefined }],
  ['an empty redirect_uri', { redirect_uri: '' }],
  ['an unregistered redirect_uri', { redirect_uri: 'https://evil.test/callback' }],
  ['client_id twice', { client_id: [spa.clientId, spa.clientId] }],
  ['redirect_uri twice', { redirect_uri: [CALLBACK, REGISTERED] }],
])('T010, T014: %s is a 400 page, never a redirect', async (_, fields) => {
  await expectPageWithoutRedirect(await sendRequest(fields))
  await expectPageWithoutRedirect(await authorize(openBrowser(), spa, fields))
})

test('T010: a disabled client is a 400 page, never a redirect', async () => {
  const client = await newClient(application, 'SPA')
  await callAdmin('PATCH', `/clients/${client.id}`, { disabled: true })
  await expectPageWithoutRedirect(await sendRequest({}, client))
})

test.each([
  `${REGISTERED}/extra`,
  `${REGISTERED}&added=1`,
  `${REGISTERED}#fragment`,
  `${REGISTERED}#`,
  REGISTERED.replace('?from=latchkey', ''),
  REGISTERED.replace('.test/', '.test:8443/'),
  REGISTERED.replace('.test/', '.test:443/'),
  REGISTERED.replace('https:', 'http:'),
  REGISTERED.replace('https:', 'HTTPS:'),
  REGISTERED.replace('signed-in', 'Signed-In'),
  REGISTERED.replace('signed-in', 'signed-in/'),
  REGISTERED.replace('signed-in', 'x/../signed-in'),
  REGISTERED.replace('signed-in', 'signed%2Din'),
  REGISTERED.replace('.test/', '.test./'),
  REGISTERED.replace('.test/', '.test.evil.test/'),
  REGISTERED.replace('app.', 'appx'),
  REGISTERED.replace('app.', 'app.blackbox.test@evil.'),
  `${REGISTERED} `,
  CALLBACK.replace('8080', '8081'),
  CALLBACK.replace('localhost', '127.0.0.1'),
])('T011: redirect_uri %s is similar to a registered one: 400 page', async (redirect_uri) => {
  await expectPageWithoutRedirect(await sendRequest({ redirect_uri }))
})

test('a native app may use any port of a loopback address that is registered without one (RFC 8252 §7.3)', async () => {
  const app = await newClient(application, 'SPA', { redirectUris: ['http://127.0.0.1/callback'] })
  const redirect_uri = `http://127.0.0.1:${20_000 + Math.floor(Math.random() * 40_000)}/callback`
  const response = await sendRequest({ redirect_uri }, app)
  const { code = '' } = readRedirect(response, redirect_uri)
  const otherPort = await exchangeCode(app, code, { redirect_uri: 'http://127.0.0.1:19999/callback' })
  expect(otherPort).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await exchangeCode(app, code, { redirect_uri })).status).toBe(200)
  await expectPageWithoutRedirect(
    await sendRequest({ redirect_uri: redirect_uri.replace('127.0.0.1', 'localhost') }, app),
  )
})

describe('T013: a URL with an executable scheme', () => {
  const RUNNABLE = /(?:href|src|action)="(?:javascript|vbscript|data:text)/i
  const SCRIPTS = ['JaVaScRiPt:alert(1)//', 'data:text/html,<script>alert(1)</script>', 'vbscript:msgbox(1)']

  test.each(SCRIPTS)('%s is refused as redirect_uri and never linked', async (redirect_uri) => {
    const response = await sendRequest({ redirect_uri })
    await expectPageWithoutRedirect(response)
    expect(await response.text()).not.toMatch(RUNNABLE)
  })

  test.each(SCRIPTS)('%s is refused as post_logout_redirect_uri and never linked', async (uri) => {
    const { id_token } = await getTokens(await someone.signIn(), spa)
    for (const hint of ['', `&id_token_hint=${id_token}`]) {
      const path = `/api/oauth/logout?post_logout_redirect_uri=${encodeURIComponent(uri)}${hint}`
      const response = await (await someone.signIn()).get(path)
      expect(response.headers.has('location')).toBe(false)
      expect(await response.text()).not.toMatch(RUNNABLE)
    }
  })

  test.each(SCRIPTS)('%s cannot be registered', async (uri) => {
    const client = {
      applicationId: application,
      kind: 'SPA',
      name: 'x',
      scopes: ['openid'],
      redirectUris: [CALLBACK],
    }
    for (const field of ['redirectUris', 'postLogoutRedirectUris']) {
      expect((await callAdmin('POST', '/clients', { ...client, [field]: [uri] })).status).toBe(422)
    }
  })
})

test.each<[string, Fields]>([
  ['scope', { scope: ['openid', 'openid email'] }],
  ['state', { state: ['one', 'two'] }],
  ['nonce', { nonce: ['one', 'two'] }],
  ['code_challenge', { code_challenge: [CHALLENGE, CHALLENGE] }],
  ['response_type', { response_type: ['code', 'code'] }],
  ['prompt', { prompt: ['none', 'login'] }],
  ['tenant', { tenant: ['acme', 'globex'] }],
])('T014: a repeated %s is invalid_request', async (_, fields) => {
  expect(readRedirect(await sendRequest(fields))).toMatchObject({ error: 'invalid_request' })
})

test.each([undefined, '', 'token', 'id_token', 'code id_token', 'code token', 'none'])(
  'T015: response_type %s is refused with state, and no token or code is issued',
  async (response_type) => {
    const state = unique('state')
    const response = await sendRequest({ response_type, state })
    const expected = response_type ? 'unsupported_response_type' : expect.stringMatching(/^(invalid_request|unsup)/)
    expect(readRedirect(response)).toMatchObject({ error: expected, state, iss: baseUrl })
    expect(response.headers.get('location')).not.toMatch(/access_token=|id_token=|[?&#]code=/)
  },
)

test.each([undefined, ''])('T016: openid with nonce %s is invalid_request, with state', async (nonce) => {
  const state = unique('state')
  expect(readRedirect(await sendRequest({ nonce, state }))).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining('--no-require-nonce'),
    state,
    iss: baseUrl,
  })
})

test('T016: without openid no nonce is required, and no ID token is issued', async () => {
  const code = await getCode(await someone.signIn(), spa, { scope: 'profile', nonce: undefined })
  const { status, body } = await exchangeCode(spa, code)
  expect(status).toBe(200)
  expect(body).not.toHaveProperty('id_token')
})

test('T016: without a scope the token has no access to personal data', async () => {
  const code = await getCode(await someone.signIn(), spa, { scope: undefined, nonce: undefined })
  const { status, body } = await exchangeCode(spa, code)
  expect(status).toBe(200)
  expect(Object.keys(body)).not.toContain('id_token')
  expect((await getUserinfo(body.access_token)).status).toBe(403)
})

test('T017: a nonce of 255 characters is returned unchanged, in the ID token of its own code only', async () => {
  const browser = await someone.signIn()
  const nonce = `${unique('näîvé ✓ &=+%')}`.padEnd(255, 'ü')
  const [withIt, other] = await Promise.all([getCode(browser, spa, { nonce }), getCode(browser, spa)])
  const claims = async (code: string) => verifyIdToken((await exchangeCode(spa, code)).body.id_token, spa.clientId)
  expect((await claims(withIt)).nonce).toBe(nonce)
  expect((await claims(other)).nonce).not.toBe(nonce)
})

const WILD = `${'&=#+%<script>alert(1)</script>"\'é✓😀 '.repeat(60)}`.slice(0, 2048)

test('T020: a state of 2 KB is returned unchanged, on success and on error', async () => {
  expect(readRedirect(await sendRequest({ state: WILD })).state).toBe(WILD)
  expect(readRedirect(await sendRequest({ state: WILD, response_type: 'token' })).state).toBe(WILD)
})

test.each<[string, Fields]>([
  ['state', { state: WILD, redirect_uri: 'https://evil.test/' }],
  ['client_id', { client_id: '"><script>alert(1)</script>' }],
  ['redirect_uri', { redirect_uri: 'https://evil.test/"><script>alert(1)</script>' }],
  ['login_hint', { prompt: 'login', login_hint: '"><script>alert(1)</script>' }],
])('T020: a page never contains %s unescaped', async (_, fields) => {
  expect(await (await sendRequest(fields)).text()).not.toContain('<script>alert(1)')
})

test.each(['state', 'scope', 'client_id', 'tenant', 'redirect_uri', 'prompt', 'response_type', 'nonce'])(
  'T021: line breaks in %s do not split the response',
  async (name) => {
    const response = await sendRequest({ [name]: 'x\r\nX-Injected: 1\r\nSet-Cookie: injected=1\r\n\r\n' })
    expect(response.status).toBeLessThan(500)
    expect(response.headers.has('x-injected')).toBe(false)
    expect(response.headers.getSetCookie().join()).not.toMatch(/injected=1/)
  },
)

test.each<[string, Fields]>([
  ['response_type', { response_type: 'é"\\\n' }],
  ['prompt', { prompt: 'é"\\\n' }],
  ['code_challenge_method', { code_challenge_method: 'é"\\\n' }],
  ['max_age', { max_age: 'é"\\\n' }],
  ['tenant', { tenant: 'é"\\\n' }],
])('T021: error_description for an invalid %s is printable ASCII', async (_, fields) => {
  const response = readRedirect(await sendRequest(fields))
  expect(response.error).toMatch(/^[a-z_]+$/)
  // RFC 6749 §4.1.2.1: %x20-21 / %x23-5B / %x5D-7E
  expect(response.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
})
