import { setTimeout as pause } from 'node:timers/promises'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { authorizeSilently, redeem, redeemAndVerify } from '../support/basic-flow.ts'
import { openBrowser } from '../support/browser.ts'
import { leftHalfHash, verifyIdToken } from '../support/jwt.ts'
import {
  ALL_SCOPES,
  authorizationRequest,
  authorize,
  basic,
  type Client,
  exchangeCode,
  getCode,
  getUserinfo,
  NO_BODY_CREDENTIALS,
  readRedirect,
  refreshTokens,
  S256,
  VERIFIER,
} from '../support/oauth.ts'
import { completePages, isLoginPage } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, encodeFields, type Fields, readResponse, unique } from '../support/service.ts'

// The modules of the OpenID Foundation's oidcc-basic-certification-test-plan, one test per module. The modules for an
// existing session are in basic-session.test.ts.
const application = await newApplication()
const client = await newClient(application, 'WEB')
const client2 = await newClient(application, 'WEB')
const withoutNonce = await newClient(application, 'WEB', { requireNonce: false })
const someone = await newPerson()

test('oidcc-server: the whole flow works, from the sign-in page to userinfo', async () => {
  const browser = openBrowser()
  const request = authorizationRequest(client)
  const page = await authorize(browser, client, request)
  expect(await isLoginPage(page)).toBe(true)
  const { code, state } = readRedirect(await completePages(browser, page, someone))
  expect(state).toBe(request.state)
  expect(code).toMatch(/^[\w.~-]{22,}$/)
  const { tokens, claims } = await redeemAndVerify(client, code, request.nonce)
  expect(claims.at_hash).toBe(leftHalfHash(tokens.access_token))
  for (const claim of ['name', 'email', 'picture']) expect(claims).not.toHaveProperty(claim)
  expect((await getUserinfo(tokens.access_token)).body).toEqual({ sub: claims.sub })
})

test('oidcc-response-type-missing: is an error redirect with state', async () => {
  const state = unique('state')
  const response = readRedirect(await authorize(await someone.signIn(), client, { response_type: undefined, state }))
  expect(response.error).toMatch(/^(invalid_request|unsupported_response_type)$/)
  expect(response.state).toBe(state)
})

test('oidcc-userinfo-get: is 200 JSON with the sub of the ID token', async () => {
  const { tokens, claims } = await authorizeSilently(await someone.signIn(), client)
  const { status, headers, body } = await getUserinfo(tokens.access_token)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(body.sub).toBe(claims.sub)
})

test('oidcc-userinfo-post-header: POST with the token in the header is 200', async () => {
  const { tokens, claims } = await authorizeSilently(await someone.signIn(), client)
  expect(await getUserinfo(tokens.access_token, 'POST')).toMatchObject({
    status: 200,
    body: { sub: claims.sub },
  })
})

test('oidcc-userinfo-post-body: POST with the token in a form is 200', async () => {
  const { tokens, claims } = await authorizeSilently(await someone.signIn(), client)
  const body = encodeFields({ access_token: tokens.access_token })
  const response = await readResponse(await fetch(`${baseUrl}/api/oauth/userinfo`, { method: 'POST', body }))
  expect(response).toMatchObject({ status: 200, body: { sub: claims.sub } })
})

test('oidcc-userinfo-post-body: a token in the form and in the header is 400 (RFC 6750 §2)', async () => {
  const { tokens } = await authorizeSilently(await someone.signIn(), client)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const body = encodeFields({ access_token: tokens.access_token })
  const response = await readResponse(await fetch(`${baseUrl}/api/oauth/userinfo`, { method: 'POST', body, headers }))
  expect(response).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: for a client with requireNonce off', async () => {
  const code = await getCode(await someone.signIn(), withoutNonce, { nonce: undefined })
  const { status, body } = await redeem(withoutNonce, code)
  expect(status).toBe(200)
  expect(await verifyIdToken(body.id_token, withoutNonce.clientId)).not.toHaveProperty('nonce')
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: inverted by default (D1)', async () => {
  const response = readRedirect(await authorize(await someone.signIn(), client, { nonce: undefined }))
  expect(response).toMatchObject({ error: 'invalid_request' })
})

test('oidcc-scope-profile: userinfo contains the profile, each claim with its type and none empty', async () => {
  const { tokens } = await authorizeSilently(await someone.signIn(), client, { scope: 'openid profile' })
  const { body } = await getUserinfo(tokens.access_token)
  expect(body).toMatchObject({ name: 'Sam Someone', given_name: 'Sam', family_name: 'Someone' })
  expect(body).toMatchObject({ locale: 'en', zoneinfo: 'UTC' })
  const { updated_at = 0, ...rest } = body
  expect(updated_at).toEqual(expect.any(Number))
  for (const value of Object.values(rest)) expect(value).toEqual(expect.stringMatching(/./))
})

test('oidcc-scope-email: userinfo contains email and email_verified', async () => {
  const { tokens } = await authorizeSilently(await someone.signIn(), client, { scope: 'openid email' })
  const { body } = await getUserinfo(tokens.access_token)
  expect(body).toMatchObject({ email: someone.email, email_verified: false })
})

test('oidcc-alternate-happy-flow: the order of scopes and parameters does not matter', async () => {
  const browser = await someone.signIn()
  const request = authorizationRequest(client, { scope: 'email openid profile' })
  const reversed = Object.fromEntries(Object.entries(request).reverse())
  const { code } = readRedirect(await browser.get(`/oauth/authorize?${encodeFields(reversed)}`))
  const { tokens } = await redeemAndVerify(client, code, request.nonce)
  expect(tokens.scope.split(' ').sort()).toEqual(['email', 'openid', 'profile'])
})

test.each<[string, Fields]>([
  ['oidcc-display-page', { display: 'page' }],
  ['oidcc-display-popup', { display: 'popup' }],
  ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
  ['oidcc-login-hint', { login_hint: someone.email }],
  ['oidcc-ui-locales', { ui_locales: 'se' }],
  ['oidcc-claims-locales', { claims_locales: 'se' }],
])('%s: is ignored (T026)', async (_, extra) => {
  await authorizeSilently(await someone.signIn(), client, extra)
})

test('oidcc-claims-essential: userinfo returns the name without the scope profile', async () => {
  const claims = '{"userinfo":{"name":{"essential":true}}}'
  const { tokens, claims: idClaims } = await authorizeSilently(await someone.signIn(), client, { claims })
  expect((await getUserinfo(tokens.access_token)).body).toEqual({ sub: idClaims.sub, name: 'Sam Someone' })
})

test('oidcc-login-hint: the sign-in page is prefilled with the address', async () => {
  const page = await authorize(openBrowser(), client, { login_hint: someone.email })
  expect(await isLoginPage(page)).toBe(true)
  expect(await page.text()).toContain(someone.email)
})

test('oidcc-ensure-request-with-acr-values-succeeds: and acr is returned', async () => {
  const { claims } = await authorizeSilently(await someone.signIn(), client, { acr_values: '1 2' })
  expect(['1', '2']).toContain(claims.acr)
})

test('oidcc-codereuse: a second use of a code is 400 invalid_grant', async () => {
  const code = await getCode(await someone.signIn(), client)
  expect((await redeem(client, code)).status).toBe(200)
  expect(await redeem(client, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('oidcc-codereuse-30seconds: a second use of a code fails and revokes its token (without waiting 30 s)', async () => {
  const code = await getCode(await someone.signIn(), client)
  const { tokens } = await redeemAndVerify(client, code)
  expect((await getUserinfo(tokens.access_token)).status).toBe(200)
  expect(await redeem(client, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
})

test('oidcc-ensure-registered-redirect-uri: another URI is an error page', async () => {
  const redirect_uri = 'https://evil.test/callback'
  const response = await authorize(await someone.signIn(), client, { redirect_uri })
  expect(response.status).toBe(400)
  expect(response.headers.has('location')).toBe(false)
})

test('oidcc-ensure-post-request-succeeds: the request may be a form post', async () => {
  for (const browser of [await someone.signIn(), openBrowser()]) {
    const request = authorizationRequest(client)
    const first = await browser.post('/oauth/authorize', request, { origin: 'http://localhost:8080' })
    const { code, state } = readRedirect(await completePages(browser, first, someone))
    expect(state).toBe(request.state)
    await redeemAndVerify(client, code, request.nonce)
  }
})

test('oidcc-server-client-secret-post: the same flow with the secret in the body', async () => {
  const { status, body } = await exchangeCode(client, await getCode(await someone.signIn(), client))
  expect(status).toBe(200)
  await verifyIdToken(body.id_token, client.clientId)
})

test('oidcc-refresh-token: offline_access issues a refresh token that only its own client can use', async () => {
  const browser = await someone.signIn()
  const getOffline = async (by: Client) => {
    const page = await authorize(browser, by, { scope: ALL_SCOPES, prompt: 'consent' })
    const { code = '' } = readRedirect(await completePages(browser, page, someone))
    return (await redeem(by, code)).body
  }
  const first = await getOffline(client)
  const before = await verifyIdToken(first.id_token, client.clientId)
  await pause(1100)
  const { status, headers, body } = await refreshTokens(client, first.refresh_token, NO_BODY_CREDENTIALS, basic(client))
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toContain('no-store')
  expect(body.token_type).toBe('Bearer')
  const after = await verifyIdToken(body.id_token, client.clientId)
  expect(after.sub).toBe(before.sub)
  expect(after.iat ?? 0).toBeGreaterThan(before.iat ?? 0)
  const foreign = await refreshTokens(client, (await getOffline(client2)).refresh_token)
  expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('oidcc-ensure-request-with-valid-pkce-succeeds: also for a confidential client', async () => {
  const code = await getCode(await someone.signIn(), client, S256)
  expect((await redeem(client, code, { code_verifier: VERIFIER })).status).toBe(200)
})

test('oidcc-ensure-request-object-with-redirect-uri: the redirect_uri of the object wins, or an error page', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = { keys: [await exportJWK(publicKey)] }
  const signer = await newClient(application, 'WEB', { jwks })
  const request = authorizationRequest(signer)
  const sendSigned = async (redirect_uri: Fields[string], key: typeof privateKey) => {
    const claims = { ...request, redirect_uri, client_id: signer.clientId }
    const object = new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'ES256' }).setIssuer(signer.clientId)
    const signed = await object.setAudience(baseUrl).setIssuedAt().setNotBefore('0s').setExpirationTime('5m').sign(key)
    const fields = { ...request, redirect_uri: 'https://outside.test/callback', request: signed }
    return authorize(await someone.signIn(), signer, fields)
  }
  const { code, state } = readRedirect(await sendSigned(request.redirect_uri, privateKey))
  expect(state).toBe(request.state)
  await redeemAndVerify(signer, code, request.nonce)
  const { privateKey: foreign } = await generateKeyPair('ES256')
  for (const response of [
    await sendSigned(request.redirect_uri, foreign),
    await sendSigned('https://evil.test/callback', privateKey),
  ]) {
    expect(response.status).toBe(400)
    expect(response.headers.has('location')).toBe(false)
  }
})

test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: of a client with a key', async () => {
  const { publicKey } = await generateKeyPair('ES256')
  const signer = await newClient(application, 'WEB', { jwks: { keys: [await exportJWK(publicKey)] } })
  const response = await authorize(await someone.signIn(), signer, { request: 'eyJhbGciOiJub25lIn0.e30.' })
  expect(readRedirect(response)).toMatchObject({ error: 'request_not_supported' })
})

test.each([
  ['oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', 'request_uri', 'https://rp.test/x'],
  [
    'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    'request',
    'eyJhbGciOiJub25lIn0.e30.',
  ],
])('%s: is refused as unsupported (T027)', async (_, name, value) => {
  const response = readRedirect(await authorize(await someone.signIn(), client, { [name]: value }))
  expect(response).toMatchObject({ error: `${name}_not_supported` })
})
