import { connect } from 'node:net'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '../../src/errors.ts'
import { defineRoute } from '../../src/http/routing/define-route.ts'
import { sampleRoutes } from '../support/sample-routes.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ routes: sampleRoutes })
})
afterAll(() => service.close())

describe('a response', () => {
  test('has the security headers, also for errors', async () => {
    for (const path of ['/health/live', '/nope', '/login', '/sample/broken']) {
      const { headers } = await fetch(service.url + path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-request-id')).toBeTruthy()
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('with an internal error does not contain the cause; the log contains it with the request id', async () => {
    const response = await fetch(`${service.url}/sample/broken`)
    const body = (await response.json()) as { requestId: string }
    expect(response.status).toBe(500)
    expect(JSON.stringify(body)).not.toMatch(/secrets|hunter2|at /)
    const line = service.logs.find(({ reqId, msg }) => reqId === body.requestId && msg === 'request failed')
    expect(line).toMatchObject({ err: { message: expect.stringContaining('secrets') } })
  })

  test('while the database is unreachable is 503 with Retry-After', async () => {
    const response = await fetch(`${service.url}/sample/away`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBeTruthy()
    expect(await response.json()).toMatchObject({ error: 'UNAVAILABLE' })
  })
})

test('a client that pipelines without reading is disconnected, and others are not delayed', async () => {
  const flood = Array.from({ length: 20 }, () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_500))
    return socket
  })
  await expect.poll(() => flood.every((socket) => socket.resume().closed)).toBe(true)
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200)
})

test('each request is logged once, with its route but without its URL, which may contain a secret', async () => {
  await fetch(`${service.url}/sample/notes/s3cret-t0ken?page=2&code=s3cret-code`, {
    headers: { authorization: 'Bearer s3cret-bearer' },
  })
  await expect
    .poll(() => service.logs.find(({ route }) => route === '/sample/notes/:id'))
    .toMatchObject({ route: '/sample/notes/:id', status: 200, ms: expect.any(Number) })
  expect(JSON.stringify(service.logs)).not.toContain('s3cret')
})

test('a route that throws a code it does not declare fails', async () => {
  const route = defineRoute({
    method: 'GET',
    path: '/sample/undeclared',
    operationId: 'sample1',
    tag: 'Sample',
    summary: 'Throws an undeclared code',
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
