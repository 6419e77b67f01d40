import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const get = async (path: string) => {
  const response = await fetch(service.url + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('health', () => {
  test('is live and ready while the database answers', async () => {
    expect(await get('/health/live')).toMatchObject({ status: 200, text: '{"status":"ok"}' })
    expect(await get('/health/ready')).toMatchObject({ status: 200, text: '{"status":"ok"}' })
  })

  test('is live but not ready without the database', async () => {
    const lonely = await startService()
    await lonely.connection.close()
    const ready = await fetch(`${lonely.url}/health/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toBe('{"status":"unavailable"}')
    expect((await fetch(`${lonely.url}/health/live`)).status).toBe(200)
    await lonely.close()
  })

  test('is not ready while draining', async () => {
    service.ctx.state.draining = true
    const response = await get('/health/ready')
    service.ctx.state.draining = false
    expect(response).toMatchObject({ status: 503, text: '{"status":"draining"}' })
    expect(response.headers.get('connection')).toBe('close')
  })
})

test('metrics count requests by route and reveal nothing about the database server', async () => {
  await get('/health/live')
  const { status, headers, text } = await get('/metrics')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/plain')
  expect(text).toMatch(/latchkey_http_requests_total\{method="GET",route="\/health\/live",status="200"\} \d+/)
  expect(text).toContain('latchkey_http_request_seconds_bucket')
  expect(text).not.toMatch(/postgres|latchkey_template|\/tmp\//i)
})

test('the API description is OpenAPI 3.1 with the base URL as server', async () => {
  const { headers, text } = await get('/openapi.json')
  expect(headers.get('content-type')).toContain('application/json')
  const document = JSON.parse(text) as { openapi: string; servers: unknown; paths: Record<string, unknown> }
  expect(document.openapi).toBe('3.1.0')
  expect(document.servers).toEqual([{ url: service.url }])
  expect(Object.keys(document.paths)).toContain('/health/ready')
})

test.each(['/', '/dev/mailbox'])('the page %s loads no external resources and runs no script', async (path) => {
  const { status, headers, text } = await get(path)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  expect(text).not.toMatch(/<script|(?:src|href)="(?:https?:)?\/\//)
})

test('the files of a page are compressed for browsers, and the same without', async () => {
  const html = await (await fetch(`${service.url}/login`)).text()
  const paths = [...new Set([...html.matchAll(/"(\/assets\/[\w-]+\.(?:css|js))"/g)].map(([, path]) => path))]
  expect(paths.length).toBeGreaterThan(3)
  for (const path of paths) {
    const load = (encoding: string) => fetch(`${service.url}${path}`, { headers: { 'accept-encoding': encoding } })
    const [compressed, plain] = await Promise.all([load('gzip, br'), load('identity')])
    expect([compressed, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['br', null])
    for (const { headers } of [compressed, plain]) expect(headers.get('vary')).toBe('Accept-Encoding')
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')))
    expect(await compressed.text()).toBe(await plain.text())
  }
})

test('the stylesheet is cached forever, because its URL contains its hash', async () => {
  const path = /href="(\/assets\/style-[0-9a-f]+\.css)"/.exec((await get('/')).text)?.[1] ?? ''
  const { status, headers } = await get(path)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('public, max-age=31536000')
})

describe('the typeface', () => {
  const fontsIn = (text: string) => [...text.matchAll(/\/assets\/fonts\/[\w.-]+/g)].map(([path]) => path)

  test('is served by this service, at addresses with the hash of the content, and cached forever', async () => {
    const style = /href="(\/assets\/style-[0-9a-f]+\.css)"/.exec((await get('/')).text)?.[1] ?? ''
    const paths = fontsIn((await get(style)).text)
    expect(paths).toHaveLength(2)
    let bytes = 0
    for (const path of paths) {
      const response = await fetch(service.url + path)
      const body = Buffer.from(await response.arrayBuffer())
      expect(response.headers.get('content-type')).toBe('font/woff2')
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(path).toContain(createHash('sha256').update(body).digest('hex').slice(0, 12))
      bytes += body.length
    }
    expect(bytes).toBeLessThan(60_000)
  })

  test('is preloaded by hosted pages and by the console, which name the same file', async () => {
    const [page, console] = await Promise.all([get('/login'), get('/console')])
    const [font] = fontsIn(page.text)
    expect(page.text).toMatch(/<link rel="preload" href="[^"]+" as="font" type="font\/woff2" crossorigin/)
    expect(page.headers.get('content-security-policy')).toContain("font-src 'self'")
    expect(fontsIn(console.text)).toEqual([font])
  })

  test('has no file under another name', async () => {
    expect((await get('/assets/fonts/OFL.txt')).status).toBe(404)
    expect((await get('/assets/fonts/..%2Fstyle.css')).status).toBe(404)
  })
})

test.each([
  ['/favicon.svg', 'image/svg+xml'],
  ['/favicon.ico', 'image/x-icon'],
  ['/apple-touch-icon.png', 'image/png'],
])('the icon %s is served, and named by every page', async (path, type) => {
  const { status, headers } = await get(path)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe(type)
  expect(headers.get('cache-control')).toBe('public, max-age=86400')
  for (const page of ['/login', '/console']) expect((await get(page)).text).toContain(`href="${path}"`)
})
