import { createHmac } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestService } from '../../support/service.ts'
import { authorizeUrl, CALLBACK, signIn, startDemoService } from '../../support/world.ts'
import { newKey, newKeyClient, requestToken, sign, type TestKey } from '../key-clients.ts'
import { newSigningClient, open, push, type SigningClient, signObject, validObject } from './objects.ts'

let service: TestService
let url: string
let cookie: string
let client: SigningClient
let other: SigningClient
let stranger: TestKey

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
  client = await newSigningClient(url)
  other = await newSigningClient(url)
  stranger = await newKey('ES256', client.key.kid)
})
afterAll(() => service.close())
beforeEach(() => {
  service.logs.length = 0
})

const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const valid = () => validObject(url, client.clientId)
const signed = (changes: Record<string, unknown>, header: Record<string, unknown> = {}) =>
  signObject(client.key, { ...valid(), ...changes }, header)

async function edited(change: (parts: string[]) => string[]): Promise<string> {
  return change((await signed({})).split('.')).join('.')
}

const unsigned = (header: object) => `${encode(header)}.${encode(valid())}.`

async function encrypted(): Promise<string> {
  const key = await newKey('ES256')
  const text = new TextEncoder().encode(await signed({}))
  return new CompactEncrypt(text)
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt({ ...key.publicJwk, kty: 'EC' } as never)
}

async function signedWithPublicKey(): Promise<string> {
  const text = `${encode({ alg: 'HS256', kid: client.key.kid })}.${encode(valid())}`
  return `${text}.${createHmac('sha256', JSON.stringify(client.key.publicJwk)).update(text).digest('base64url')}`
}

type Hostile = [name: string, problem: string, create: () => Promise<string>]

/** The client did not sign these. The outer parameters and those inside are valid. */
const FORGED: Hostile[] = [
  ['no JWT', 'malformed', async () => 'x'],
  ['two parts', 'malformed', () => edited(([header = '', payload = '']) => [header, payload])],
  ['an empty signature', 'malformed', () => edited(([header = '', payload = '']) => [header, payload, ''])],
  ['a JSON value', 'malformed', async () => JSON.stringify(valid())],
  ['a payload that is a list', 'malformed', () => edited(([header = '', , end = '']) => [header, encode([1]), end])],
  [
    'a payload with a name twice',
    'malformed',
    () => edited(([header = '', , end = '']) => [header, Buffer.from('{"a":1,"a":2}').toString('base64url'), end]),
  ],
  ['a long text without dots', 'malformed', async () => 'a'.repeat(14_000)],
  ['the alg None', 'wrong_algorithm', async () => `${unsigned({ alg: 'None' })}AAAA`],
  ['no alg', 'wrong_algorithm', async () => `${unsigned({ typ: 'jwt' })}AAAA`],
  ['HS256 with the public key as the secret', 'wrong_algorithm', signedWithPublicKey],
  ['encryption', 'encrypted', encrypted],
  ['a changed payload', 'wrong_signature', () => edited(([header = '', , end = '']) => [header, encode(valid()), end])],
  ['the key of a stranger with the same kid', 'wrong_signature', () => signObject(stranger, valid())],
  ['the key of another client', 'unknown_key', () => signObject(other.key, valid())],
  [
    'a key in the header',
    'wrong_signature',
    () => signObject(stranger, valid(), { jwk: stranger.publicJwk, kid: client.key.kid }),
  ],
  ['a kid that is unknown', 'unknown_key', () => signed({}, { kid: 'nobody' })],
  ['a kid that is a number', 'wrong_kid', async () => `${encode({ alg: 'ES256', kid: 1 })}.${encode(valid())}.AAAA`],
  [
    'a critical extension',
    'unknown_extension',
    async () => `${encode({ alg: 'ES256', crit: ['x'], x: 1 })}.${encode(valid())}.AAAA`,
  ],
  ['the type of an access token', 'wrong_type', () => signed({}, { typ: 'at+jwt' })],
  ['the type of a DPoP proof', 'wrong_type', () => signed({}, { typ: 'dpop+jwt' })],
  ['the type of an assertion', 'wrong_type', () => signed({}, { typ: 'client-authentication+jwt' })],
]

/** The client signed these, but they must not be used. */
const MISUSED: Hostile[] = [
  ['no iss', 'wrong_issuer', () => signed({ iss: undefined })],
  ['the iss of another client', 'wrong_issuer', () => signed({ iss: other.clientId })],
  ['no client_id', 'other_client_id', () => signed({ client_id: undefined })],
  ['the client_id of another client', 'other_client_id', () => signed({ client_id: other.clientId })],
  ['a list of client_ids', 'other_client_id', () => signed({ client_id: [client.clientId] })],
  ['the claims of an assertion', 'is_an_assertion', () => signed({ sub: client.clientId }, { typ: 'JWT' })],
  ['no aud', 'wrong_audience', () => signed({ aud: undefined })],
  ['the aud of another server', 'wrong_audience', () => signed({ aud: 'https://other.example' })],
  ['an endpoint as the aud', 'wrong_audience', () => signed({ aud: `${url}/oauth/authorize` })],
  ['an empty list of audiences', 'wrong_audience', () => signed({ aud: [] })],
  ['an object as the aud', 'wrong_audience', () => signed({ aud: { [url]: url } })],
  ['no exp', 'no_expiry', () => signed({ exp: undefined })],
  ['an exp that is text', 'no_expiry', () => signed({ exp: String(seconds(60)) })],
  ['an exp that has passed', 'expired', () => signed({ exp: seconds(-1) })],
  ['an exp in two hours', 'expiry_too_late', () => signed({ exp: seconds(7_200) })],
  ['more than an hour after nbf', 'lifetime_too_long', () => signed({ nbf: seconds(-3_500), exp: seconds(200) })],
  [
    'more than an hour after iat, without nbf',
    'lifetime_too_long',
    () => signed({ nbf: undefined, iat: seconds(-3_500), exp: seconds(200) }),
  ],
  ['an nbf in the future', 'not_yet_valid', () => signed({ nbf: seconds(200) })],
  ['an nbf that is text', 'wrong_nbf', () => signed({ nbf: 'now' })],
  ['an iat in the future', 'not_yet_valid', () => signed({ iat: seconds(200) })],
  ['a request object inside', 'has_request', async () => signed({ request: await signed({}) })],
  ['a request_uri inside', 'has_request_uri', () => signed({ request_uri: 'https://evil.example/object' })],
  ['another response_type', 'other_response_type', () => signed({ response_type: 'token' })],
]

/** The parameters that the browser carries besides the object. All of them are valid. */
const outside = () => Object.fromEntries(new URL(authorizeUrl(url, { client_id: client.clientId })).searchParams)
const refusals = () => service.logs.filter(({ msg }) => msg === 'request refused')

test('the object that all of these are made of gives a code', async () => {
  const { answer } = await open(url, cookie, { ...outside(), request: await signed({}) })
  expect(answer).toHaveProperty('code')
  expect((await push(url, client, { request: await signed({}) })).status).toBe(201)
})

describe.each(FORGED)('%s', (_, problem, create) => {
  test('is an error page, and no redirect', async () => {
    const { status, location, html } = await open(url, cookie, { ...outside(), request: await create() })
    expect({ status, location }).toEqual({ status: 400, location: '' })
    expect(html).toContain('signature is not valid')
    expect(refusals()).toMatchObject([{ error: 'invalid_request_object', problem, clientId: client.clientId }])
  })

  test('cannot be pushed', async () => {
    const { status, body } = await push(url, client, { ...outside(), request: await create() })
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request_object' })
  })
})

describe.each(MISUSED)('%s', (_, problem, create) => {
  test('is an error for the redirect_uri that the client signed', async () => {
    const { answer, location } = await open(url, cookie, { ...outside(), request: await create() })
    expect(location.startsWith(`${CALLBACK}?`)).toBe(true)
    expect(answer).toMatchObject({ error: 'invalid_request_object', state: 'st', iss: url })
    expect(answer).not.toHaveProperty('code')
    expect(refusals()).toMatchObject([{ error: 'invalid_request_object', problem }])
  })

  test('cannot be pushed', async () => {
    const { status, body } = await push(url, client, { ...outside(), request: await create() })
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request_object' })
  })
})

test.each(['', 'AAAA'])('the alg none with the signature "%s" is not supported', async (signature) => {
  const request = unsigned({ alg: 'none' }) + signature
  const { answer } = await open(url, cookie, { ...outside(), request })
  expect(answer).toMatchObject({ error: 'request_not_supported', state: 'st' })
  const evil = await open(url, cookie, { ...outside(), redirect_uri: 'https://evil.example/', request })
  expect({ status: evil.status, location: evil.location }).toEqual({ status: 400, location: '' })
  const alone = await open(url, cookie, { client_id: client.clientId, request })
  expect({ status: alone.status, location: alone.location }).toEqual({ status: 400, location: '' })
  const { status, body } = await push(url, client, { ...outside(), request })
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request_object' })
})

test.each(['https://evil.example/', undefined, [CALLBACK]])(
  'the redirect_uri %j inside is an error page, whatever the one outside is',
  async (redirect_uri) => {
    const request = await signed({ redirect_uri, exp: seconds(-1) })
    for (const object of [request, await signed({ redirect_uri })]) {
      const { status, location } = await open(url, cookie, { ...outside(), request: object })
      expect({ status, location }).toEqual({ status: 400, location: '' })
    }
  },
)

test('an object of one client is refused for another, also if the browser carries the id of the signer twice', async () => {
  const request = await signObject(other.key, validObject(url, other.clientId))
  const { status, location } = await open(url, cookie, { ...outside(), request })
  expect({ status, location }).toEqual({ status: 400, location: '' })
  const query = new URLSearchParams({ ...outside(), request })
  query.append('client_id', other.clientId)
  const twice = await fetch(`${url}/oauth/authorize?${query}`, { headers: { cookie }, redirect: 'manual' })
  expect(twice.status).toBe(400)
  expect(await push(url, client, { request })).toMatchObject({ status: 400 })
})

test('an object that is sent twice, or with a request_uri, is invalid_request', async () => {
  const request = await signed({})
  const query = new URLSearchParams({ ...outside(), request })
  query.append('request', request)
  const twice = await fetch(`${url}/oauth/authorize?${query}`, { headers: { cookie }, redirect: 'manual' })
  expect(new URL(twice.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
  const both = await open(url, cookie, { ...outside(), request, request_uri: 'https://evil.example/object' })
  expect(both.answer).toMatchObject({ error: 'invalid_request' })
})

test('a request object does not authenticate the client', async () => {
  const machine = await newKeyClient(url, { jwks: { keys: [client.key.publicJwk] } })
  const claims = { ...validObject(url, machine.clientId), sub: machine.clientId }
  const answer = await requestToken(url, await signObject(client.key, claims))
  expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  // The type alone makes the difference.
  expect((await requestToken(url, await sign(client.key, claims))).status).toBe(200)
})

test('credentials in a request object do not reach the pages', async () => {
  const browser = await open(url, '', {
    client_id: client.clientId,
    request: await signed({ client_secret: 'lks_leaked', client_assertion: 'x' }),
  })
  expect(browser.location).toMatch(/^\/login\?journey=/)
  const login = service.ctx.keys.unseal(
    'journey',
    Buffer.from(browser.location.split('journey=')[1] ?? '', 'base64url'),
  )
  expect(login).toContain('"redirect_uri"')
  expect(login).not.toContain('leaked')
})
