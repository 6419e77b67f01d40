import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleRoutes } from '../support/sample-routes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ routes: sampleRoutes })
})
afterAll(() => service.close())

describe('a query', () => {
  const get = async (query: string) => {
    const response = await fetch(`${service.url}/sample/notes/1${query}`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('is parsed by the types of its schema', async () => {
    expect(await get('?page=3')).toEqual({ status: 200, body: { id: '1', page: 3 } })
    expect(await get('')).toEqual({ status: 200, body: { id: '1', page: 1 } })
  })

  test.each([
    ...['0x10', '0b11', '0o7', '1e1', '1E1', '1.0', '1.', '.5e1', '+3', '%203', '3%20', '3%0A', '03', '1_0'],
    ...['', 'NaN', 'Infinity', 'null', 'true', '%EF%BC%93', '3,4', '9'.repeat(400)],
  ])('accepts numbers in decimal digits only, not %j (T124)', async (page) => {
    expect(await get(`?page=${page}`)).toMatchObject({
      status: 422,
      body: { error: 'VALIDATION_FAILED', details: [{ field: 'page' }] },
    })
  })

  test('with an incomplete percent escape is 400', async () => {
    expect(await get('?x=%')).toMatchObject({ status: 400, body: { error: 'INVALID_REQUEST' } })
  })
})

describe('a URL', () => {
  const status = async (path: string, init?: RequestInit) => (await fetch(service.url + path, init)).status

  test('without a GET route is a JSON 404 or 405', async () => {
    const response = await fetch(`${service.url}/sample/notes`)
    expect([404, 405]).toContain(response.status)
    expect(await response.json()).toMatchObject({
      statusCode: response.status,
      requestId: expect.any(String),
    })
  })

  test('with an invalid percent escape is a JSON 400', async () => {
    expect(await status('/sample/notes/%ff')).toBe(400)
    const { status: code, headers } = await fetch(`${service.url}/%ZZ`)
    expect(code).toBe(400)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-request-id')).toBeTruthy()
  })

  test('with NUL in a parameter reaches its route with U+FFFD instead; NUL elsewhere is 404', async () => {
    const response = await fetch(`${service.url}/sample/notes/a%00b`)
    expect(await response.json()).toMatchObject({ id: '\ufffd' })
    expect(await status('/sample/%00')).toBe(404)
    expect(await status('/health/live%00')).toBe(404)
  })

  test('with a fragment is rejected', async () => {
    expect(await sendRaw('GET /sample/notes/1#page=7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 /,
    )
  })

  test('with an unknown method is a 4xx', async () => {
    expect(await sendRaw('QUERY /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1.1 4/)
  })

  test('with a very long parameter reaches its route', async () => {
    expect(await status(`/sample/notes/${'x'.repeat(5_000)}`)).toBe(200)
  })

  test('of 64 KB is 431, and the next request succeeds', async () => {
    expect(await status(`/${'x'.repeat(65_536)}`)).toBe(431)
    expect(await status('/health/live')).toBe(200)
  })

  test('with an unsupported method is 405 with an Allow header', async () => {
    const response = await fetch(`${service.url}/sample/notes/1`, { method: 'PUT' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, DELETE, HEAD')
    expect(await response.json()).toMatchObject({ error: 'METHOD_NOT_ALLOWED' })
  })

  test('with TRACE, and input that is not HTTP, is rejected with a 4xx', async () => {
    expect(await sendRaw('TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 (404|405|400)/,
    )
    expect(await sendRaw('rubbish\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
  })

  async function sendRaw(text: string): Promise<string> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.end(text)
    let response = ''
    for await (const chunk of socket) response += chunk
    return response
  }
})
