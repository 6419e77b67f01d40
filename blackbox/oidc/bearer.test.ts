import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { startCanary } from '../support/canary.ts'
import { joinToken, signAsStranger, splitToken, strangerKey, verifyIdToken } from '../support/jwt.ts'
import { logOut } from '../support/logout.ts'
import { bearer, getTokens, introspect, userinfo } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { base, encode, GOODBYE, read } from '../support/service.ts'

/** Doors that take a bearer token and nothing else; that of one's own account takes the browser's cookie too. */
const BEARER_ONLY = ['/api/oauth/userinfo', '/api/admin/clients']
/** Every kind of door that takes a bearer token. */
const DOORS = [...BEARER_ONLY, '/api/users/me']
const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()
const tokens = await getTokens(await someone.signIn(), spa)
const genuine = splitToken(tokens.access_token)

const knock = async (path: string, headers: Record<string, string> = {}) =>
  read(await fetch(base + path, { headers }))

async function expectNobody(token: string) {
  for (const door of DOORS) {
    const { status, headers } = await knock(door, bearer(token))
    expect(status, door).toBe(401)
    expect(headers.get('www-authenticate'), door).toMatch(/^Bearer\b/)
  }
  expect((await introspect(web, token)).body).toEqual({ active: false })
}

describe('userinfo', () => {
  test.each([
    ['openid', [], ['email', 'email_verified', 'name', 'given_name']],
    ['openid email', ['email', 'email_verified'], ['name', 'given_name']],
    ['openid profile', ['name', 'given_name', 'family_name'], ['email', 'email_verified']],
    ['openid profile email', ['name', 'email', 'email_verified'], []],
  ])('T065: scope "%s" shows %j and not %j, by GET and POST alike', async (scope, shown, hidden) => {
    const { access_token, id_token } = await getTokens(await someone.signIn(), spa, { scope })
    const { sub } = await verifyIdToken(id_token, spa.clientId)
    const got = await userinfo(access_token)
    expect(got.status).toBe(200)
    expect(got.headers.get('content-type')).toMatch(/^application\/json/)
    expect(got.body.sub).toBe(sub)
    for (const claim of shown) expect(got.body).toHaveProperty(claim)
    for (const claim of hidden) expect(got.body).not.toHaveProperty(claim)
    if (scope === 'openid') expect(Object.keys(got.body)).toEqual(['sub'])
    expect((await userinfo(access_token, 'POST')).body).toEqual(got.body)
  })

  test('T066: a token without openid is 403 insufficient_scope', async () => {
    const { access_token } = await getTokens(await someone.signIn(), spa, {
      scope: 'profile',
      nonce: undefined,
    })
    const { status, headers } = await userinfo(access_token)
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b.*insufficient_scope/)
  })
})

describe('a token in a form (RFC 6750 §2.2)', () => {
  const FORM = 'application/x-www-form-urlencoded'
  const own = encode({ access_token: tokens.access_token }).toString()
  const post = async (body: string, headers: Record<string, string>, path = '/api/oauth/userinfo') =>
    read(await fetch(base + path, { method: 'POST', body, headers }))

  test('T065: is read by userinfo, as the one in the header is', async () => {
    const { body } = await userinfo(tokens.access_token)
    for (const type of [FORM, `${FORM}; charset=UTF-8`]) {
      const answer = await post(`${own}&unknown=1`, { 'content-type': type })
      expect(answer).toMatchObject({ status: 200, body })
      expect(answer.headers.get('cache-control')).toContain('no-store')
    }
  })

  test('T066: is refused beside a header, whatever that is: one way at a time', async () => {
    for (const authorization of [`Bearer ${tokens.access_token}`, 'Bearer garbage', 'Basic YTpi', 'Bearer']) {
      const answer = await post(own, { 'content-type': FORM, authorization })
      expect(answer.status, authorization).toBe(400)
      expect(answer.body).toMatchObject({ error: 'invalid_request' })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_request"/)
    }
  })

  test('T066: is refused when it comes twice', async () => {
    const answer = await post(`${own}&${own}`, { 'content-type': FORM })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test.each([
    ['garbage', encode({ access_token: 'garbage' }).toString()],
    ['text that no header could hold', encode({ access_token: 'ä b\n' }).toString()],
    ['a refresh token', encode({ access_token: tokens.refresh_token }).toString()],
    ['an ID token', encode({ access_token: tokens.id_token }).toString()],
    ['a token with a space behind it', `${own}+`],
  ])('T066: of %s is 401 invalid_token', async (_, body) => {
    const answer = await post(body, { 'content-type': FORM })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/)
  })

  test.each([
    ['an empty form', '', FORM],
    ['an empty value', 'access_token=', FORM],
    ['another name', encode({ token: tokens.access_token }).toString(), FORM],
    ['JSON', JSON.stringify({ access_token: tokens.access_token }), 'application/json'],
    ['plain text', own, 'text/plain'],
    ['multipart', own, 'multipart/form-data; boundary=x'],
  ])('T066: %s shows no token: 401 without an error', async (_, body, type) => {
    const answer = await post(body, { 'content-type': type })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('T066: a body that is no form does no harm to the token in the header', async () => {
    for (const type of ['application/json', 'text/plain', FORM]) {
      const answer = await post('{}', { 'content-type': type, ...bearer(tokens.access_token) })
      expect(answer.status, type).toBe(200)
    }
  })

  test('T066: is read by no other route, and not in the address', async () => {
    for (const path of ['/api/integration/licenses/check', '/api/tenants', '/api/users/me/password']) {
      const answer = await post(own, { 'content-type': FORM }, path)
      expect(answer.status, path).toBe(401)
    }
    for (const door of DOORS) expect((await knock(`${door}?${own}`)).status, door).toBe(401)
  })
})

test.each(DOORS)('T066: %s without a token is 401, and names the scheme without an error', async (door) => {
  const { status, headers } = await knock(door)
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/)
  // RFC 6750 §3.1: nothing was presented, so nothing is said to be wrong with it.
  expect(headers.get('www-authenticate')).not.toContain('error=')
})

test.each([
  ['the scheme alone', 'Bearer'],
  ['the scheme and a space', 'Bearer '],
  ['garbage', 'Bearer garbage'],
  ['three dots of nothing', 'Bearer ..'],
  ['something like a JWT', 'Bearer a.b.c'],
  ['a second word', `Bearer ${tokens.access_token} x`],
  ['two tokens', `Bearer ${tokens.access_token},${tokens.access_token}`],
  ['another scheme', `Token ${tokens.access_token}`],
  ['no scheme', tokens.access_token],
  ['8 KB', `Bearer ${'x'.repeat(8000)}`],
])('T066: an Authorization of %s is 401', async (_, authorization) => {
  for (const door of DOORS) expect((await knock(door, { authorization })).status, door).toBe(401)
})

test('T066: the scheme may be written bearer or BEARER', async () => {
  for (const scheme of ['bearer', 'BEARER']) {
    const authorization = `${scheme} ${tokens.access_token}`
    expect((await knock('/api/oauth/userinfo', { authorization })).status).toBe(200)
  }
})

test('T066: a token in the address is not read', async () => {
  for (const door of DOORS) {
    expect((await knock(`${door}?access_token=${tokens.access_token}`)).status, door).toBe(401)
  }
})

test('T066: the session cookie opens none that is for tokens only', async () => {
  const browser = await someone.signIn()
  for (const door of BEARER_ONLY) expect((await browser.get(door)).status, door).toBe(401)
})

const { keys } = await read<{ keys: JsonWebKey[] }>(await fetch(`${base}/api/oauth/jwks`)).then(
  ({ body }) => body,
)
const publicJwk = keys.find((key) => key.kid === genuine.header.kid) ?? {}
const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const hmac = (key: string | Buffer) => (input: string) => createHmac('sha256', key).update(input).digest()
const strangerRs512 = (input: string) => sign('sha512', Buffer.from(input), strangerKey.privateKey)
const ownEc = (input: string) =>
  sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' })

const pem = publicKey.export({ type: 'spki', format: 'pem' })
test.each<[string, object, ((input: string) => Buffer) | string]>([
  ['none', { alg: 'none' }, ''],
  ['None', { alg: 'None' }, ''],
  ['nOnE', { alg: 'nOnE' }, ''],
  ['none with the genuine signature', { alg: 'none' }, genuine.signature],
  ['RS256 without signature', {}, ''],
  ['HS256 by the public PEM', { alg: 'HS256' }, hmac(pem)],
  ['HS256 by the trimmed PEM', { alg: 'HS256' }, hmac(pem.toString().trim())],
  ['HS256 by the public DER', { alg: 'HS256' }, hmac(publicKey.export({ type: 'spki', format: 'der' }))],
  ['HS256 by the JWK', { alg: 'HS256' }, hmac(JSON.stringify(publicJwk))],
  ['HS256 by the modulus', { alg: 'HS256' }, hmac(Buffer.from(publicJwk.n ?? '', 'base64url'))],
  ['HS256 by nothing', { alg: 'HS256' }, hmac('')],
  ['RS256 by a key of our own', {}, signAsStranger],
  ['RS512 by a key of our own', { alg: 'RS512' }, strangerRs512],
  ['ES256 by a key of our own', { alg: 'ES256' }, ownEc],
])('T067: a token signed %s is nobody', async (_, header, signer) => {
  await expectNobody(joinToken({ ...genuine.header, ...header }, genuine.payload, signer))
})

const ownJwk = { ...strangerKey.publicKey.export({ format: 'jwk' }), kid: 'ours', use: 'sig', alg: 'RS256' }

test('T068: no key that the token names itself is believed or fetched', async () => {
  const canary = await startCanary({ keys: [ownJwk] })
  const { url } = canary
  for (const header of [
    { jwk: ownJwk },
    { jku: url },
    { x5u: url },
    { x5c: ['MIIB'] },
    { jku: url, kid: 'ours' },
  ]) {
    await expectNobody(joinToken({ ...genuine.header, ...header }, genuine.payload, signAsStranger))
  }
  expect(canary.visits()).toBe(0)
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
])('T068: a header with %s is nobody', async (_, header) => {
  await expectNobody(joinToken({ ...genuine.header, ...header }, genuine.payload, signAsStranger))
  await expectNobody(joinToken({ ...genuine.header, ...header }, genuine.payload, genuine.signature))
})

test('T069: an ID token is no bearer token', async () => {
  await expectNobody(tokens.id_token)
})

// Tokens that are genuine but expired or from elsewhere need the clock or the key: the service's own tests make them.
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
])('T070: a genuine token changed to have %s is nobody', async (_, claims) => {
  const payload = { ...genuine.payload, ...claims }
  await expectNobody(joinToken(genuine.header, payload, genuine.signature))
  await expectNobody(joinToken(genuine.header, payload, signAsStranger))
})

test('T072: after logout the access token is dead at once, and says so', async () => {
  const browser = await someone.signIn()
  const { access_token, id_token } = await getTokens(browser, spa)
  expect((await userinfo(access_token)).status).toBe(200)
  await logOut(browser, { id_token_hint: id_token, post_logout_redirect_uri: GOODBYE })
  const { status, headers } = await userinfo(access_token)
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toMatch(/^Bearer\b.*invalid_token/)
  await expectNobody(access_token)
})
