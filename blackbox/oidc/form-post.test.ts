import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { redeem, redeemAndVerify } from '../support/basic-flow.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { authorizeByPost, postRequest, readPost } from '../support/form-post.ts'
import { leftHalfHash, verifyIdToken } from '../support/jwt.ts'
import {
  ALL_SCOPES,
  authorize,
  basic,
  type Client,
  exchangeCode,
  getUserinfo,
  NO_BODY_CREDENTIALS,
  refreshTokens,
  S256,
  VERIFIER,
} from '../support/oauth.ts'
import { completePages, isLoginPage } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, encodeFields, type Fields, readResponse, unique } from '../support/service.ts'

// The modules of the OpenID Foundation's oidcc-formpost-basic-certification-test-plan: those of the basic plan, with the
// response mode form_post. The client allows no other mode.
const application = await newApplication()
const settings = { responseModes: ['form_post'] }
const client = await newClient(application, 'WEB', settings)
const client2 = await newClient(application, 'WEB', settings)
const withoutNonce = await newClient(application, 'WEB', { ...settings, requireNonce: false })
const someone = await newPerson()

/** Gets tokens in a signed-in browser without any page but the form for the client. */
async function getTokens(browser: Browser, extra: Fields = {}) {
  const { request, response } = await authorizeByPost(browser, client, extra)
  expect(response).toMatchObject({ code: expect.any(String), state: request.state, iss: baseUrl })
  return redeemAndVerify(client, response.code, request.nonce)
}

async function getCode(browser: Browser, by: Client, extra: Fields = {}): Promise<string> {
  const { response } = await authorizeByPost(browser, by, extra)
  expect(response).toHaveProperty('code')
  return response.code ?? ''
}

test('oidcc-server (form_post): the whole flow works, from the sign-in page to userinfo', async () => {
  const browser = openBrowser()
  const request = postRequest(client)
  const page = await authorize(browser, client, request)
  expect(await isLoginPage(page)).toBe(true)
  const last = await completePages(browser, page, someone)
  expect(last.headers.get('content-type')).toMatch(/^text\/html/)
  expect(last.headers.get('cache-control')).toContain('no-store')
  expect(last.url).not.toMatch(/[?&]code=/)
  const { code, state } = await readPost(last)
  expect(state).toBe(request.state)
  const { tokens, claims } = await redeemAndVerify(client, code, request.nonce)
  expect(claims.at_hash).toBe(leftHalfHash(tokens.access_token))
  expect((await getUserinfo(tokens.access_token)).body).toEqual({ sub: claims.sub })
})

test('oidcc-response-type-missing (form_post): the error is posted with the state', async () => {
  const { request, response } = await authorizeByPost(await someone.signIn(), client, { response_type: undefined })
  expect(response.error).toMatch(/^(invalid_request|unsupported_response_type)$/)
  expect(response.state).toBe(request.state)
})

describe('userinfo', () => {
  test('oidcc-userinfo-get (form_post)', async () => {
    const { tokens, claims } = await getTokens(await someone.signIn())
    expect(await getUserinfo(tokens.access_token)).toMatchObject({ status: 200, body: { sub: claims.sub } })
  })

  test('oidcc-userinfo-post-header (form_post)', async () => {
    const { tokens, claims } = await getTokens(await someone.signIn())
    expect(await getUserinfo(tokens.access_token, 'POST')).toMatchObject({ status: 200, body: { sub: claims.sub } })
  })

  test('oidcc-userinfo-post-body (form_post)', async () => {
    const { tokens, claims } = await getTokens(await someone.signIn())
    const body = encodeFields({ access_token: tokens.access_token })
    const response = await readResponse(await fetch(`${baseUrl}/api/oauth/userinfo`, { method: 'POST', body }))
    expect(response).toMatchObject({ status: 200, body: { sub: claims.sub } })
  })

  test('oidcc-scope-profile (form_post)', async () => {
    const { tokens } = await getTokens(await someone.signIn(), { scope: 'openid profile' })
    const { body } = await getUserinfo(tokens.access_token)
    expect(body).toMatchObject({ name: 'Sam Someone', given_name: 'Sam', family_name: 'Someone' })
  })

  test('oidcc-scope-email (form_post)', async () => {
    const { tokens } = await getTokens(await someone.signIn(), { scope: 'openid email' })
    expect((await getUserinfo(tokens.access_token)).body).toMatchObject({ email: someone.email, email_verified: false })
  })
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow (form_post): with requireNonce off', async () => {
  const code = await getCode(await someone.signIn(), withoutNonce, { nonce: undefined })
  const { body } = await redeem(withoutNonce, code)
  expect(await verifyIdToken(body.id_token, withoutNonce.clientId)).not.toHaveProperty('nonce')
})

test('oidcc-alternate-happy-flow (form_post): the order of parameters does not matter', async () => {
  const browser = await someone.signIn()
  const request = postRequest(client, { scope: 'email openid profile' })
  const reversed = Object.fromEntries(Object.entries(request).reverse())
  const { code } = await readPost(await browser.get(`/oauth/authorize?${encodeFields(reversed)}`))
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
  ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
])('%s (form_post): is ignored', async (_, extra) => {
  await getTokens(await someone.signIn(), extra)
})

test('oidcc-ensure-request-with-acr-values-succeeds (form_post): and acr is returned', async () => {
  const { claims } = await getTokens(await someone.signIn(), { acr_values: '1 2' })
  expect(claims.acr).toEqual(expect.any(String))
})

describe('an existing session', () => {
  async function signInAgain(browser: Browser, extra: Fields) {
    const request = postRequest(client, extra)
    const page = await authorize(browser, client, request)
    expect(await isLoginPage(page)).toBe(true)
    const { code } = await readPost(await completePages(browser, page, someone))
    return redeemAndVerify(client, code, request.nonce)
  }

  test.each<[string, Fields]>([
    ['oidcc-prompt-login', { prompt: 'login' }],
    ['oidcc-max-age-1', { max_age: '1' }],
  ])('%s (form_post): the person signs in again, and auth_time is later', async (_, extra) => {
    const browser = await someone.signIn()
    const { claims: before } = await getTokens(browser)
    await pause(2100)
    const { claims: after } = await signInAgain(browser, extra)
    expect(after.sub).toBe(before.sub)
    expect(after.auth_time).toBeGreaterThan(before.auth_time)
  })

  test('oidcc-prompt-none-not-logged-in (form_post): the error is posted with the state', async () => {
    const { request, response } = await authorizeByPost(openBrowser(), client, { prompt: 'none' })
    expect(response).toMatchObject({ error: 'login_required', state: request.state })
  })

  test.each<[string, Fields]>([
    ['oidcc-prompt-none-logged-in', { prompt: 'none' }],
    ['oidcc-max-age-10000', { max_age: '10000' }],
  ])('%s (form_post): no page is shown, and sub and auth_time are the same', async (_, extra) => {
    const browser = await someone.signIn()
    const { claims: before } = await getTokens(browser)
    await pause(1100)
    const { claims: after } = await getTokens(browser, extra)
    expect([after.sub, after.auth_time]).toEqual([before.sub, before.auth_time])
  })

  test('oidcc-id-token-hint (form_post): with prompt=none for the same person no page is shown', async () => {
    const browser = await someone.signIn()
    const { tokens, claims } = await getTokens(browser)
    const again = await getTokens(browser, { prompt: 'none', id_token_hint: tokens.id_token })
    expect(again.claims.sub).toBe(claims.sub)
  })
})

test('oidcc-codereuse (form_post), oidcc-codereuse-30seconds (form_post): a second use ends the token of the first', async () => {
  const code = await getCode(await someone.signIn(), client)
  const { tokens } = await redeemAndVerify(client, code)
  expect((await getUserinfo(tokens.access_token)).status).toBe(200)
  expect(await redeem(client, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
})

test('oidcc-ensure-registered-redirect-uri (form_post): another URI is an error page, without a form for it', async () => {
  const redirect_uri = 'https://evil.test/callback'
  const response = await authorize(await someone.signIn(), client, postRequest(client, { redirect_uri }))
  expect(response.status).toBe(400)
  expect(await response.text()).not.toContain('action="https://evil.test')
})

test('oidcc-ensure-post-request-succeeds (form_post): the request may be a form post', async () => {
  for (const browser of [await someone.signIn(), openBrowser()]) {
    const request = postRequest(client)
    const first = await browser.post('/oauth/authorize', request, { origin: 'http://localhost:8080' })
    const { code, state } = await readPost(await completePages(browser, first, someone))
    expect(state).toBe(request.state)
    await redeemAndVerify(client, code, request.nonce)
  }
})

test('oidcc-server-client-secret-post (form_post): the same flow with the secret in the body', async () => {
  const { status, body } = await exchangeCode(client, await getCode(await someone.signIn(), client))
  expect(status).toBe(200)
  await verifyIdToken(body.id_token, client.clientId)
})

test('oidcc-refresh-token (form_post): the refresh token is for its own client only', async () => {
  const browser = await someone.signIn()
  const getOffline = async (by: Client) => {
    const page = await authorize(browser, by, postRequest(by, { scope: ALL_SCOPES, prompt: 'consent' }))
    const { code = '' } = await readPost(await completePages(browser, page, someone))
    return (await redeem(by, code)).body
  }
  const { refresh_token } = await getOffline(client)
  const refreshed = await refreshTokens(client, refresh_token, NO_BODY_CREDENTIALS, basic(client))
  expect(refreshed).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
  const foreign = await refreshTokens(client, (await getOffline(client2)).refresh_token)
  expect(foreign).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('oidcc-ensure-request-with-valid-pkce-succeeds (form_post)', async () => {
  const code = await getCode(await someone.signIn(), client, S256)
  expect((await redeem(client, code, { code_verifier: VERIFIER })).status).toBe(200)
})

test.each([
  ['oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', 'request_uri', 'https://rp.test/x'],
  [
    'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    'request',
    'eyJhbGciOiJub25lIn0.e30.',
  ],
])('%s (form_post): the refusal is posted', async (_, name, value) => {
  const { response } = await authorizeByPost(await someone.signIn(), client, { [name]: value, state: unique('state') })
  expect(response).toMatchObject({ error: `${name}_not_supported` })
})
