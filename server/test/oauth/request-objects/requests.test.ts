import * as oidc from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTab } from '../../invitations/browser-tab.ts'
import type { TestService } from '../../support/service.ts'
import { type StatementWatch, watchStatements } from '../../support/statements.ts'
import { admin, authorizeUrl, CALLBACK, PASSWORD, signIn, startDemoService, VERIFIER } from '../../support/world.ts'
import { type Algorithm, newKey } from '../key-clients.ts'
import { newSigningClient, open, push, type SigningClient, signObject, validObject } from './objects.ts'

let service: TestService
let watch: StatementWatch
let url: string
let cookie: string
let client: SigningClient

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  watch = await watchStatements(service)
  cookie = await signIn(url, 'mia@acme.test')
  client = await newSigningClient(url)
})
afterAll(async () => {
  await watch?.close()
  await service.close()
})
beforeEach(() => {
  service.logs.length = 0
})

const object = (changes: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
  signObject(client.key, { ...validObject(url, client.clientId), ...changes }, header)
const request = async (changes: Record<string, unknown> = {}, outside: Record<string, string> = {}) =>
  open(url, cookie, { client_id: client.clientId, ...outside, request: await object(changes) })

describe('libraries', () => {
  const execute = [oidc.allowInsecureRequests]
  const checks = { pkceCodeVerifier: VERIFIER, expectedState: 'st', expectedNonce: 'n' }
  const parameters = () => new URL(authorizeUrl(url)).searchParams
  // Discovery lists the endpoint for pushed requests while a client requires it.
  beforeAll(() => newSigningClient(url, { requirePushedRequests: true }))

  test.each<[Algorithm, object]>([
    ['ES256', { kind: 'WEB', tokenEndpointAuthMethod: 'private_key_jwt' }],
    ['PS256', { kind: 'WEB', tokenEndpointAuthMethod: 'private_key_jwt', requireSignedRequests: true }],
    ['RS256', { kind: 'WEB' }],
    ['EdDSA', { kind: 'SPA', requireSignedRequests: true }],
  ])('openid-client signs with %s for a client with %j: by value and pushed', async (alg, settings) => {
    const key = await newKey(alg)
    const created = await newSigningClient(url, { jwks: { keys: [key.publicJwk] }, ...settings })
    const { clientId, clientSecret } = created
    const signer = { key: key.privateKey, kid: key.kid }
    const withoutSecret = 'kind' in settings && settings.kind === 'SPA' ? oidc.None() : oidc.PrivateKeyJwt(signer)
    const authentication = clientSecret ? oidc.ClientSecretPost(clientSecret) : withoutSecret
    const config = await oidc.discovery(new URL(url), clientId, undefined, authentication, { execute })
    const wanted = parameters()
    wanted.set('max_age', '3600')
    wanted.set('claims', '{"id_token":{"email":null}}')
    const byValue = await oidc.buildAuthorizationUrlWithJAR(config, wanted, signer)
    const pushed = await oidc.buildAuthorizationUrlWithPAR(config, byValue.searchParams)
    expect(pushed.searchParams.has('request')).toBe(false)
    for (const target of [byValue, pushed]) {
      const { location } = await open(url, cookie, Object.fromEntries(target.searchParams))
      const tokens = await oidc.authorizationCodeGrant(config, new URL(location), { ...checks, maxAge: 3600 })
      expect(tokens.claims()).toMatchObject({ aud: clientId, email: 'mia@acme.test' })
    }
  })
})

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ['no typ', {}, { typ: undefined }],
  ['the typ JWT', {}, { typ: 'JWT' }],
  ['no kid, with one key', {}, { kid: undefined }],
  ['no jti, iat and nbf', { jti: undefined, iat: undefined, nbf: undefined }, {}],
  ['a list of audiences', { aud: ['https://other.example', 'URL'] }, {}],
  ['the sub of a user', { sub: 'somebody' }, {}],
  ['an exp almost an hour after nbf', { exp: 'HOUR' }, {}],
])('%s is accepted', async (_, changes, header) => {
  const hour = Math.floor(Date.now() / 1000) + 3_590
  const claims = JSON.parse(JSON.stringify(changes).replace('"URL"', `"${url}"`).replace('"HOUR"', `${hour}`))
  const removed = Object.fromEntries(Object.keys(changes).map((name) => [name, undefined]))
  const { answer } = await open(url, cookie, {
    client_id: client.clientId,
    request: await object({ ...removed, ...claims }, header),
  })
  expect(answer).toHaveProperty('code')
})

test('only the parameters of the object are used', async () => {
  const { answer } = await request(
    { state: 'inside', scope: 'openid', code_challenge: undefined, code_challenge_method: undefined },
    {
      state: 'outside',
      scope: 'openid email',
      prompt: 'none',
      redirect_uri: 'https://evil.example/',
      code_challenge: 'x',
      response_mode: 'form_post',
      max_age: '0',
      unknown: 'y',
    },
  )
  expect(answer).toMatchObject({ state: 'inside' })
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client.clientId,
    client_secret: client.clientSecret ?? '',
    redirect_uri: CALLBACK,
    code: answer.code ?? '',
  })
  const tokens = (await (await fetch(`${url}/api/oauth/token`, { method: 'POST', body })).json()) as { scope: string }
  expect(tokens.scope).toBe('openid')
})

test.each<[Record<string, unknown>, string]>([
  [{ prompt: 'sometimes' }, 'invalid_request'],
  [{ max_age: -1 }, 'invalid_request'],
  [{ max_age: 1.5 }, 'invalid_request'],
  [{ prompt: ['login'] }, 'invalid_request'],
  [{ nonce: '' }, 'invalid_request'],
  [{ nonce: null }, 'invalid_request'],
  [{ response_type: undefined }, 'invalid_request'],
  [{ response_type: 'code token' }, 'unsupported_response_type'],
  [{ resource: ['https://a.example/', 'https://b.example/'] }, 'invalid_target'],
  [{ resource: ['https://a.example/'] }, 'invalid_target'],
])('the parameters %j of a valid object are refused like those of a query', async (changes, error) => {
  expect((await request(changes)).answer).toMatchObject({ error, state: 'st' })
  const { status, body } = await push(url, client, { request: await object(changes) })
  expect({ status, error: body.error }).toEqual({ status: 400, error })
})

test('the sign-in may take longer than the object is valid, and its pages do not repeat the object', async () => {
  const { clientId, key } = await newSigningClient(url, { requireSignedRequests: true })
  const signed = await signObject(key, validObject(url, clientId))
  const tab = openTab(url)
  const login = await tab.open(`/oauth/authorize?${new URLSearchParams({ client_id: clientId, request: signed })}`)
  expect(login.location).toMatch(/^\/login\?journey=/)
  await tab.open(login.location)
  service.advance(400_000)
  const done = await tab.open((await tab.submit({ email: 'mia@acme.test', password: PASSWORD })).location)
  expect(new URL(done.location).searchParams.get('code')).toBeTruthy()
  const again = await open(url, cookie, { client_id: clientId, request: signed })
  expect(again.answer).toMatchObject({ error: 'invalid_request_object' })
  service.advance(-400_000)
})

describe('requireSignedRequests', () => {
  let strict: SigningClient
  beforeAll(async () => {
    strict = await newSigningClient(url, { requireSignedRequests: true })
  })
  const plain = () => Object.fromEntries(new URL(authorizeUrl(url, { client_id: strict.clientId })).searchParams)

  test('a request without a signature is invalid_request, also if it is pushed', async () => {
    expect((await open(url, cookie, plain())).answer).toMatchObject({ error: 'invalid_request', state: 'st' })
    const { status, body } = await push(url, strict, plain())
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'invalid_request', error_description: expect.stringContaining('RFC 9101') })
  })

  test('an object without nbf is refused', async () => {
    const { nbf, ...claims } = validObject(url, strict.clientId)
    const { answer } = await open(url, cookie, {
      client_id: strict.clientId,
      request: await signObject(strict.key, claims),
    })
    expect(answer).toMatchObject({ error: 'invalid_request_object' })
  })

  test('with pushed requests required too, an object by value is refused and a pushed one is not', async () => {
    const both = await newSigningClient(url, { requireSignedRequests: true, requirePushedRequests: true })
    const request = await signObject(both.key, validObject(url, both.clientId))
    const byValue = await open(url, cookie, { client_id: both.clientId, request })
    expect(byValue.answer).toMatchObject({ error: 'invalid_request' })
    const { body } = await push(url, both, { request })
    const pushed = await open(url, cookie, { client_id: both.clientId, request_uri: body.request_uri })
    expect(pushed.answer).toHaveProperty('code')
  })

  test('it needs keys, which cannot be removed while it is on', async () => {
    await expect(newSigningClient(url, { requireSignedRequests: true, jwks: null })).rejects.toThrow(
      'jwks","message":"is required for requireSignedRequests, or jwksUri',
    )
    const path = `/api/admin/clients/${strict.id}`
    await expect(admin(url, path, { jwks: null }, 'PATCH')).rejects.toThrow('422')
    await admin(url, path, { jwks: null, jwksUri: 'https://client.example/jwks' }, 'PATCH')
    await admin(url, path, { jwks: { keys: [strict.key.publicJwk] }, jwksUri: null }, 'PATCH')
  })
})

test('a client without keys, and one that is disabled, is answered as before', async () => {
  const none = await newSigningClient(url, { jwks: null })
  const signed = await signObject(none.key, validObject(url, none.clientId))
  const outside = Object.fromEntries(new URL(authorizeUrl(url, { client_id: none.clientId })).searchParams)
  const { answer } = await open(url, cookie, { ...outside, request: signed })
  expect(answer).toMatchObject({ error: 'request_not_supported', state: 'st' })
  expect((await push(url, none, { request: signed })).body.error).toBe('invalid_request')
  expect((await push(url, none, { ...outside, request: signed })).body.error).toBe('request_not_supported')
  const disabled = await newSigningClient(url, { disabled: true })
  const page = await open(url, cookie, {
    client_id: disabled.clientId,
    request: await signObject(disabled.key, validObject(url, disabled.clientId)),
  })
  expect({ status: page.status, location: page.location }).toEqual({ status: 400, location: '' })
})

test('a pushed object is bound to the key of a DPoP thumbprint in it', async () => {
  const dpop_jkt = 'A'.repeat(43)
  const { body } = await push(url, client, { request: await object({ dpop_jkt }) })
  const { answer } = await open(url, cookie, { client_id: client.clientId, request_uri: body.request_uri })
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client.clientId,
    client_secret: client.clientSecret ?? '',
    redirect_uri: CALLBACK,
    code: answer.code ?? '',
    code_verifier: VERIFIER,
  })
  const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', body: form })
  const answered = await response.json()
  expect(answered).toMatchObject({ error: 'invalid_grant', error_description: expect.stringContaining('DPoP') })
})

test('an authorization with a request object takes as many statements as any other', async () => {
  await request()
  const count = async (work: () => Promise<unknown>) =>
    (await watch.list(work)).reduce((sum, { calls }) => sum + calls, 0)
  expect(await count(() => request())).toBe(3)
})

test('discovery lists request objects while an enabled client has keys for them', async () => {
  const fresh = await startDemoService()
  const read = async () => {
    const metadata = await (await fetch(`${fresh.url}/.well-known/openid-configuration`)).json()
    const { request_parameter_supported, request_object_signing_alg_values_supported } = metadata as Record<
      string,
      unknown
    >
    return [request_parameter_supported, request_object_signing_alg_values_supported]
  }
  const listed = [true, ['PS256', 'ES256', 'Ed25519', 'EdDSA', 'RS256']]
  expect(await read()).toEqual([undefined, undefined])
  const { id, key } = await newSigningClient(fresh.url, { jwks: null })
  expect(await read()).toEqual([undefined, undefined])
  const path = `/api/admin/clients/${id}`
  await admin(fresh.url, path, { jwks: { keys: [key.publicJwk] } }, 'PATCH')
  await expect.poll(read).toEqual(listed)
  await admin(fresh.url, path, { jwks: null }, 'PATCH')
  await expect.poll(read).toEqual([undefined, undefined])
  await admin(fresh.url, path, { jwksUri: 'https://client.example/jwks' }, 'PATCH')
  await expect.poll(read).toEqual(listed)
  await admin(fresh.url, path, { disabled: true }, 'PATCH')
  await expect.poll(read).toEqual([undefined, undefined])
  await fresh.close()
})
