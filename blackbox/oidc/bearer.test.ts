import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { startCanary } from '../support/canary.ts'
import { buildToken, decodeToken, foreignKey, signWithForeignKey, verifyIdToken } from '../support/jwt.ts'
import { logOut } from '../support/logout.ts'
import { bearer, getTokens, getUserinfo, introspectToken } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, encodeFields, POST_LOGOUT_URI, readResponse } from '../support/service.ts'

/** Routes that accept only a bearer token. The account routes also accept the session cookie. */
const BEARER_ONLY = ['/api/oauth/userinfo', '/api/admin/clients']
/** One route of each kind that accepts a bearer token. */
const ROUTES = [...BEARER_ONLY, '/api/users/me']
const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()
const tokens = await getTokens(await someone.signIn(), spa)
const genuine = decodeToken(tokens.access_token)

const get = async (path: string, headers: Record<string, string> = {}) =>
  readResponse(await fetch(baseUrl + path, { headers }))

async function expectInvalidToken(token: string) {
  for (const route of ROUTES) {
    const { status, headers } = await get(route, bearer(token))
    expect(status, route).toBe(401)
    expect(headers.get('www-authenticate'), route).toMatch(/^Bearer\b/)
  }
  expect((await introspectToken(web, token)).body).toEqual({ active: false })
}

describe('userinfo', () => {
  test.each([
    ['openid', [], ['email', 'email_verified', 'name', 'given_name']],
    ['openid email', ['email', 'email_verified'], ['name', 'given_name']],
    ['openid profile', ['name', 'given_name', 'family_name'], ['email', 'email_verified']],
    ['openid profile email', ['name', 'email', 'email_verified'], []],
  ])('T065: scope "%s" returns %j and not %j, by GET and POST', async (scope, shown, hidden) => {
    const { access_token, id_token } = await getTokens(await someone.signIn(), spa, { scope })
    const { sub } = await verifyIdToken(id_token, spa.clientId)
    const got = await getUserinfo(access_token)
    expect(got.status).toBe(200)
    expect(got.headers.get('content-type')).toMatch(/^application\/json/)
    expect(got.body.sub).toBe(sub)
    for (const claim of shown) expect(got.body).toHaveProperty(claim)
    for (const claim of hidden) expect(got.body).not.toHaveProperty(claim)
    if (scope === 'openid') expect(Object.keys(got.body)).toEqual(['sub'])
    expect((await getUserinfo(access_token, 'POST')).body).toEqual(got.body)
  })

  test('T066: a token without openid is 403 insufficient_scope', async () => {
    const { access_token } = await getTokens(await someone.signIn(), spa, {
      scope: 'profile',
      nonce: undefined,
    })
    const { status, headers } = await getUserinfo(access_token)
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b.*insufficient_scope/)
  })
})

describe('a token in a form (RFC 6750 §2.2)', () => {
  const FORM = 'application/x-www-form-urlencoded'
  const form = encodeFields({ access_token: tokens.access_token }).toString()
  const post = async (body: string, headers: Record<string, string>, path = '/api/oauth/userinfo') =>
    readResponse(await fetch(baseUrl + path, { method: 'POST', body, headers }))

  test('T065: is accepted by userinfo, like the one in the header', async () => {
    const { body } = await getUserinfo(tokens.access_token)
    for (const type of [FORM, `${FORM}; charset=UTF-8`]) {
      const response = await post(`${form}&unknown=1`, { 'content-type': type })
      expect(response).toMatchObject({ status: 200, body })
      expect(response.headers.get('cache-control')).toContain('no-store')
    }
  })

  test('T066: is refused together with a header: only one method is allowed', async () => {
    for (const authorization of [`Bearer ${tokens.access_token}`, 'Bearer garbage', 'Basic YTpi', 'Bearer']) {
      const response = await post(form, { 'content-type': FORM, authorization })
      expect(response.status, authorization).toBe(400)
      expect(response.body).toMatchObject({ error: 'invalid_request' })
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_request"/)
    }
  })

  test('T066: is refused if it is repeated', async () => {
    const response = await post(`${form}&${form}`, { 'content-type': FORM })
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test.each([
    ['garbage', encodeFields({ access_token: 'garbage' }).toString()],
    ['text that is not valid in a header', encodeFields({ access_token: 'ä b\n' }).toString()],
    ['a refresh token', encodeFields({ access_token: tokens.refresh_token }).toString()],
    ['an ID token', encodeFields({ access_token: tokens.id_token }).toString()],
    ['a token with a space behind it', `${form}+`],
  ])('T066: of %s is 401 invalid_token', async (_, body) => {
    const response = await post(body, { 'content-type': FORM })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/)
  })

  test.each([
    ['an empty form', '', FORM],
    ['an empty value', 'access_token=', FORM],
    ['another name', encodeFields({ token: tokens.access_token }).toString(), FORM],
    ['JSON', JSON.stringify({ access_token: tokens.access_token }), 'application/json'],
    ['plain text', form, 'text/plain'],
    ['multipart', form, 'multipart/form-data; boundary=x'],
  ])('T066: %s contains no token: 401 without an error', async (_, body, type) => {
    const response = await post(body, { 'content-type': type })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('T066: a body that is not a form does not affect the token in the header', async () => {
    for (const type of ['application/json', 'text/plain', FORM]) {
      const response = await post('{}', { 'content-type': type, ...bearer(tokens.access_token) })
      expect(response.status, type).toBe(200)
    }
  })

  test('T066: is not accepted by other routes, nor in the query', async () => {
    for (const path of ['/api/integration/licenses/check', '/api/tenants', '/api/users/me/password']) {
      const response = await post(form, { 'content-type': FORM }, path)
      expect(response.status, path).toBe(401)
    }
    for (const route of ROUTES) expect((await get(`${route}?${form}`)).status, route).toBe(401)
  })
})

test.each(ROUTES)('T066: %s without a token is 401, with the scheme and without an error', async (route) => {
  const { status, headers } = await get(route)
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  // RFC 6750 §3.1: without a token there is no error code.
  expect(headers.get('www-authenticate')).not.toContain('error=')
})

test.each([
  ['the scheme alone', 'Bearer'],
  ['the scheme and a space', 'Bearer '],
  ['garbage', 'Bearer garbage'],
  ['only dots', 'Bearer ..'],
  ['something like a JWT', 'Bearer a.b.c'],
  ['additional text', `Bearer ${tokens.access_token} x`],
  ['two tokens', `Bearer ${tokens.access_token},${tokens.access_token}`],
  ['another scheme', `Token ${tokens.access_token}`],
  ['no scheme', tokens.access_token],
  ['8 KB', `Bearer ${'x'.repeat(8000)}`],
])('T066: an Authorization header with %s is 401', async (_, authorization) => {
  for (const route of ROUTES) expect((await get(route, { authorization })).status, route).toBe(401)
})

test('T066: the scheme is case-insensitive', async () => {
  for (const scheme of ['bearer', 'BEARER']) {
    const authorization = `${scheme} ${tokens.access_token}`
    expect((await get('/api/oauth/userinfo', { authorization })).status).toBe(200)
  }
})

test('T066: a token in the query is not accepted', async () => {
  for (const route of ROUTES) {
    expect((await get(`${route}?access_token=${tokens.access_token}`)).status, route).toBe(401)
  }
})

test('T066: the session cookie is not accepted by token-only routes', async () => {
  const browser = await someone.signIn()
  for (const route of BEARER_ONLY) expect((await browser.get(route)).status, route).toBe(401)
})

const { keys } = await readResponse<{ keys: JsonWebKey[] }>(await fetch(`${baseUrl}/api/oauth/jwks`)).then(
  ({ body }) => body,
)
const publicJwk = keys.find((key) => key.kid === genuine.header.kid) ?? {}
const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const hmac = (key: string | Buffer) => (input: string) => createHmac('sha256', key).update(input).digest()
const signRs512 = (input: string) => sign('sha512', Buffer.from(input), foreignKey.privateKey)
const signEs256 = (input: string) =>
  sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' })

const pem = publicKey.export({ type: 'spki', format: 'pem' })
test.each<[string, object, ((input: string) => Buffer) | string]>([
  ['none', { alg: 'none' }, ''],
  ['None', { alg: 'None' }, ''],
  ['nOnE', { alg: 'nOnE' }, ''],
  ['none with the genuine signature', { alg: 'none' }, genuine.signature],
  ['RS256 without signature', {}, ''],
  ['HS256 with the public PEM', { alg: 'HS256' }, hmac(pem)],
  ['HS256 with the trimmed PEM', { alg: 'HS256' }, hmac(pem.toString().trim())],
  ['HS256 with the public DER', { alg: 'HS256' }, hmac(publicKey.export({ type: 'spki', format: 'der' }))],
  ['HS256 with the JWK', { alg: 'HS256' }, hmac(JSON.stringify(publicJwk))],
  ['HS256 with the modulus', { alg: 'HS256' }, hmac(Buffer.from(publicJwk.n ?? '', 'base64url'))],
  ['HS256 with an empty key', { alg: 'HS256' }, hmac('')],
  ['RS256 with a foreign key', {}, signWithForeignKey],
  ['RS512 with a foreign key', { alg: 'RS512' }, signRs512],
  ['ES256 with a foreign key', { alg: 'ES256' }, signEs256],
])('T067: a token signed %s is refused', async (_, header, signer) => {
  await expectInvalidToken(buildToken({ ...genuine.header, ...header }, genuine.payload, signer))
})

const ownJwk = { ...foreignKey.publicKey.export({ format: 'jwk' }), kid: 'ours', use: 'sig', alg: 'RS256' }

test('T068: a key in the token header is neither trusted nor fetched', async () => {
  const canary = await startCanary({ keys: [ownJwk] })
  const { url } = canary
  for (const header of [{ jwk: ownJwk }, { jku: url }, { x5u: url }, { x5c: ['MIIB'] }, { jku: url, kid: 'ours' }]) {
    await expectInvalidToken(buildToken({ ...genuine.header, ...header }, genuine.payload, signWithForeignKey))
  }
  expect(canary.requests()).toBe(0)
  canary.close()
})

test.each<[string, object]>([
  ['a path as kid', { kid: '../../dev/null' }],
  ['SQL as kid', { kid: "x' or '1'='1" }],
  ['an unknown kid', { kid: 'unknown' }],
  ['a list as kid', { kid: [genuine.header.kid] }],
  ['an object as kid', { kid: { $ne: null } }],
  ['U+0000 in kid', { kid: '\0' }],
  ['no kid', { kid: undefined }],
  ['an unknown crit', { crit: ['unheard-of'], 'unheard-of': 1 }],
  ['b64 false', { b64: false, crit: ['b64'] }],
  ['the type of an ID token', { typ: 'JWT' }],
])('T068: a header with %s is refused', async (_, header) => {
  await expectInvalidToken(buildToken({ ...genuine.header, ...header }, genuine.payload, signWithForeignKey))
  await expectInvalidToken(buildToken({ ...genuine.header, ...header }, genuine.payload, genuine.signature))
})

test('T069: an ID token is not a bearer token', async () => {
  await expectInvalidToken(tokens.id_token)
})

// Expired tokens and tokens of other issuers need the clock or the key: the server tests cover them.
test.each<[string, object]>([
  ['a later exp', { exp: 4_102_444_800 }],
  ['no exp', { exp: undefined }],
  ['exp as text', { exp: '4102444800' }],
  ['an absurd exp', { exp: 1e30 }],
  ['another iss', { iss: 'https://evil.test' }],
  ['another aud', { aud: 'somebody else' }],
  ['another sub', { sub: 'somebody else' }],
  ['a wider scope', { scope: 'openid profile email admin' }],
  ['a tenant', { tenant_id: application, tenant_roles: ['owner'] }],
])('T070: a valid token changed to have %s is refused', async (_, claims) => {
  const payload = { ...genuine.payload, ...claims }
  await expectInvalidToken(buildToken(genuine.header, payload, genuine.signature))
  await expectInvalidToken(buildToken(genuine.header, payload, signWithForeignKey))
})

test('T072: after logout the access token is refused immediately with invalid_token', async () => {
  const browser = await someone.signIn()
  const { access_token, id_token } = await getTokens(browser, spa)
  expect((await getUserinfo(access_token)).status).toBe(200)
  await logOut(browser, { id_token_hint: id_token, post_logout_redirect_uri: POST_LOGOUT_URI })
  const { status, headers } = await getUserinfo(access_token)
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toMatch(/^Bearer\b.*invalid_token/)
  await expectInvalidToken(access_token)
})
