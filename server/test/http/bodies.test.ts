import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleRoutes } from '../support/sample-routes.ts'
import { startService, type TestService } from '../support/service.ts'

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
  test('gets the declared status and only the declared fields in the response', async () => {
    expect(await post(JSON.stringify({ title: 'a', stars: 2, admin: true }))).toEqual({
      status: 201,
      body: { title: 'a', stars: 2 },
    })
  })

  test.each([
    ['truncated', '{"title":"a"'],
    ['empty', ''],
    ['a bare word', 'hello'],
    ['a duplicate key', '{"title":"a","title":"b"}'],
    ['a duplicate key, once escaped', '{"title":"a","\\u0074itle":"b"}'],
    ['nested too deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('that is %s is 400 INVALID_REQUEST', async (_name, body) => {
    const response = await post(body)
    expect(response.status).toBe(400)
    expect(response.body).toEqual({
      statusCode: 400,
      error: 'INVALID_REQUEST',
      message: expect.any(String),
      requestId: expect.any(String),
    })
  })

  test.each([
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['overlong UTF-8', Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
  ])('in %s is 400 INVALID_REQUEST', async (_name, body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error: 'INVALID_REQUEST' } })
  })

  test.each([
    ['NUL in a key', '{"title":"a","extra":{"a\\u0000":1}}', 'extra'],
    ['a lone low surrogate', '{"title":"\\udc00x"}', 'title'],
    ['a prototype key', '{"title":"a","extra":{"__proto__":{"role":"owner"}}}', 'extra'],
    ['a top-level array', '[]', 'body'],
    ['a top-level null', 'null', 'body'],
    ['a top-level string', '"a"', 'body'],
    ['a string instead of a number', '{"title":"a","stars":"5"}', 'stars'],
    ['an infinite number', '{"title":"a","stars":1e999}', 'stars'],
    ['a missing field', '{"stars":5}', 'title'],
    ['an empty title', '{"title":""}', 'title'],
    ['a long title', `{"title":"${'x'.repeat(21)}"}`, 'title'],
  ])('with %s is 422 and names the field', async (_name, body, field) => {
    const response = await post(body)
    expect(response).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
    expect(response.body.details).toEqual([{ field, message: expect.any(String) }])
  })

  test('may contain any Unicode character', async () => {
    expect(await post(JSON.stringify({ title: '💙 é ﷺ "\\' }))).toMatchObject({ status: 201 })
  })

  test.each([['application/json; charset=utf-7'], ['application/json\t;x'], ['nonsense']])(
    'sent as %s is 415',
    async (type) => {
      expect(await post('{"title":"a"}', { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: 'UNSUPPORTED_MEDIA_TYPE' },
      })
    },
  )

  test('sent without a media type is 415, and compressed is 415', async () => {
    expect(await post(Buffer.from('{"title":"a"}'), {})).toMatchObject({ status: 415 })
    const headers = { ...JSON_HEADERS, 'content-encoding': 'gzip' }
    expect(await post(Buffer.from('{"title":"a"}'), headers)).toMatchObject({ status: 415 })
  })

  test('sent as Application/JSON;charset=UTF-8 is accepted', async () => {
    const headers = { 'content-type': 'Application/JSON;charset=UTF-8' }
    expect(await post('{"title":"a"}', headers)).toMatchObject({ status: 201 })
  })

  test('that is absent is 422', async () => {
    expect(await post(undefined, {})).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
  })

  test('of 50 MB is 413, and the next request succeeds', async () => {
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

  test('with many errors lists the first twenty', async () => {
    const tags = Array.from({ length: 5_000 }, () => '')
    const { status, body } = await post(JSON.stringify({ title: 'a', tags }))
    expect(status).toBe(422)
    expect(body.details).toHaveLength(20)
  })

  test('that is aborted by the client is not logged as an error', async () => {
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

  test('is ignored by a route without a body', async () => {
    const response = await fetch(`${service.url}/sample/notes/1`, {
      method: 'DELETE',
      headers: JSON_HEADERS,
      body: '{not json',
    })
    expect(response.status).toBe(200)
  })
})
