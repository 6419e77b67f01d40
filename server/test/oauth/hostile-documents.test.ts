import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { authorize, signIn, startDemoService } from '../support/world.ts'
import {
  documentConfig,
  documentOf,
  openConsent,
  type Publisher,
  REDIRECT,
  REDIRECT_WITH_PORT,
  type Respond,
  respondWith,
  startPublisher,
} from './document-clients.ts'

// Documents and client ids that somebody made to do harm. Each is refused with a page that says why, and a log line.

let service: TestService
let publisher: Publisher
let url: string
let cookie: string

beforeAll(async () => {
  publisher = await startPublisher()
  service = await startDemoService({ config: documentConfig() })
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
})
afterAll(async () => {
  await service?.close()
  publisher.close()
})
beforeEach(async () => {
  service.logs.length = 0
  // The limit of requests for one network is tested elsewhere.
  await sql`delete from throttle`.execute(service.ctx.db)
})

const raw =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)

/** A document with these changes. */
const draft =
  (changes: object, headers: Record<string, string> = {}) =>
  (clientId: string): Respond =>
    respondWith(documentOf(clientId, changes), headers)

const redirects = (...redirect_uris: unknown[]) => draft({ redirect_uris })

type Hostile = [name: string, respond: (clientId: string) => Respond, problem: string]

const REDIRECT_PROBLEM = 'has a redirect URI that '

const HOSTILE_DOCUMENTS: Hostile[] = [
  // The transport.
  ['redirects to a good one', () => (r) => r.writeHead(302, { location: good }).end(), 'has the status 302'],
  ['redirects to the network', () => (r) => r.writeHead(301, { location: 'http://10.0.0.1/' }).end(), 'status 301'],
  ['is missing', () => raw('{}', {}, 404), 'has the status 404'],
  ['is good, with an error status', (id) => raw(JSON.stringify(documentOf(id)), {}, 500), 'has the status 500'],
  ['has the status 206', (id) => raw(JSON.stringify(documentOf(id)), {}, 206), 'has the status 206'],
  ['hangs up', () => (response) => response.destroy(), 'cannot be fetched'],
  ['breaks off', () => breakingOff, 'cannot be fetched'],
  ['is huge', draft({ client_name: 'x'.repeat(100_000) }), 'is longer than 5120 bytes'],
  ['is a byte too long', (id) => raw(JSON.stringify(documentOf(id)).padEnd(5121)), 'is longer than 5120 bytes'],
  ['lies about its length', () => raw('{'.repeat(9_000), { 'transfer-encoding': 'chunked' }), 'is longer than 5120'],
  ['never ends', () => endless('x'.repeat(1_000)), 'is longer than 5120 bytes'],
  ['is HTML', (id) => raw(JSON.stringify(documentOf(id)), { 'content-type': 'text/html' }), 'application/json'],
  ['has no type', (id) => (r) => r.writeHead(200).end(JSON.stringify(documentOf(id))), 'application/json'],
  ['has a similar type', draft({}, { 'content-type': 'application/json-seq' }), 'application/json'],
  [
    'is a gzip bomb',
    () => raw(gzipSync(Buffer.alloc(2_000_000, ' ')), { 'content-encoding': 'gzip' }),
    'is compressed',
  ],
  ['is encoded as br', draft({}, { 'content-encoding': 'br' }), 'is compressed'],
  // JSON.
  ['is not JSON', () => raw('client_id=x'), 'is not valid JSON'],
  ['is empty', () => raw(''), 'is not valid JSON'],
  ['is not UTF-8', () => raw(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])), 'is not valid UTF-8'],
  ['is UTF-16', (id) => raw(Buffer.from(JSON.stringify(documentOf(id)), 'utf16le')), 'is not valid JSON'],
  ['is a list', (id) => respondWith([documentOf(id)]), 'is not a JSON object'],
  ['is null', () => raw('null'), 'is not a JSON object'],
  ['is a text', () => raw('"client"'), 'is not a JSON object'],
  ['is nested deeply', () => raw(`{"a":${'['.repeat(2_000)}${']'.repeat(2_000)}}`), 'nested deeper'],
  [
    'has two client ids',
    (id) => raw(`{"client_id":"https://bank.example/c",${JSON.stringify(documentOf(id)).slice(1)}`),
    'names a key twice',
  ],
  ['has __proto__', (id) => raw(`{"__proto__":{},${JSON.stringify(documentOf(id)).slice(1)}`), 'not allowed'],
  ['has a NUL', draft({ client_name: 'Bank\0' }), 'not allowed'],
  // The client.
  ['is of another client', draft({ client_id: 'https://bank.example/client.json' }), 'its own URL as client_id'],
  ['has a client_id with a slash more', (id) => respondWith(documentOf(id, { client_id: `${id}/` })), 'its own URL'],
  ['has a client_id in capitals', (id) => respondWith(documentOf(id, { client_id: id.toUpperCase() })), 'its own URL'],
  ['has no client_id', draft({ client_id: undefined }), 'its own URL as client_id'],
  ['has a list as client_id', (id) => respondWith(documentOf(id, { client_id: [id] })), 'its own URL as client_id'],
  ['has a secret', draft({ client_secret: 'secret' }), 'has a client_secret'],
  ['has a secret that expires', draft({ client_secret_expires_at: 0 }), 'has a client_secret_expires_at'],
  ['uses client_secret_basic', draft({ token_endpoint_auth_method: 'client_secret_basic' }), 'auth_method'],
  ['uses client_secret_post', draft({ token_endpoint_auth_method: 'client_secret_post' }), 'auth_method'],
  ['uses client_secret_jwt', draft({ token_endpoint_auth_method: 'client_secret_jwt' }), 'auth_method'],
  ['has a list of methods', draft({ token_endpoint_auth_method: ['none'] }), 'auth_method'],
  ['wants tokens from the URL', draft({ response_types: ['token'] }), 'does not have code among its response_types'],
  ['wants client credentials', draft({ grant_types: ['client_credentials'] }), 'among its grant_types'],
  ['has a text as grant types', draft({ grant_types: 'authorization_code' }), 'among its grant_types'],
  ['has a name of several lines', draft({ client_name: 'Bank\nis safe' }), 'not a line of text'],
  ['has a name that changes direction', draft({ client_name: 'knaB\u202e' }), 'not a line of text'],
  ['has an object as name', draft({ client_name: { en: 'Bank' } }), 'not a line of text'],
  ['has an invisible name', draft({ client_name: '\u3164' }), 'client_name that is empty'],
  ['has an endless name', draft({ client_name: 'x'.repeat(121) }), 'client_name that is empty or too long'],
  // The redirect URIs.
  ['has no redirect URIs', draft({ redirect_uris: undefined }), 'has no redirect_uris'],
  ['has an empty list', redirects(), 'has no redirect_uris'],
  ['has a text as redirect URIs', draft({ redirect_uris: REDIRECT }), 'has no redirect_uris'],
  ['has 51 redirect URIs', redirects(...Array.from({ length: 51 }, (_, n) => `${REDIRECT}/${n}`)), 'more than 50'],
  ['has an object among them', redirects(REDIRECT, {}), 'redirect_uris that are not texts'],
  ['has javascript: among them', redirects(REDIRECT, 'javascript:alert(1)'), REDIRECT_PROBLEM],
  ['has JaVaScRiPt: among them', redirects(REDIRECT, 'JaVaScRiPt://127.0.0.1/%0aalert(1)'), REDIRECT_PROBLEM],
  ['has data: among them', redirects(REDIRECT, 'data:text/html,x'), REDIRECT_PROBLEM],
  ['has file: among them', redirects(REDIRECT, 'file:///etc/passwd'), REDIRECT_PROBLEM],
  ['has http beyond this computer', redirects(REDIRECT, 'http://app.example.com/cb'), 'must start with https://'],
  ['has http on a private address', redirects(REDIRECT, 'http://10.0.0.1/cb'), 'must start with https://'],
  ['has a host that looks local', redirects(REDIRECT, 'http://127.0.0.1.evil.example/cb'), 'must start with https://'],
  ['has a fragment', redirects(REDIRECT, 'https://app.example.com/cb#x'), 'must not have a fragment'],
  ['has a user', redirects(REDIRECT, 'https://127.0.0.1@evil.example/cb'), 'must not name a user'],
  ['has a wildcard', redirects(REDIRECT, 'https://*.example.com/cb'), 'without a wildcard'],
  ['has a backslash', redirects(REDIRECT, 'https://app.example.com\\@evil.example/'), REDIRECT_PROBLEM],
  ['has a host in decimal', redirects(REDIRECT, 'http://2130706433/cb'), REDIRECT_PROBLEM],
  ['has a line break', redirects(REDIRECT, 'https://app.example.com/\r\nSet-Cookie:x'), REDIRECT_PROBLEM],
  ['has no absolute one', redirects('/callback'), REDIRECT_PROBLEM],
  ['has only ones of others', redirects('https://bank.example/cb'), 'no redirect URI of its own origin'],
  ['has only private schemes', redirects('com.bank.app:/cb'), 'no redirect URI of its own origin'],
]

let good = ''
beforeAll(() => {
  good = publisher.publishDocument()
})

const breakingOff: Respond = (response) => {
  response.writeHead(200, { 'content-length': '500' }).write('{')
  response.destroy()
}

function endless(chunk: string): Respond {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = setInterval(() => response.write(chunk), 5)
    response.on('close', () => clearInterval(more))
  }
}

const start = (clientId: string, at = url) =>
  authorize(at, cookie, { client_id: clientId, redirect_uri: REDIRECT_WITH_PORT })

const textOf = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')

async function expectRefusal(clientId: string, problem: string): Promise<void> {
  const { response, location } = await start(clientId)
  expect({ status: response.status, location }).toEqual({ status: 400, location: '' })
  expect(textOf(await response.text())).toContain(problem)
  const refusals = service.logs.filter(({ msg }) => msg === 'request refused')
  expect(refusals).toMatchObject([{ error: 'invalid_request', reason: expect.stringContaining(problem) }])
}

describe('a document is refused that', () => {
  test('the catalog has at least 30, with different names', () => {
    const names = HOSTILE_DOCUMENTS.map(([name]) => name)
    expect(names.length).toBeGreaterThanOrEqual(30)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(HOSTILE_DOCUMENTS)('%s', async (_name, respond, problem) => {
    const clientId = publisher.publish(() => undefined)
    publisher.change(clientId, respond(clientId))
    await expectRefusal(clientId, problem)
    expect(service.logs.filter(({ msg }) => msg === 'the document of a client cannot be used')).toHaveLength(1)
    expect(publisher.requestsFor(clientId)).toBe(1)
    const stored = await service.ctx.db.selectFrom('clients').select('id').where('client_id', '=', clientId).execute()
    expect(stored).toEqual([])
  })

  test('drips: the request ends after five seconds', async () => {
    const clientId = publisher.publish(endless(' '))
    const silent = publisher.publish(() => undefined)
    const startedAt = Date.now()
    await Promise.all([
      start(clientId).then(({ response }) => expect(response.status).toBe(400)),
      start(silent).then(({ response }) => expect(response.status).toBe(400)),
    ])
    expect(Date.now() - startedAt).toBeLessThan(9_000)
  })
})

describe('a client id is refused without a request that', () => {
  test.each<[string, (good: string) => string, string]>([
    ['is the root of a host', (id) => `${new URL(id).origin}/`, 'must have a path'],
    ['has no path', (id) => new URL(id).origin, 'must have a path'],
    ['has a query', (id) => `${id}?x=1`, 'must not have a query'],
    ['has an empty query', (id) => `${id}?`, 'must not have a query'],
    ['has a fragment', (id) => `${id}#x`, 'must not have a fragment'],
    ['has an empty fragment', (id) => `${id}#`, 'must not have a fragment'],
    ['has a user', (id) => id.replace('127', 'user@127'), 'must not name a user'],
    ['has a password', (id) => id.replace('127', ':pass@127'), 'must not name a user'],
    ['has dot segments', (id) => id.replace('/clients', '/x/../clients'), 'the usual way'],
    ['has a single dot', (id) => id.replace('/clients', '/./clients'), 'the usual way'],
    ['has encoded dot segments', (id) => id.replace('/clients', '/x/%2e%2e/clients'), 'the usual way'],
    ['has capitals in the scheme', (id) => id.replace('http', 'HTTP'), 'the usual way'],
    ['has capitals in the host', () => 'https://APP.example.com/c', 'the usual way'],
    ['has the default port', () => 'https://app.example.com:443/c', 'the usual way'],
    ['has its host in decimal', (id) => id.replace('127.0.0.1', '2130706433'), 'the usual way'],
    ['has a backslash', (id) => id.replace('/clients', '\\clients'), 'the usual way'],
    ['has a space', (id) => `${id} x`, 'must be an absolute address'],
    ['has a line break', (id) => `${id}\n`, 'must be an absolute address'],
    ['has letters of another script', () => 'https://b\u0430nk.example/c', 'must be an absolute address'],
    [
      'has a host whose end would not be shown',
      () => `https://accounts.example.com.${'x'.repeat(60)}.${'x'.repeat(60)}.evil.test/c`,
      'must have a host of at most 120 characters',
    ],
    ['is too long', (id) => id + 'x'.repeat(250), 'must have at most 250 characters'],
    ['is the metadata service of a cloud', () => 'http://169.254.169.254/latest', 'not public'],
    ['is a private address', () => 'https://10.0.0.1/c', 'not public'],
    ['is a private address in IPv6', () => 'https://[fd00::1]/c', 'not public'],
    ['is a private address within IPv6', () => 'https://[::ffff:10.0.0.1]/c', 'not public'],
  ])('%s', async (_name, change, problem) => {
    const before = publisher.requestsFor(good)
    await expectRefusal(change(good), problem)
    expect(publisher.requestsFor(good)).toBe(before)
  })
})

test('a good document is accepted, so the others are refused for what they change', async () => {
  await openConsent(service, cookie, { client_id: good })
})

test('in production only https is accepted, and a name of a private address gets no request', async () => {
  const strict = await startDemoService({
    config: { clientDocuments: { mode: 'on', allowedHosts: [], deniedHosts: [] } },
  })
  try {
    const { port } = new URL(good)
    for (const [clientId, problem] of [
      [good, 'must start with https://'],
      [`https://127.0.0.1:${port}/clients/1`, 'not public'],
      // The name resolves to a private address. The page does not say so, because that would map the network.
      [`https://localhost:${port}/clients/1`, 'cannot be fetched'],
    ] as const) {
      const before = publisher.requestsFor(good)
      const { response } = await start(clientId, strict.url)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(problem)
      expect(publisher.requestsFor(good)).toBe(before)
    }
  } finally {
    await strict.close()
  }
})
