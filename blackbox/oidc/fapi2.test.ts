import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { compactVerify, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { newApplication } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import {
  assertion,
  callResource,
  fapiRequest,
  getFapiCode,
  getFapiTokens,
  newFapiClient,
  newFapiKey,
  openPushed,
  proof,
  push,
  pushRequest,
  redeemCode,
  refreshFapi,
  respond,
  toRs256,
} from '../support/fapi.ts'
import { decodeToken, keySet } from '../support/jwt.ts'
import { ALL_SCOPES, authorize, postForm, readRedirect, VERIFIER } from '../support/oauth.ts'
import { isLoginPage, pressButton, readForms } from '../support/pages.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, CALLBACK, encodeFields, type Fields, readResponse, unique } from '../support/service.ts'

// The modules of the OpenID Foundation's fapi2-security-profile-final-test-plan, with private_key_jwt, DPoP, OpenID Connect
// and unsigned requests. Each test has the name of its module without the prefix fapi2-security-profile-final-.
const application = await newApplication({ signingAlgorithm: 'ES256' })
const client = await newFapiClient(application)
const client2 = await newFapiClient(application)
const someone = await newPerson()
const browser = await someone.signIn()

const seconds = (offset = 0) => Math.floor(Date.now() / 1000) + offset

/** The status and the error of a refusal. A success has no error. */
const outcomeOf = ({ status, body }: { status: number; body: { error?: string } }) => ({ status, error: body.error })

/** The error that the client gets when a request is pushed. */
const pushError = async (extra: Fields, headers: Record<string, string> = {}) =>
  outcomeOf(await push(client, extra, headers))

const INVALID_REQUEST = { status: 400, error: 'invalid_request' }
const INVALID_CLIENT = { status: 401, error: 'invalid_client' }
const INVALID_GRANT = { status: 400, error: 'invalid_grant' }
const INVALID_PROOF = { status: 400, error: 'invalid_dpop_proof' }

describe('the flow', () => {
  test('discovery-end-point-verification: what the profile needs is listed', async () => {
    const { body } = await readResponse(await fetch(`${baseUrl}/.well-known/openid-configuration`))
    expect(body).toMatchObject({
      issuer: baseUrl,
      pushed_authorization_request_endpoint: `${baseUrl}/api/oauth/par`,
      response_types_supported: ['code'],
      grant_types_supported: expect.arrayContaining(['authorization_code']),
      code_challenge_methods_supported: expect.arrayContaining(['S256']),
      token_endpoint_auth_methods_supported: expect.arrayContaining(['private_key_jwt']),
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['PS256', 'ES256', 'EdDSA']),
      dpop_signing_alg_values_supported: expect.arrayContaining(['PS256', 'ES256', 'EdDSA']),
      id_token_signing_alg_values_supported: expect.arrayContaining(['ES256']),
      authorization_response_iss_parameter_supported: true,
    })
  })

  test('happy-flow: from the sign-in page to the resource, for two clients', async () => {
    for (const by of [client, client2]) {
      const request = fapiRequest()
      const visitor = openBrowser()
      const page = await openPushed(visitor, by, await pushRequest(by, request))
      expect(await isLoginPage(page)).toBe(true)
      const response = await respond(visitor, by, await pushRequest(by, request), someone)
      expect(response).toEqual({ code: expect.stringMatching(/^[\w.~-]{22,}$/), state: request.state, iss: baseUrl })
      const { status, headers, body } = await redeemCode(by, response.code ?? '')
      expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'DPoP' } })
      expect(headers.get('cache-control')).toContain('no-store')
      await compactVerify(body.id_token, keySet)
      const { header, payload } = decodeToken(body.id_token)
      expect(payload).toMatchObject({ iss: baseUrl, aud: by.clientId, nonce: request.nonce })
      // RS256 signs while the first key for ES256 waits.
      expect(['ES256', 'RS256']).toContain(header.alg)
      expect(decodeToken(body.access_token).payload.cnf).toEqual({ jkt: by.proofKey.jkt })
      expect(await callResource(by, body.access_token)).toMatchObject({ status: 200, body: { sub: payload.sub } })
    }
  })

  test('user-rejects-authentication: the client gets access_denied with the state', async () => {
    const thirdParty = await newFapiClient(await newApplication({ trusted: false, signingAlgorithm: 'ES256' }))
    const request = fapiRequest()
    const page = await openPushed(browser, thirdParty, await pushRequest(thirdParty, request))
    const [form] = await readForms(page)
    if (!form) throw new Error('no consent page')
    const response = readRedirect(await pressButton(browser, form, /cancel|deny|reject/i))
    expect(response).toMatchObject({ error: 'access_denied', state: request.state, iss: baseUrl })
  })

  test('ensure-authorization-request-without-state-success: the response has no state', async () => {
    const uri = await pushRequest(client, { state: undefined })
    const response = readRedirect(await openPushed(browser, client, uri))
    expect(response).toEqual({ code: expect.any(String), iss: baseUrl })
  })

  test('ensure-authorization-request-without-nonce-success: for a client with requireNonce off', async () => {
    const { id_token } = await getFapiTokens(browser, client, { nonce: undefined })
    expect(decodeToken(id_token).payload).not.toHaveProperty('nonce')
  })

  test.each([
    ['ensure-authorization-request-with-64-char-nonce-success', 64],
    ['ensure-authorization-request-with-long-nonce', 384],
  ])('%s: the ID token has the nonce', async (_, length) => {
    const nonce = 'n'.repeat(length)
    expect(decodeToken((await getFapiTokens(browser, client, { nonce })).id_token).payload.nonce).toBe(nonce)
  })

  test('ensure-authorization-request-with-long-state: the response has the state', async () => {
    const state = 's'.repeat(384)
    const response = readRedirect(await openPushed(browser, client, await pushRequest(client, { state })))
    expect(response).toMatchObject({ code: expect.any(String), state })
  })

  test('ensure-other-scope-order-succeeds', async () => {
    const { scope } = await getFapiTokens(browser, client, { scope: 'email profile openid' })
    expect(scope.split(' ').sort()).toEqual(['email', 'openid', 'profile'])
  })

  test('test-claims-parameter-identity-claims: the parameter does no harm', async () => {
    const claims = JSON.stringify({ id_token: { name: null }, userinfo: { email: { essential: true } } })
    await getFapiTokens(browser, client, { claims, scope: 'openid profile email' })
  })

  test('access-token-type-header-case-sensitivity: the scheme of the resource is in any case', async () => {
    const { access_token } = await getFapiTokens(browser, client)
    for (const scheme of ['DPoP', 'dpop', 'DPOP', 'dPoP']) {
      expect((await callResource(client, access_token, { scheme })).status).toBe(200)
    }
  })
})

describe('an authorization request', () => {
  test('ensure-unsigned-authorization-request-without-using-par-fails', async () => {
    const response = readRedirect(await authorize(browser, client, fapiRequest()))
    expect(response).toMatchObject({ error: 'invalid_request' })
    expect(response).not.toHaveProperty('code')
  })

  test('ensure-registered-redirect-uri: another URI is refused when it is pushed', async () => {
    expect(await pushError({ redirect_uri: 'https://evil.test/callback' })).toEqual(INVALID_REQUEST)
    expect(await pushError({ redirect_uri: `${CALLBACK}?extra=1` })).toEqual(INVALID_REQUEST)
  })

  test('plain-fapi-tolerate-unregistered-redirect-uri: not tolerated, as RFC 9126 allows', async () => {
    expect(await pushError({ redirect_uri: `${CALLBACK}/${unique('other')}` })).toEqual(INVALID_REQUEST)
  })

  test('ensure-redirect-uri-in-authorization-request, ensure-request-object-without-redirect-uri-fails', async () => {
    expect(await pushError({ redirect_uri: undefined })).toEqual(INVALID_REQUEST)
  })

  test.each([
    ['ensure-response-type-code-idtoken-fails', 'code id_token'],
    ['ensure-response-type-token-fails', 'token'],
  ])('%s', async (_, response_type) => {
    expect(await pushError({ response_type })).toEqual({ status: 400, error: 'unsupported_response_type' })
  })

  test.each([
    ['ensure-different-nonce-inside-and-outside-request-object', 'nonce'],
    ['ensure-different-state-inside-and-outside-request-object', 'state'],
  ])('%s: only what was pushed counts', async (_, name) => {
    const request = fapiRequest()
    const page = await openPushed(browser, client, await pushRequest(client, request), { [name]: 'another' })
    const response = readRedirect(page)
    expect(response.state).toBe(request.state)
    const { body } = await redeemCode(client, response.code ?? '')
    expect(decodeToken(body.id_token).payload.nonce).toBe(request.nonce)
  })

  test('state-only-outside-request-object-not-used', async () => {
    const uri = await pushRequest(client, { state: undefined })
    const response = readRedirect(await openPushed(browser, client, uri, { state: 'outside' }))
    expect(response).toEqual({ code: expect.any(String), iss: baseUrl })
  })
})

describe('a pushed request', () => {
  const isRefused = async (response: Response) => {
    expect(response.status).toBe(400)
    expect(response.headers.has('location')).toBe(false)
  }

  test('par-ensure-reused-request-uri-prior-to-auth-completion-succeeds', async () => {
    const uri = await pushRequest(client)
    const visitor = openBrowser()
    expect(await isLoginPage(await openPushed(visitor, client, uri))).toBe(true)
    expect(await respond(visitor, client, uri, someone)).toHaveProperty('code')
  })

  test('par-attempt-reuse-request_uri: after the response it is used up', async () => {
    const uri = await pushRequest(client)
    expect(readRedirect(await openPushed(browser, client, uri))).toHaveProperty('code')
    await isRefused(await openPushed(browser, client, uri))
  })

  test('par-attempt-to-use-expired-request_uri: it says how long it is valid (without waiting for it)', async () => {
    const { body } = await push(client)
    expect(body.request_uri).toMatch(/^urn:ietf:params:oauth:request_uri:[\w-]{22,}$/)
    expect(body.expires_in).toBeGreaterThanOrEqual(5)
    expect(body.expires_in).toBeLessThan(600)
    await isRefused(await openPushed(browser, client, `${body.request_uri}x`))
  })

  test('par-attempt-to-use-request_uri-for-different-client', async () => {
    const uri = await pushRequest(client)
    await isRefused(await openPushed(browser, client2, uri))
    expect(readRedirect(await openPushed(browser, client, uri))).toHaveProperty('code')
  })

  test('par-authorization-request-containing-request_uri-form-param', async () => {
    expect(await pushError({ request_uri: `urn:ietf:params:oauth:request_uri:${randomUUID()}` })).toEqual(
      INVALID_REQUEST,
    )
    expect(await pushError({ request_uri: await pushRequest(client) })).toEqual(INVALID_REQUEST)
  })

  test.each(['GET', 'PUT', 'DELETE', 'PATCH'])('par-attempt-invalid-http-method: %s', async (method) => {
    const body = method === 'GET' ? null : encodeFields({ ...fapiRequest(), ...(await assertion(client)) })
    const { status, body: answer } = await readResponse(await fetch(`${baseUrl}/api/oauth/par`, { method, body }))
    expect([404, 405]).toContain(status)
    expect(answer).not.toHaveProperty('request_uri')
  })

  test('par-without-duplicate-parameters: the reference with the client_id is enough', async () => {
    const query = encodeFields({ client_id: client.clientId, request_uri: await pushRequest(client) })
    expect(readRedirect(await browser.get(`/oauth/authorize?${query}`))).toHaveProperty('code')
  })

  test('par-ensure-pkce-required', async () => {
    expect(await pushError({ code_challenge: undefined, code_challenge_method: undefined })).toEqual(INVALID_REQUEST)
  })

  test('par-plain-pkce-rejected', async () => {
    const plain = { code_challenge: VERIFIER, code_challenge_method: 'plain' }
    expect(await pushError(plain)).toEqual(INVALID_REQUEST)
    expect(await pushError({ code_challenge_method: undefined })).toEqual(INVALID_REQUEST)
  })
})

describe('the token endpoint', () => {
  test('ensure-pkce-code-verifier-required', async () => {
    const code = await getFapiCode(browser, client)
    expect(outcomeOf(await redeemCode(client, code, { code_verifier: undefined }))).toEqual(INVALID_GRANT)
  })

  test('incorrect-pkce-code-verifier-rejected', async () => {
    const code = await getFapiCode(browser, client)
    const code_verifier = VERIFIER.split('').reverse().join('')
    expect(outcomeOf(await redeemCode(client, code, { code_verifier }))).toEqual(INVALID_GRANT)
  })

  test('ensure-client-id-in-token-endpoint: the client_id of another client is refused', async () => {
    const code = await getFapiCode(browser, client)
    expect(outcomeOf(await redeemCode(client, code, { client_id: client2.clientId }))).toEqual(INVALID_CLIENT)
  })

  test('ensure-holder-of-key-required: without a proof there are no tokens', async () => {
    const code = await getFapiCode(browser, client)
    expect(outcomeOf(await redeemCode(client, code, {}, {}))).toEqual(INVALID_PROOF)
    expect((await redeemCode(client, code)).status).toBe(200)
  })

  test('ensure-authorization-code-is-bound-to-client', async () => {
    const code = await getFapiCode(browser, client)
    expect(outcomeOf(await redeemCode(client2, code))).toEqual(INVALID_GRANT)
    expect((await redeemCode(client, code)).status).toBe(200)
  })

  test('attempt-reuse-authorization-code-after-one-second: and the first token ends', async () => {
    const code = await getFapiCode(browser, client)
    const { access_token } = (await redeemCode(client, code)).body
    expect((await callResource(client, access_token)).status).toBe(200)
    await pause(1_000)
    expect(outcomeOf(await redeemCode(client, code))).toEqual(INVALID_GRANT)
    expect((await callResource(client, access_token)).status).toBe(401)
  })

  test('refresh-token: it stays the same, and is for its client with a proof only', async () => {
    const getOffline = async (by: typeof client) =>
      (await getFapiTokens(browser, by, { scope: ALL_SCOPES })).refresh_token
    const first = await getOffline(client)
    expect(first).toMatch(/^[\x20-\x7e]+$/)
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, body } = await refreshFapi(client, first)
      expect({ status, token: body.refresh_token, type: body.token_type }).toEqual({
        status: 200,
        token: first,
        type: 'DPoP',
      })
      expect((await callResource(client, body.access_token)).status).toBe(200)
    }
    expect(outcomeOf(await refreshFapi(client, first, {}, {}))).toEqual(INVALID_PROOF)
    expect(outcomeOf(await refreshFapi(client, await getOffline(client2)))).toEqual(INVALID_GRANT)
  })
})

describe('client authentication', () => {
  /** Tries an assertion with a pushed request and at the token endpoint. */
  async function outcomesOf(draft: Parameters<typeof assertion>[1]) {
    const code = await getFapiCode(browser, client)
    return [
      outcomeOf(await push(client, await assertion(client, draft))),
      outcomeOf(await redeemCode(client, code, await assertion(client, draft))),
    ]
  }
  const refused = [INVALID_CLIENT, INVALID_CLIENT]

  test('ensure-signed-client-assertion-with-RS256-fails: also with a key that may be used for PS256', async () => {
    const { ps256 } = client.keys
    expect(await outcomesOf({ key: await toRs256(ps256), alg: 'RS256' })).toEqual(refused)
    expect((await push(client, await assertion(client, { key: ps256 }))).status).toBe(201)
  })

  test('ensure-client-assertion-in-token-endpoint: without one the code stays valid', async () => {
    const code = await getFapiCode(browser, client)
    const none = { client_assertion: undefined, client_assertion_type: undefined, client_id: client.clientId }
    expect((await redeemCode(client, code, none)).body.error).toBe('invalid_client')
    expect((await redeemCode(client, code)).status).toBe(200)
  })

  test.each<[string, () => Record<string, unknown>]>([
    ['ensure-client-assertion-with-exp-is-5-minutes-in-past-fails', () => ({ exp: seconds(-300) })],
    ['ensure-client-assertion-with-wrong-aud-fails', () => ({ aud: 'https://other.test' })],
    ['ensure-client-assertion-with-no-sub-fails', () => ({ sub: undefined })],
    ['par-test-array-as-audience-fails', () => ({ aud: [`${baseUrl}/api/oauth/par`, baseUrl] })],
    ['par-test-par-endpoint-url-as-audience-fails', () => ({ aud: `${baseUrl}/api/oauth/par` })],
    ['par-test-token-endpoint-url-as-audience-fails', () => ({ aud: `${baseUrl}/api/oauth/token` })],
    [
      'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails',
      () => ({ iat: seconds(90), nbf: seconds(90), exp: seconds(150) }),
    ],
  ])('%s', async (_, claims) => {
    expect(await outcomesOf({ claims: claims() })).toEqual(refused)
  })

  test('par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted', async () => {
    const claims = { iat: seconds(8), nbf: seconds(8) }
    expect((await push(client, await assertion(client, { claims }))).status).toBe(201)
  })

  test('ensure-invalid-client-assertions-fail: of another key, unsigned, or sent twice', async () => {
    const stranger = await newFapiKey('ES256')
    const key = { ...stranger, jwk: { ...stranger.jwk, kid: client.keys.es256.jwk.kid ?? '' } }
    expect(await outcomesOf({ key })).toEqual(refused)
    const valid = await assertion(client)
    const [, payload = ''] = valid.client_assertion.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const unsigned = { ...valid, client_assertion: `${none}.${payload}.` }
    expect(outcomeOf(await push(client, unsigned))).toEqual(INVALID_CLIENT)
    expect((await push(client, valid)).status).toBe(201)
    expect(outcomeOf(await push(client, valid))).toEqual(INVALID_CLIENT)
  })
})

describe('DPoP', () => {
  const redeemWith = async (draft: Parameters<typeof proof>[1]) =>
    outcomeOf(await redeemCode(client, await getFapiCode(browser, client), {}, await proof(client, draft)))

  test('check-dpop-proof-nbf-exp: both may be present', async () => {
    expect(await redeemWith({ claims: { nbf: seconds(-5), exp: seconds(60) } })).toEqual({ status: 200 })
    expect(await redeemWith({ claims: { exp: seconds(-5) } })).toEqual(INVALID_PROOF)
  })

  test.each([
    ['ensure-dpopproof-with-iat-10seconds-before-succeeds', -10],
    ['ensure-dpopproof-with-iat-10seconds-after-succeeds', 10],
  ])('%s', async (_, offset) => {
    expect(await redeemWith({ claims: { iat: seconds(offset) } })).toEqual({ status: 200 })
    const { access_token } = await getFapiTokens(browser, client)
    expect((await callResource(client, access_token, { claims: { iat: seconds(offset) } })).status).toBe(200)
  })

  test('ensure-mismatched-dpop-jkt-fails: the dpop_jkt of another key than the proof of the pushed request', async () => {
    const headers = await proof(client, { path: '/api/oauth/par' })
    expect(await pushError({ dpop_jkt: client2.proofKey.jkt }, headers)).toEqual(INVALID_PROOF)
  })

  test('ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt: the request was pushed with another key', async () => {
    const code = await getFapiCode(browser, client, {}, await proof(client, { path: '/api/oauth/par' }))
    const other = await proof(client, { key: client2.proofKey })
    expect(outcomeOf(await redeemCode(client, code, {}, other))).toEqual(INVALID_GRANT)
  })

  test('ensure-token-endpoint-fails-with-mismatched-dpop-jkt: the request named another key', async () => {
    const code = await getFapiCode(browser, client, { dpop_jkt: client2.proofKey.jkt })
    expect(outcomeOf(await redeemCode(client, code))).toEqual(INVALID_GRANT)
  })

  test('ensure-dpopproof-at-par-endpoint-binding-success', async () => {
    const code = await getFapiCode(browser, client, {}, await proof(client, { path: '/api/oauth/par' }))
    expect((await redeemCode(client, code)).status).toBe(200)
  })

  test('ensure-dpop-auth-code-binding-success', async () => {
    const code = await getFapiCode(browser, client, { dpop_jkt: client.proofKey.jkt })
    expect((await redeemCode(client, code)).status).toBe(200)
  })

  describe('dpop-negative-tests, at the token endpoint', () => {
    test.each<[string, () => Promise<Parameters<typeof proof>[1]>]>([
      ['the typ is not dpop+jwt', async () => ({ header: { typ: 'JWT' } })],
      ['RS256', async () => ({ key: await newFapiKey('RS256') })],
      ['the jwk is missing', async () => ({ header: { jwk: undefined } })],
      ['the jwk is of another key', async () => ({ header: { jwk: client2.proofKey.jwk } })],
      ['the jwk is symmetric', async () => ({ header: { jwk: { kty: 'oct', k: 'c2VjcmV0' } } })],
      ['the jti is missing', async () => ({ claims: { jti: undefined } })],
      ['the htm is missing', async () => ({ claims: { htm: undefined } })],
      ['the htm is another', async () => ({ method: 'PUT' })],
      ['the htu is missing', async () => ({ claims: { htu: undefined } })],
      ['the htu is another', async () => ({ path: '/api/oauth/userinfo' })],
      ['the iat is missing', async () => ({ claims: { iat: undefined } })],
      ['the iat is a day ago', async () => ({ claims: { iat: seconds(-86_400) } })],
      ['the iat is tomorrow', async () => ({ claims: { iat: seconds(86_400) } })],
    ])('%s', async (_, draft) => {
      expect(await redeemWith(await draft())).toEqual(INVALID_PROOF)
    })

    test('the signature is wrong', async () => {
      const { dpop } = await proof(client)
      const [header, payload] = dpop.split('.')
      const [, , signature] = (await proof(client)).dpop.split('.')
      const headers = { dpop: `${header}.${payload}.${signature}` }
      expect(outcomeOf(await redeemCode(client, await getFapiCode(browser, client), {}, headers))).toEqual(
        INVALID_PROOF,
      )
    })

    test('a proof that was used before', async () => {
      const headers = await proof(client)
      expect((await redeemCode(client, await getFapiCode(browser, client), {}, headers)).status).toBe(200)
      const again = await redeemCode(client, await getFapiCode(browser, client), {}, headers)
      expect(outcomeOf(again)).toEqual(INVALID_PROOF)
    })
  })

  describe('dpop-negative-tests, at the resource', () => {
    test.each<[string, () => Promise<Parameters<typeof callResource>[2]>]>([
      ['there is no proof', async () => ({ without: true })],
      ['the token is sent as Bearer', async () => ({ scheme: 'Bearer' })],
      ['the token is sent as Bearer without a proof', async () => ({ scheme: 'Bearer', without: true })],
      ['the ath is missing', async () => ({ claims: { ath: undefined } })],
      ['the ath is of another token', async () => ({ claims: { ath: client.proofKey.jkt } })],
      ['the proof is of another key', async () => ({ key: client2.proofKey })],
      ['the htm is another', async () => ({ method: 'POST' })],
      ['the htu is another', async () => ({ path: '/api/tenants' })],
      ['the jti is missing', async () => ({ claims: { jti: undefined } })],
      ['the iat is a day ago', async () => ({ claims: { iat: seconds(-86_400) } })],
    ])('%s', async (_, draft) => {
      const { access_token } = await getFapiTokens(browser, client)
      const { status, headers } = await callResource(client, access_token, await draft())
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toMatch(/^DPoP error="invalid_/)
      expect((await callResource(client, access_token)).status).toBe(200)
    })
  })
})

test('an assertion is no access token, and a proof no assertion', async () => {
  const { client_assertion } = await assertion(client)
  expect((await callResource(client, client_assertion)).status).toBe(401)
  const { dpop } = await proof(client)
  expect(decodeProtectedHeader(dpop).typ).toBe('dpop+jwt')
  expect(outcomeOf(await push(client, { client_assertion: dpop }))).toEqual(INVALID_CLIENT)
})

test('a secret is never accepted, and no other way around the profile', async () => {
  const form = { ...fapiRequest(), client_id: client.clientId }
  for (const extra of [{}, { client_secret: 'secret' }]) {
    expect(outcomeOf(await postForm('/api/oauth/par', { ...form, ...extra }))).toEqual(INVALID_CLIENT)
  }
  const grant = { grant_type: 'client_credentials', ...(await assertion(client)) }
  const outcome = outcomeOf(await postForm('/api/oauth/token', grant, await proof(client)))
  expect(outcome).toEqual({ status: 400, error: 'unauthorized_client' })
})
