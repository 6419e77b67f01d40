import { describe, expect, test } from 'vitest'
import { newApplication } from '../support/admin.ts'
import {
  assertion,
  callResource,
  fapiRequest,
  newFapiClient,
  openPushed,
  push,
  pushObject,
  redeemCode,
  requestObject,
  toRs256,
} from '../support/fapi.ts'
import { decodeToken } from '../support/jwt.ts'
import { authorize, postForm, readRedirect } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, unique } from '../support/service.ts'

// The modules of the OpenID Foundation's fapi2-message-signing-final-test-plan for signed request objects, with
// private_key_jwt, DPoP and OpenID Connect. Each test has the name of its module without the prefix
// fapi2-security-profile-final-. The modules of both plans are in fapi2.test.ts.
const application = await newApplication({ signingAlgorithm: 'ES256' })
const client = await newFapiClient(application, { requireSignedRequests: true })
const client2 = await newFapiClient(application, { requireSignedRequests: true })
const someone = await newPerson()
const browser = await someone.signIn()

const seconds = (offset = 0) => Math.floor(Date.now() / 1000) + offset

type Draft = Parameters<typeof requestObject>[1]

/** The authorization response to a request object that is accepted. */
async function respondTo(draft?: Draft, extra = {}) {
  const { status, body } = await pushObject(client, draft, extra)
  expect({ status, body }).toMatchObject({ status: 201 })
  return readRedirect(await openPushed(browser, client, body.request_uri))
}

async function errorOf(draft: Draft) {
  const { status, body } = await pushObject(client, draft)
  return { status, error: body.error }
}

const INVALID_OBJECT = { status: 400, error: 'invalid_request_object' }

test('happy-flow: with a signed request', async () => {
  const nonce = unique('nonce')
  const state = unique('state')
  const response = await respondTo({ claims: { nonce, state } })
  expect(response).toEqual({ code: expect.any(String), state, iss: baseUrl })
  const { status, body } = await redeemCode(client, response.code ?? '')
  expect(status).toBe(200)
  expect(decodeToken(body.id_token).payload.nonce).toBe(nonce)
  expect((await callResource(client, body.access_token)).status).toBe(200)
})

test('discovery-end-point-verification: the algorithms of request objects are listed', async () => {
  const metadata = (await (await fetch(`${baseUrl}/.well-known/openid-configuration`)).json()) as Record<
    string,
    unknown
  >
  expect(metadata.request_object_signing_alg_values_supported).toEqual(
    expect.arrayContaining(['PS256', 'ES256', 'EdDSA']),
  )
  expect(metadata.request_object_signing_alg_values_supported).not.toContain('none')
})

describe('is accepted', () => {
  test.each<[string, () => Draft]>([
    ['ensure-request-object-with-multiple-aud-succeeds', () => ({ claims: { aud: [baseUrl, 'https://other.test'] } })],
    [
      'ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted',
      () => ({ claims: { nbf: seconds(8), exp: seconds(68) } }),
    ],
    ['a signature with PS256', () => ({ key: client.keys.ps256 })],
  ])('%s', async (_, draft) => {
    expect(await respondTo(draft())).toHaveProperty('code')
  })
})

describe('only what is inside counts', () => {
  test('ensure-different-state-inside-and-outside-request-object', async () => {
    const state = unique('inside')
    expect((await respondTo({ claims: { state } }, { state: 'outside' })).state).toBe(state)
  })

  test('ensure-different-nonce-inside-and-outside-request-object', async () => {
    const nonce = unique('inside')
    const { code = '' } = await respondTo({ claims: { nonce } }, { nonce: 'outside' })
    expect(decodeToken((await redeemCode(client, code)).body.id_token).payload.nonce).toBe(nonce)
  })

  test('state-only-outside-request-object-not-used', async () => {
    const response = await respondTo({ claims: { state: undefined } }, { state: 'outside' })
    expect(response).toEqual({ code: expect.any(String), iss: baseUrl })
  })

  test('ensure-request-object-without-redirect-uri-fails', async () => {
    const draft = { claims: { redirect_uri: undefined } }
    const { status, body } = await pushObject(client, draft, { redirect_uri: 'http://localhost:8080/callback' })
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' })
  })
})

describe('is refused', () => {
  test.each<[string, () => Draft]>([
    ['ensure-request-object-without-exp-fails', () => ({ claims: { exp: undefined } })],
    ['ensure-request-object-without-nbf-fails', () => ({ claims: { nbf: undefined } })],
    ['ensure-expired-request-object-fails', () => ({ claims: { nbf: seconds(-400), exp: seconds(-300) } })],
    ['ensure-request-object-with-bad-aud-fails', () => ({ claims: { aud: 'https://other.test' } })],
    ['ensure-request-object-with-exp-over-60-fails', () => ({ claims: { exp: seconds(70 * 60) } })],
    ['ensure-request-object-with-nbf-over-60-fails', () => ({ claims: { nbf: seconds(-70 * 60) } })],
    [
      'par-authorization-request-containing-request_uri',
      () => ({ claims: { request_uri: 'urn:ietf:params:oauth:request_uri:x' } }),
    ],
    [
      'ensure-matching-key-in-authorization-request',
      () => ({
        key: { ...client2.keys.es256, jwk: { ...client2.keys.es256.jwk, kid: client.keys.es256.jwk.kid ?? '' } },
      }),
    ],
  ])('%s', async (_, draft) => {
    expect(await errorOf(draft())).toEqual(INVALID_OBJECT)
  })

  test('ensure-signed-request-object-with-RS256-fails: also with a key that may be used for PS256', async () => {
    expect(await errorOf({ key: await toRs256(client.keys.ps256), alg: 'RS256' })).toEqual(INVALID_OBJECT)
  })

  test('ensure-request-object-signature-algorithm-is-not-none', async () => {
    const [, payload] = (await requestObject(client)).request.split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const form = { request: `${header}.${payload}.`, ...(await assertion(client)) }
    const { status, body } = await postForm('/api/oauth/par', form)
    expect(status).toBe(400)
    expect(body.error).toMatch(/^(invalid_request_object|request_not_supported)$/)
  })

  test('ensure-request-object-with-invalid-signature-fails', async () => {
    const [header, payload] = (await requestObject(client)).request.split('.')
    const [, , signature] = (await requestObject(client)).request.split('.')
    const form = { request: `${header}.${payload}.${signature}`, ...(await assertion(client)) }
    const { status, body } = await postForm('/api/oauth/par', form)
    expect({ status, error: body.error }).toEqual(INVALID_OBJECT)
  })

  test('ensure-unsigned-request-at-par-endpoint-fails', async () => {
    const { status, body } = await push(client)
    expect(status).toBe(400)
    expect(body.error).toMatch(/^invalid_request(_object)?$/)
  })

  test('ensure-unsigned-authorization-request-without-using-par-fails: nor is a signed one accepted without PAR', async () => {
    expect(readRedirect(await authorize(browser, client, fapiRequest()))).toMatchObject({ error: 'invalid_request' })
    const signed = readRedirect(await authorize(browser, client, await requestObject(client)))
    expect(signed).toMatchObject({ error: 'invalid_request' })
  })
})
