import { connect } from 'node:net'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { defineRoute } from '../../src/http/define-route.ts'
import { startService, type TestService } from '../support/service.ts'

const Note = Type.Object({
  title: Type.String({ minLength: 1, maxLength: 20 }),
  stars: Type.Optional(Type.Integer({ minimum: 1 })),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

const sampleRoutes = [
  defineRoute({
    method: 'POST',
    path: '/sample/notes',
    tag: 'Sample',
    summary: 'Gives back what it was given',
    caller: 'anyone',
    body: Note,
    reply: { 201: Note },
    handler: (_ctx, { body }) => ({ ...body, secret: 'never leaves the house' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/notes/:id',
    tag: 'Sample',
    summary: 'Reads the query as numbers',
    caller: 'anyone',
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) }),
    reply: { 200: Type.Object({ id: Type.String(), page: Type.Integer() }) },
    handler: (_ctx, { params, query }) => ({ id: params.id, page: query.page }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/sample/notes/:id',
    tag: 'Sample',
    summary: 'Takes no body',
    caller: 'anyone',
    reply: { 200: Type.Object({ success: Type.Boolean() }) },
    handler: () => ({ success: true }),
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/broken',
    tag: 'Sample',
    summary: 'Fails by mistake',
    caller: 'anyone',
    reply: { 200: Type.Object({}) },
    handler: () => {
      throw new Error('select * from secrets; password=hunter2')
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/away',
    tag: 'Sample',
    summary: 'Finds the database away',
    caller: 'anyone',
    reply: { 200: Type.Object({}) },
    handler: () => {
      throw Object.assign(new Error('terminating connection'), { code: '57P01' })
    },
  }),
]

let service: TestService
beforeAll(async () => {
  service = await startService({ routes: sampleRoutes })
})
afterAll(() => service.close())

const JSON_HEADERS = { 'content-type': 'application/json' }

async function post(body: BodyInit | undefined, headers: Record<string, string> = JSON_HEADERS) {
  const response = await fetch(`${service.url}/sample/notes`, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('a request body', () => {
  test('is answered with the declared status and only the declared fields', async () => {
    expect(await post(JSON.stringify({ title: 'a', stars: 2, admin: true }))).toEqual({
      status: 201,
      body: { title: 'a', stars: 2 },
    })
  })

  test.each([
    ['truncated', '{"title":"a"'],
    ['empty', ''],
    ['a bare word', 'hello'],
    ['a key given twice', '{"title":"a","title":"b"}'],
    ['a key given twice, once escaped', '{"title":"a","\\u0074itle":"b"}'],
    ['nested too deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('that is %s is 400 INVALID_REQUEST', async (_name, body) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      statusCode: 400,
      error: 'INVALID_REQUEST',
      message: expect.any(String),
      requestId: expect.any(String),
    })
  })

  test.each([
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    [
      'overlong UTF-8',
      Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    ],
  ])('in %s is 400 INVALID_REQUEST', async (_name, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error: 'INVALID_REQUEST' } })
  })

  test.each([
    ['NUL in a value', '{"title":"a\\u0000"}', 'title'],
    ['NUL in a key', '{"title":"a","extra":{"a\\u0000":1}}', 'extra'],
    ['a lone high surrogate', '{"title":"\\ud800"}', 'title'],
    ['a lone low surrogate', '{"title":"\\udc00x"}', 'title'],
    ['a prototype key', '{"title":"a","extra":{"__proto__":{"role":"owner"}}}', 'extra'],
    ['a top-level array', '[]', 'body'],
    ['a top-level null', 'null', 'body'],
    ['a top-level string', '"a"', 'body'],
    ['a number for text', '{"title":5}', 'title'],
    ['text for a number', '{"title":"a","stars":"5"}', 'stars'],
    ['a number beyond all bounds', '{"title":"a","stars":1e999}', 'stars'],
    ['a missing field', '{"stars":5}', 'title'],
    ['an empty title', '{"title":""}', 'title'],
    ['a long title', `{"title":"${'x'.repeat(21)}"}`, 'title'],
  ])('with %s is 422 and names the field', async (_name, body, field) => {
    const answer = await post(body)
    expect(answer).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
    expect(answer.body.details).toEqual([{ field, message: expect.any(String) }])
  })

  test('may hold any real character', async () => {
    expect(await post(JSON.stringify({ title: '💙 é ﷺ "\\' }))).toMatchObject({ status: 201 })
  })

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=utf-7'],
    ['application/json; charset=utf-16'],
    ['application/json\t;x'],
    ['application/jsonx'],
    ['multipart/form-data; boundary=x'],
    ['nonsense'],
  ])('sent as %s is 415', async (type) => {
    expect(await post('{"title":"a"}', { 'content-type': type })).toMatchObject({
      status: 415,
      body: { error: 'UNSUPPORTED_MEDIA_TYPE' },
    })
  })

  test('sent without a media type is 415, and compressed is 415', async () => {
    expect(await post(Buffer.from('{"title":"a"}'), {})).toMatchObject({ status: 415 })
    const headers = { ...JSON_HEADERS, 'content-encoding': 'gzip' }
    expect(await post(Buffer.from('{"title":"a"}'), headers)).toMatchObject({ status: 415 })
  })

  test.each([['application/json; charset=utf-8'], ['Application/JSON;charset=UTF-8']])(
    'sent as %s is read',
    async (type) => {
      expect(await post('{"title":"a"}', { 'content-type': type })).toMatchObject({ status: 201 })
    },
  )

  test('that is absent is 422', async () => {
    expect(await post(undefined, {})).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
  })

  test('of 50 MB is 413, and the next request is answered', async () => {
    expect(await post(Buffer.alloc(50 * 1024 * 1024, 'x'))).toMatchObject({
      status: 413,
      body: { error: 'PAYLOAD_TOO_LARGE' },
    })
    expect(await post('{"title":"a"}')).toMatchObject({ status: 201 })
  })

  test('of 50 MB in chunks is 413', async () => {
    const chunk = new Uint8Array(1024 * 1024)
    let left = 50
    const stream = new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
    })
    const response = await fetch(`${service.url}/sample/notes`, {
      method: 'POST',
      headers: JSON_HEADERS,
      body: stream,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
  })

  test('with too many values is 400, and with a long string 422', async () => {
    const extra = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, i]))
    expect(await post(JSON.stringify({ title: 'a', extra }))).toMatchObject({ status: 400 })
    expect(await post(`{"title":"a","extra":{"x":[${'{},'.repeat(300_000)}{}]}}`)).toMatchObject({
      status: 400,
    })
    expect(await post(JSON.stringify({ title: 'x'.repeat(1_000_000) }))).toMatchObject({ status: 422 })
  })

  test('with many problems lists the first twenty', async () => {
    const tags = Array.from({ length: 5_000 }, () => '')
    const { status, body } = await post(JSON.stringify({ title: 'a', tags }))
    expect(status).toBe(422)
    expect(body.details).toHaveLength(20)
  })

  test('that is broken off leaves no alarm in the log', async () => {
    const before = service.logs.length
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.write(
      'POST /sample/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"ti',
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(service.logs.slice(before).filter(({ level }) => Number(level) >= 50)).toEqual([])
  })

  test('to a route that takes none is ignored', async () => {
    const response = await fetch(`${service.url}/sample/notes/1`, {
      method: 'DELETE',
      headers: JSON_HEADERS,
      body: '{not json',
    })
    expect(response.status).toBe(200)
  })
})

describe('a query', () => {
  const get = async (query: string) => {
    const response = await fetch(`${service.url}/sample/notes/1${query}`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('is read as what its schema says', async () => {
    expect(await get('?page=3')).toEqual({ status: 200, body: { id: '1', page: 3 } })
    expect(await get('')).toEqual({ status: 200, body: { id: '1', page: 1 } })
  })

  test.each([
    '?page=0',
    '?page=-1',
    '?page=x',
    '?page=',
    '?page=1.5',
    '?page=1&page=2',
    '?page=Infinity',
    '?page=1e999',
  ])('%s is 422', async (query) => {
    expect(await get(query)).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
  })

  test.each(['?page=%ff', '?x=%c0%af', '?x=%ZZ', '?x=%', '?x=%00'])('%s is 400', async (query) => {
    expect(await get(query)).toMatchObject({ status: 400, body: { error: 'INVALID_REQUEST' } })
  })
})

describe('an address', () => {
  const status = async (path: string, init?: RequestInit) => (await fetch(service.url + path, init)).status

  test.each(['/nope', '/API/docs', '/docs/', '//docs', '/docs;x', '/docs%2f', '/sample/notes'])(
    '%s that leads nowhere is a JSON 404 or 405',
    async (path) => {
      const response = await fetch(service.url + path)
      expect([404, 405]).toContain(response.status)
      expect(await response.json()).toMatchObject({
        statusCode: response.status,
        requestId: expect.any(String),
      })
    },
  )

  test('with a broken escape is a JSON 400', async () => {
    expect(await status('/sample/notes/%ff')).toBe(400)
    const { status: code, headers } = await fetch(`${service.url}/%ZZ`)
    expect(code).toBe(400)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-request-id')).toBeTruthy()
  })

  test('with NUL in it leads nowhere, and with a fragment is refused', async () => {
    expect(await status('/sample/notes/%00')).toBe(404)
    expect(
      await speak('GET /sample/notes/1#page=7 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    ).toMatch(/^HTTP\/1.1 400 /)
  })

  test('asked for with an unheard-of method is no mistake of ours', async () => {
    expect(await speak('QUERY /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 4/,
    )
  })

  test('with a very long parameter reaches its route', async () => {
    expect(await status(`/sample/notes/${'x'.repeat(5_000)}`)).toBe(200)
  })

  test('of 64 KB is 431 and the next request is answered', async () => {
    expect(await status(`/${'x'.repeat(65_536)}`)).toBe(431)
    expect(await status('/health/live')).toBe(200)
  })

  test('answers 405 with Allow to a method it does not have', async () => {
    const response = await fetch(`${service.url}/sample/notes/1`, { method: 'PUT' })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, DELETE, HEAD')
    expect(await response.json()).toMatchObject({ error: 'METHOD_NOT_ALLOWED' })
  })

  test('refuses TRACE and rubbish in place of HTTP without a 5xx', async () => {
    expect(await speak('TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 (404|405|400)/,
    )
    expect(await speak('rubbish\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
  })

  async function speak(text: string): Promise<string> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.end(text)
    let answer = ''
    for await (const chunk of socket) answer += chunk
    return answer
  }
})

describe('an answer', () => {
  test('carries the security headers, errors included', async () => {
    for (const path of ['/health/live', '/nope', '/docs', '/sample/broken']) {
      const { headers } = await fetch(service.url + path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-request-id')).toBeTruthy()
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('to a mistake of ours says nothing of its cause, which the log holds under the request id', async () => {
    const response = await fetch(`${service.url}/sample/broken`)
    const body = (await response.json()) as { requestId: string }
    expect(response.status).toBe(500)
    expect(JSON.stringify(body)).not.toMatch(/secrets|hunter2|at /)
    const line = service.logs.find(({ reqId, msg }) => reqId === body.requestId && msg === 'request failed')
    expect(line).toMatchObject({ err: { message: expect.stringContaining('secrets') } })
  })

  test('while the database is away is 503 with Retry-After', async () => {
    const response = await fetch(`${service.url}/sample/away`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBeTruthy()
    expect(await response.json()).toMatchObject({ error: 'UNAVAILABLE' })
  })
})

test('a client that pipelines without reading is cut off, and nobody else waits', async () => {
  const flood = Array.from({ length: 20 }, () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_500))
    return socket
  })
  await expect.poll(() => flood.every((socket) => socket.resume().closed), { timeout: 10_000 }).toBe(true)
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200)
})

test('one line a request is logged, by route and without the address, which may hold a secret', async () => {
  await fetch(`${service.url}/sample/notes/s3cret-t0ken?page=2&code=s3cret-code`, {
    headers: { authorization: 'Bearer s3cret-bearer' },
  })
  await expect
    .poll(() => service.logs.at(-1))
    .toMatchObject({ route: '/sample/notes/:id', status: 200, ms: expect.any(Number) })
  expect(JSON.stringify(service.logs)).not.toContain('s3cret')
})

test('a route that throws a code it does not declare fails', async () => {
  const route = defineRoute({
    method: 'GET',
    path: '/sample/undeclared',
    tag: 'Sample',
    summary: 'Throws what it never said',
    caller: 'anyone',
    reply: { 200: Type.Object({}) },
    errors: [],
    handler: () => {
      throw Object.assign(new AppError('NOT_FOUND'), { code: 'UNDECLARED' })
    },
  })
  const strict = await startService({ routes: [route] })
  const response = await fetch(`${strict.url}/sample/undeclared`)
  await strict.close()
  expect(response.status).toBe(500)
})
