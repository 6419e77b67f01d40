import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { admin, introspect, startDemoService } from '../support/world.ts'
import {
  type CreatedClient,
  newKey,
  newKeyClient,
  requestToken,
  sign,
  type TestKey,
  validClaims,
} from './key-clients.ts'

// The keys of a client that publishes them at its jwksUri.

let service: TestService
let url: string
let first: TestKey
let second: TestKey
const closers: (() => unknown)[] = []

beforeAll(async () => {
  service = await startDemoService({ config: { webhooks: { allowedNetworks: ['127.0.0.0/8'] } }, forbidSlowWork: true })
  url = service.url
  ;[first, second] = await Promise.all([newKey('ES256', 'first'), newKey('ES256', 'second')])
})
afterAll(() => service.close())
beforeEach(() => {
  service.logs.length = 0
})
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** The public key of an RSA key with another exponent. */
const rsaJwk = (e: string) => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }),
  e,
})

type Respond = (response: ServerResponse, request: IncomingMessage) => void

/** A server that publishes keys, and counts the requests for them. */
async function publish(respond: Respond) {
  const published = { respond, requests: 0, uri: '' }
  const server = createServer((request, response) => {
    published.requests++
    published.respond(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  published.uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
  return published
}

const respondWith =
  (keys: unknown[], headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(200, headers).end(JSON.stringify({ keys }))

const publicKeys = (...keys: TestKey[]) => keys.map(({ publicJwk }) => publicJwk)

const newClient = (jwksUri: string) => newKeyClient(url, { jwksUri })

const claimsNow = (client: CreatedClient) => {
  const now = Math.floor(service.ctx.now().getTime() / 1000)
  return { ...validClaims(url, client.clientId), iat: now, nbf: now, exp: now + 60 }
}

const authenticate = async (client: CreatedClient, key: TestKey, header = {}) =>
  (await requestToken(url, await sign(key, claimsNow(client), header))).status

const problems = () => service.logs.filter(({ msg }) => msg === 'request refused').map(({ problem }) => problem)

test('the keys are fetched once and cached, also for simultaneous requests', async () => {
  const source = await publish(respondWith(publicKeys(first)))
  const client = await newClient(source.uri)
  expect(source.requests).toBe(0)
  const statuses = await Promise.all(Array.from({ length: 20 }, () => authenticate(client, first)))
  expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
  expect(source.requests).toBe(1)
})

test('a rotated key works at once; a removed one ends when the cache does', async () => {
  const source = await publish(respondWith(publicKeys(first)))
  const client = await newClient(source.uri)
  expect(await authenticate(client, first)).toBe(200)
  source.respond = respondWith(publicKeys(second))
  service.advance(31_000)
  expect(await authenticate(client, second)).toBe(200)
  expect(source.requests).toBe(2)
  expect(await authenticate(client, first)).toBe(401)
})

test('unknown kids cause at most one request in 30 seconds', async () => {
  const source = await publish(respondWith(publicKeys(first)))
  const client = await newClient(source.uri)
  expect(await authenticate(client, first)).toBe(200)
  const unknown = () =>
    Promise.all(Array.from({ length: 10 }, (_, n) => authenticate(client, first, { kid: `no-${n}` })))
  expect(new Set(await unknown())).toEqual(new Set([401]))
  expect(source.requests).toBe(1)
  service.advance(31_000)
  await unknown()
  await unknown()
  expect(source.requests).toBe(2)
  expect(await authenticate(client, first)).toBe(200)
  expect(source.requests).toBe(2)
})

describe('the cache lasts as long as the headers say', () => {
  test.each<[string, Record<string, string>, number]>([
    ['five minutes without a header', {}, 300],
    ['the max-age', { 'cache-control': 'public, max-age=600' }, 600],
    ['less the age', { 'cache-control': 'max-age=600', age: '500' }, 100],
    ['at least a minute', { 'cache-control': 'max-age=1' }, 60],
    ['a minute with no-store', { 'cache-control': 'no-store, max-age=600' }, 60],
    ['at most an hour', { 'cache-control': 'max-age=31536000' }, 3600],
  ])('%s', async (_name, headers, seconds) => {
    const source = await publish(respondWith(publicKeys(first), headers))
    const client = await newClient(source.uri)
    await authenticate(client, first)
    service.advance((seconds - 5) * 1000)
    await authenticate(client, first)
    expect(source.requests).toBe(1)
    service.advance(6_000)
    expect(await authenticate(client, first)).toBe(200)
    expect(source.requests).toBe(2)
  })
})

describe('keys are refused from a server that', () => {
  test.each<[string, Respond]>([
    ['responds with an error', (response) => response.writeHead(500).end('{}')],
    ['is huge', (response) => response.writeHead(200).end(`{"keys":[],"more":"${'x'.repeat(100_000)}"}`)],
    [
      'is endless',
      (response) => {
        response.writeHead(200)
        const more = setInterval(() => response.write('x'.repeat(10_000)), 5)
        response.on('close', () => clearInterval(more))
      },
    ],
    ['responds with no JSON', (response) => response.writeHead(200).end('<html>')],
    ['responds with null', (response) => response.writeHead(200).end('null')],
    ['responds without keys', (response) => response.writeHead(200).end('{"keys":{}}')],
    ['hangs up', (response) => response.destroy()],
    [
      'publishes the private key',
      (response) => response.writeHead(200).end(JSON.stringify({ keys: [first.privateJwk] })),
    ],
    [
      'publishes the key for encryption',
      (response) => response.writeHead(200).end(JSON.stringify({ keys: [{ ...first.publicJwk, use: 'enc' }] })),
    ],
  ])('%s', async (_name, respond) => {
    const source = await publish(respond)
    const client = await newClient(source.uri)
    expect(await authenticate(client, first)).toBe(401)
    expect(problems()).toEqual(['unknown_key'])
    // The failure is cached too.
    expect(await authenticate(client, first)).toBe(401)
    expect(source.requests).toBe(1)
    source.respond = respondWith(publicKeys(first))
    service.advance(31_000)
    expect(await authenticate(client, first)).toBe(200)
  })

  test('redirects, even to a place with the right keys', async () => {
    const right = await publish(respondWith(publicKeys(first)))
    const source = await publish((response) => response.writeHead(302, { location: right.uri }).end())
    const client = await newClient(source.uri)
    expect(await authenticate(client, first)).toBe(401)
    expect(right.requests).toBe(0)
  })

  test('is slow: the request ends after five seconds', async () => {
    const source = await publish(() => undefined)
    const client = await newClient(source.uri)
    const start = Date.now()
    expect(await Promise.all([authenticate(client, first), authenticate(client, first)])).toEqual([401, 401])
    expect(Date.now() - start).toBeLessThan(9_000)
    expect(source.requests).toBe(1)
  })
})

test('keys that are still valid survive a failure to fetch new ones', async () => {
  const source = await publish(respondWith(publicKeys(first)))
  const client = await newClient(source.uri)
  expect(await authenticate(client, first)).toBe(200)
  source.respond = (response) => response.writeHead(503).end()
  service.advance(31_000)
  expect(await authenticate(client, second)).toBe(401)
  expect(await authenticate(client, first)).toBe(200)
  service.advance(300_000)
  expect(await authenticate(client, first)).toBe(401)
})

test('keys for other purposes in the same set do no harm', async () => {
  const other: unknown[] = [
    { kty: 'oct', kid: 'x' },
    'text',
    null,
    { ...second.publicJwk, use: 'enc' },
    { kty: 'EC', crv: 'P-521' },
  ]
  const source = await publish(respondWith([...other, { ...first.publicJwk, x5u: 'https://a.example' }]))
  expect(await authenticate(await newClient(source.uri), first)).toBe(200)
})

test('of a long set only the first 50 keys are read', async () => {
  const fillers = Array.from({ length: 49 }, (_, index) => ({ ...second.publicJwk, kid: `filler-${index}` }))
  const source = await publish(respondWith([...fillers, ...publicKeys(first)]))
  expect(await authenticate(await newClient(source.uri), first)).toBe(200)
  const longer = await publish(respondWith([...fillers, { kty: 'oct' }, ...publicKeys(first)]))
  expect(await authenticate(await newClient(longer.uri), first)).toBe(401)
})

test('the tokens of a client end when its jwksUri changes', async () => {
  const source = await publish(respondWith(publicKeys(first)))
  const client = await newClient(source.uri)
  const { body } = await requestToken(url, await sign(first, claimsNow(client)))
  expect(await introspect(url, body.access_token)).toMatchObject({ active: true })
  await admin(url, `/api/admin/clients/${client.id}`, { jwksUri: `${source.uri}/new` }, 'PATCH')
  expect(await introspect(url, body.access_token)).toEqual({ active: false })
})

test('a private address gets no request unless the operator allows it', async () => {
  const source = await publish(respondWith(publicKeys(first)))
  const strict = await startDemoService()
  closers.push(() => strict.close())
  for (const jwksUri of [
    source.uri,
    source.uri.replace('http:', 'https:'),
    'https://[::1]/jwks',
    'https://10.0.0.1/k',
  ]) {
    await expect(newKeyClient(strict.url, { jwksUri })).rejects.toThrow('jwksUri')
  }
  // A name that resolves to a private address is refused when the keys are fetched.
  const { port } = new URL(source.uri)
  const client = await newKeyClient(strict.url, { jwksUri: `https://localhost:${port}/jwks` })
  const { status } = await requestToken(strict.url, await sign(first, validClaims(strict.url, client.clientId)))
  expect({ status, requests: source.requests }).toEqual({ status: 401, requests: 0 })
})

describe('the keys of a client are checked when they are set', () => {
  test.each<[string, (keys: { first: TestKey; second: TestKey }) => Promise<object> | object, string]>([
    ['a private key', ({ first }) => ({ jwks: { keys: [first.privateJwk] } }), 'private member d'],
    ['a symmetric key', () => ({ jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }), 'private member k'],
    ['no key', () => ({ jwks: { keys: [] } }), 'jwks.keys'],
    ['eleven keys', ({ first }) => ({ jwks: { keys: Array(11).fill(first.publicJwk) } }), 'jwks.keys'],
    [
      'the same kid twice',
      ({ first, second }) => ({ jwks: { keys: [first.publicJwk, { ...second.publicJwk, kid: 'first' }] } }),
      'different kids',
    ],
    [
      'the same key twice',
      ({ first }) => ({ jwks: { keys: [first.publicJwk, { ...first.publicJwk, kid: 'x' }] } }),
      'must be different',
    ],
    ['a short RSA key', () => ({ jwks: { keys: [{ kty: 'RSA', e: 'AQAB', n: `w${'A'.repeat(170)}` }] } }), 'bits'],
    ['an RSA key with the exponent 1', () => ({ jwks: { keys: [rsaJwk('AQ')] } }), 'exponent'],
    ['an RSA key with the exponent 3', () => ({ jwks: { keys: [rsaJwk('Aw')] } }), 'exponent'],
    ['an RSA key with a long exponent', () => ({ jwks: { keys: [rsaJwk(`AQ${'A'.repeat(60)}B`)] } }), 'exponent'],
    ['another curve', () => ({ jwks: { keys: [{ kty: 'EC', crv: 'P-384', x: 'AA', y: 'AA' }] } }), 'curve'],
    [
      'a point that is not on the curve',
      () => ({ jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] } }),
      'not a valid key',
    ],
    ['a key for encryption', ({ first }) => ({ jwks: { keys: [{ ...first.publicJwk, use: 'enc' }] } }), 'use sig'],
    [
      'an algorithm that does not fit',
      ({ first }) => ({ jwks: { keys: [{ ...first.publicJwk, alg: 'RS256' }] } }),
      'alg ES256',
    ],
    ['an unknown member', ({ first }) => ({ jwks: { keys: [{ ...first.publicJwk, secret: 'x' }] } }), 'unknown member'],
    ['text instead of a key', () => ({ jwks: { keys: ['key'] } }), 'jwks.keys'],
    [
      'both places',
      ({ first }) => ({ jwks: { keys: [first.publicJwk] }, jwksUri: 'https://app.example.com/k' }),
      'jwksUri',
    ],
    ['neither', () => ({}), 'jwks'],
    ['a URL with a password', () => ({ jwksUri: 'https://a:b@app.example.com/k' }), 'jwksUri'],
    ['a file', () => ({ jwksUri: 'file:///etc/passwd' }), 'jwksUri'],
    [
      'a key of a browser',
      ({ first }) => ({
        kind: 'SPA',
        redirectUris: ['https://a.example/cb'],
        scopes: ['openid'],
        jwks: { keys: [first.publicJwk] },
      }),
      'tokenEndpointAuthMethod',
    ],
    ['no authentication of a machine', () => ({ tokenEndpointAuthMethod: 'none' }), 'tokenEndpointAuthMethod'],
  ])('%s', async (_name, settings, message) => {
    await expect(newKeyClient(url, await settings({ first, second }))).rejects.toThrow(message)
  })

  test('the last key cannot be removed while it is needed', async () => {
    const client = await newKeyClient(url, { jwks: { keys: [first.publicJwk] } })
    const change = (body: object) => admin(url, `/api/admin/clients/${client.id}`, body, 'PATCH')
    await expect(change({ jwks: null })).rejects.toThrow('required')
    await change({ jwks: null, jwksUri: 'https://app.example.com/jwks' })
    await change({ jwksUri: null, tokenEndpointAuthMethod: 'client_secret' })
  })
})
