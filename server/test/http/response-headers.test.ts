import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleRoutes } from '../support/sample-routes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ routes: sampleRoutes })
})
afterAll(() => service.close())

/** The raw header lines of a response, including duplicates. */
function headOf(path: string, lines: string[] = []): Promise<string[]> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...lines].join('\r\n')
  return new Promise((resolve, reject) => {
    let received = ''
    socket.setEncoding('latin1').on('data', (text) => {
      received += text
    })
    socket.on('error', reject)
    socket.on('end', () => resolve((received.split('\r\n\r\n')[0] ?? '').split('\r\n').slice(1)))
    socket.write(`${head}\r\n\r\n`)
  })
}

const valuesOf = (head: string[], name: string) =>
  head.filter((line) => line.toLowerCase().startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim())

const UNIQUE_HEADERS = [
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'content-security-policy',
  'cache-control',
  'x-request-id',
]

test.each([
  ['/health/live', 'JSON'],
  ['/.well-known/openid-configuration', 'a cacheable document'],
  ['/api/oauth/jwks', 'the keys'],
  ['/docs', 'a page'],
  ['/assets/nothing', 'a 404'],
  ['/api/users/me', 'a 401'],
  ['/sample/broken', 'an internal error'],
  ['/%zz', 'an invalid URL'],
  ['//', 'an empty path'],
])('%s (%s) has no duplicate headers', async (path) => {
  const head = await headOf(path)
  for (const name of UNIQUE_HEADERS) expect(valuesOf(head, name), name).toHaveLength(1)
})

test('headers of a route replace the default headers', async () => {
  const document = await headOf('/.well-known/openid-configuration')
  expect(valuesOf(document, 'cache-control')).toEqual(['public, max-age=300'])
  expect(valuesOf(document, 'cross-origin-resource-policy')).toEqual(['cross-origin'])
  const page = await headOf('/docs')
  expect(valuesOf(page, 'content-security-policy')[0]).toContain("style-src 'self'")
  expect(valuesOf(page, 'cross-origin-opener-policy')).toEqual(['unsafe-none'])
})

test('the response and the log line have the same request id', async () => {
  const [id] = valuesOf(await headOf('/health/live?asked'), 'x-request-id')
  const line = service.logs.find(({ reqId, msg }) => reqId === id && msg === 'request')
  expect(line).toMatchObject({
    level: 30,
    method: 'GET',
    route: '/health/live',
    status: 200,
    ip: '127.0.0.1',
  })
  expect(line?.ms).toBeTypeOf('number')
  expect(Date.parse(String(line?.time))).not.toBeNaN()
})

test('a request with two Authorization headers is rejected', async () => {
  const twice = ['Authorization: Bearer a.b.c', 'authorization: Bearer a.b.c']
  expect(valuesOf(await headOf('/api/oauth/userinfo', twice), 'www-authenticate')[0]).toContain('invalid_token')
})

test('a response has the keep-alive timeout, unless the connection is closed', async () => {
  for (const path of ['/docs', '/api/users/me', ...Array(3).fill('/api/oauth/jwks')]) {
    const { headers } = await fetch(service.url + path)
    expect(headers.get('connection')).toBe('keep-alive')
    expect(headers.get('keep-alive')).toBe('timeout=75')
  }
  const last = await headOf('/api/oauth/jwks')
  expect(valuesOf(last, 'connection')).toEqual(['close'])
  expect(valuesOf(last, 'keep-alive')).toEqual([])
})
