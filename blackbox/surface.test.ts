import { expect, inject, test } from 'vitest'

const base = inject('baseUrl')

test('the service is live and ready', async () => {
  expect((await fetch(`${base}/health/live`)).status).toBe(200)
  expect((await fetch(`${base}/health/ready`)).status).toBe(200)
})

test.each([
  '/nope',
  '/api/nope',
  '/api/./health/live/x',
  '/API/health',
  '/health/live/',
  '//health/live',
  '/health/live;x',
  '/health%2flive',
])('the unknown path %s is a JSON 404 in the documented format (T007, T162)', async (path) => {
  const response = await fetch(base + path)
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({
    statusCode: 404,
    error: 'NOT_FOUND',
    message: expect.any(String),
    requestId: response.headers.get('x-request-id'),
  })
})

test.each(['PUT', 'PATCH', 'DELETE', 'POST'])('%s on a known path is 405 and never 5xx (T007)', async (method) => {
  const response = await fetch(`${base}/health/live`, { method })
  expect(response.status).toBe(405)
  expect(await response.json()).toMatchObject({ statusCode: 405, error: 'METHOD_NOT_ALLOWED' })
})

// The API description is the same for everybody, so a browser may keep it and ask whether it has changed.
test.each([
  ['/', 'no-store'],
  ['/docs', 'no-cache'],
  ['/health/live', 'no-store'],
  ['/nope', 'no-store'],
  ['/metrics', 'no-store'],
  ['/openapi.json', 'no-cache'],
])('%s has the security headers (T008)', async (path, caching) => {
  const { headers } = await fetch(base + path)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('cache-control')).toBe(caching)
})

test('spoofed host headers do not change a response (T002)', async () => {
  const plain = await (await fetch(`${base}/openapi.json`)).text()
  const headers = {
    'X-Forwarded-Host': 'evil.test',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Port': '666',
    Forwarded: 'host=evil.test;proto=https',
  }
  expect(await (await fetch(`${base}/openapi.json`, { headers })).text()).toBe(plain)
})

test.each(['?x=%ff', '?x=%c0%af', '?x=%ZZ', '?x=%00'])('the malformed query %s is 400 (T157, T159)', async (query) => {
  const response = await fetch(`${base}/health/live${query}`)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: 'INVALID_REQUEST' })
})

test('a URL of 64 KB is refused and the next request is answered (T160)', async () => {
  const { status } = await fetch(`${base}/${'x'.repeat(65_536)}`)
  expect([414, 431]).toContain(status)
  expect((await fetch(`${base}/health/live`)).status).toBe(200)
})

test('operational routes reveal neither the database, its version nor a path of the host (T172)', async () => {
  for (const path of ['/health/ready', '/metrics', '/openapi.json', '/docs', '/nope']) {
    const text = await (await fetch(base + path)).text()
    expect(text).not.toMatch(/postgres(?:ql)? ?\d|\.s\.PGSQL|node_modules|\n\s+at /i)
  }
})
