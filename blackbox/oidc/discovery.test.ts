import { decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { call, fromOwnPage } from '../support/calls.ts'
import { verifyAccessToken, verifyIdToken } from '../support/jwt.ts'
import {
  authorizationRequest,
  authorize,
  basic,
  credentials,
  exchangeCode,
  getCode,
  getTokens,
  getUserinfo,
  introspectToken,
  postForm,
  readRedirect,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { rawRequest } from '../support/raw.ts'
import { baseUrl, encodeFields, type Fields, readResponse } from '../support/service.ts'

const DISCOVERY = '/.well-known/openid-configuration'
const application = await newApplication()
const spa = await newClient(application, 'SPA')
const someone = await newPerson()

const getJson = async (path: string) => readResponse(await fetch(baseUrl + path))

// Other suites register clients that use optional features. Each feature adds values at the end of a list, or members.
const listed = (...values: string[]) =>
  expect.toSatisfy((list: string[]) => values.every((value, index) => list[index] === value), values.join(', '))

test('T001: the discovery document has the documented values', async () => {
  const { status, headers, body } = await getJson(DISCOVERY)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(body).toMatchObject({
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/api/oauth/token`,
    userinfo_endpoint: `${baseUrl}/api/oauth/userinfo`,
    jwks_uri: `${baseUrl}/api/oauth/jwks`,
    end_session_endpoint: `${baseUrl}/api/oauth/logout`,
    revocation_endpoint: `${baseUrl}/api/oauth/revoke`,
    introspection_endpoint: `${baseUrl}/api/oauth/introspect`,
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    response_types_supported: ['code'],
    grant_types_supported: listed('authorization_code', 'refresh_token', 'client_credentials'),
    token_endpoint_auth_methods_supported: listed('client_secret_basic', 'client_secret_post', 'none'),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: listed('RS256'),
    code_challenge_methods_supported: ['S256', 'plain'],
    claims_supported: expect.arrayContaining(['sub', 'email', 'name']),
    response_modes_supported: listed('query'),
    introspection_endpoint_auth_methods_supported: listed('client_secret_basic'),
    revocation_endpoint_auth_methods_supported: listed('client_secret_basic', 'client_secret_post', 'none'),
    ui_locales_supported: ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'],
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  })
})

test('T001: every listed claim is available, and no other', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  const profile = {
    displayName: 'Sam S.',
    middleName: 'Q.',
    nickname: 'sam',
    pictureUrl: 'https://sam.example.com/p',
    website: 'https://sam.example.com/',
    gender: 'female',
    birthdate: '1990-01-02',
  }
  await call('PATCH', '/api/users/me', { headers: fromOwnPage(browser), body: profile })
  const tokens = await getTokens(browser, spa)
  const returnedClaims = {
    ...(await verifyIdToken(tokens.id_token, spa.clientId)),
    ...(await getUserinfo(tokens.access_token)).body,
  }
  const { claims_supported } = (await getJson(DISCOVERY)).body
  expect([...(claims_supported as string[])].sort()).toEqual(Object.keys(returnedClaims).sort())
})

test('T001: the listed response modes work, and no other', async () => {
  const browser = await someone.signIn()
  for (const response_mode of ['fragment', 'form_post', 'jwt']) {
    expect(readRedirect(await authorize(browser, spa, { response_mode }))).toMatchObject({
      error: 'invalid_request',
    })
  }
  expect(readRedirect(await authorize(browser, spa, { response_mode: 'query' }))).toHaveProperty('code')
})

test('T001: revocation and introspection accept the listed authentication methods, and no other', async () => {
  const web = await newClient(application, 'WEB')
  const revoked = async (extra: Fields, headers: Record<string, string> = {}) => {
    const { refresh_token: token } = await getTokens(await someone.signIn(), web)
    await postForm('/api/oauth/revoke', { token, ...extra }, headers)
    return (await introspectToken(web, token)).body.active === false
  }
  expect(await revoked({}, basic(web))).toBe(true)
  expect(await revoked(credentials(web))).toBe(true)
  expect(await revoked({ client_id: web.clientId })).toBe(true)
  expect(await revoked({ ...credentials(web), client_secret: 'wrong' })).toBe(false)
  const { refresh_token: token } = await getTokens(await someone.signIn(), web)
  const introspectWith = (extra: Fields) => postForm('/api/oauth/introspect', { token, ...extra })
  expect((await introspectWith(credentials(web))).status).toBe(401)
  expect((await introspectWith({ client_id: web.clientId })).status).toBe(401)
  expect((await introspectToken(web, token)).body).toMatchObject({ active: true })
})

test('T001: the same document is served at the path of RFC 8414', async () => {
  const { status, body } = await getJson('/.well-known/oauth-authorization-server')
  expect(status).toBe(200)
  // Retried, because other suites change what is listed.
  await expect.poll(async () => (await getJson(DISCOVERY)).body).toEqual(body)
})

describe('spoofed host headers', () => {
  const spoofs = [
    ['Host', 'evil.test'],
    ['X-Forwarded-Host', 'evil.test'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Port', '666'],
    ['Forwarded', 'host=evil.test;proto=https'],
  ]

  test.each(spoofs)('T002: %s: %s changes no byte of discovery', async (...headers) => {
    const before = (await rawRequest(DISCOVERY)).text
    const { text } = await rawRequest(DISCOVERY, { headers })
    // Other suites change what is listed.
    expect([before, (await rawRequest(DISCOVERY)).text]).toContain(text)
  })

  test.each(spoofs)('T002: %s: %s does not redirect to another sign-in page', async (...headers) => {
    const path = `/oauth/authorize?${encodeFields(authorizationRequest(spa))}`
    const { status, location, text } = await rawRequest(path, { headers })
    expect(status).toBeLessThan(400)
    if (location) expect(new URL(location, baseUrl).origin).toBe(baseUrl)
    expect(`${location} ${text}`).not.toMatch(/evil\.test|:666/)
  })

  test.each(spoofs)('T002: %s: %s does not change iss, in the response or in tokens', async (...headers) => {
    const browser = await someone.signIn()
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const path = `/oauth/authorize?${encodeFields(authorizationRequest(spa))}`
    const { location = '' } = await rawRequest(path, { headers: [...headers, 'Cookie', cookie] })
    const response = new URL(location).searchParams
    expect(response.get('iss')).toBe(baseUrl)
    const { body } = await exchangeCode(spa, response.get('code') ?? '', {}, Object.fromEntries([headers.slice(0, 2)]))
    expect((await verifyAccessToken(body.access_token)).iss).toBe(baseUrl)
  })
})

const EXPECTED_KEYS: Record<string, object> = {
  RS256: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
}

test('T003: the key set has public signing keys, RSA of at least 2048 bits, each with a unique kid', async () => {
  const { body } = await readResponse<{ keys: Record<string, string>[] }>(await fetch(`${baseUrl}/api/oauth/jwks`))
  expect(body.keys.length).toBeGreaterThan(0)
  expect(new Set(body.keys.map((key) => key.kid)).size).toBe(body.keys.length)
  for (const key of body.keys) {
    expect(key).toMatchObject({ ...EXPECTED_KEYS[key.alg ?? ''], use: 'sig', kid: expect.stringMatching(/./) })
    expect(Object.keys(EXPECTED_KEYS)).toContain(key.alg)
    if (key.kty === 'RSA') expect(Buffer.from(key.n ?? '', 'base64url').length * 8).toBeGreaterThanOrEqual(2048)
    // RFC 7518 §6.3.2 and §6.4: private parameters.
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) expect(key).not.toHaveProperty(secret)
  }
})

test('T004: both tokens are RS256 with a published key, and have different types', async () => {
  const tokens = await getTokens(await someone.signIn(), spa)
  const access = await verifyAccessToken(tokens.access_token, application)
  expect(access).toMatchObject({
    client_id: spa.clientId,
    scope: expect.any(String),
    sid: expect.any(String),
  })
  expect(access).toMatchObject({
    auth_time: expect.any(Number),
    amr: expect.any(Array),
    jti: expect.any(String),
  })
  await verifyIdToken(tokens.id_token, spa.clientId)
  expect(decodeProtectedHeader(tokens.access_token).typ).toBe('at+jwt')
  expect(decodeProtectedHeader(tokens.id_token).typ).not.toBe('at+jwt')
})

describe('methods', () => {
  test.each([
    ['GET', '/api/oauth/token'],
    ['PUT', '/api/oauth/token'],
    ['GET', '/api/oauth/revoke'],
    ['GET', '/api/oauth/introspect'],
    ['POST', '/api/oauth/jwks'],
    ['POST', DISCOVERY],
    ['DELETE', '/api/oauth/userinfo'],
    ['PUT', '/oauth/authorize'],
    ['DELETE', '/api/oauth/logout'],
  ])('T007: %s %s is refused with a JSON body', async (method, path) => {
    const { status, body } = await readResponse(await fetch(baseUrl + path, { method }))
    expect([404, 405]).toContain(status)
    expect(body).toHaveProperty('error')
  })

  test.each(['/api/oauth/userinfo', '/oauth/authorize', '/api/oauth/token'])(
    'T007: TRACE %s is refused and echoes nothing',
    async (path) => {
      const { status, text } = await rawRequest(path, {
        method: 'TRACE',
        headers: ['Authorization', 'Bearer x-x-x'],
      })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
      expect(text).not.toContain('x-x-x')
    },
  )
})

test('T008: responses with tokens or personal data are not cacheable, errors included', async () => {
  const browser = await someone.signIn()
  const granted = await exchangeCode(spa, await getCode(browser, spa))
  const refused = await exchangeCode(spa, 'no such code')
  const person = await getUserinfo(granted.body.access_token)
  for (const { headers } of [granted, refused, person]) {
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
  // RFC 6749 §5.1 also requires Pragma.
  expect(granted.headers.get('pragma')).toBe('no-cache')
})

test.each([
  ['sign-in', () => authorize(openBrowser(), spa)],
  ['error', () => authorize(openBrowser(), { clientId: 'nobody' })],
  ['logout', async () => (await someone.signIn()).get('/api/oauth/logout')],
])('T008: the %s page cannot be framed, sniffed or sent as referrer', async (_, open) => {
  const { headers } = await open()
  expect(headers.get('content-type')).toMatch(/^text\/html/)
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toContain('no-store')
})
