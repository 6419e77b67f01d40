import { request as sendRequest } from 'node:http'
import { expect } from 'vitest'
import type { TestService } from '../support/service.ts'

export interface Reply {
  status: number
  headers: Record<string, unknown>
  body: string
  /** The response was computed from the cache, without a query. */
  cached: boolean
}

export interface RawRequest {
  path: string
  method?: string
  headers?: Record<string, string | string[]>
  form?: string
}

/** Sends raw requests, and detects whether they were answered from the cache. */
export function createRawClient(service: TestService) {
  let calls = 0

  function call({ path, method = 'GET', headers = {}, form }: RawRequest): Promise<Reply> {
    calls++
    const { cache, licenseCache } = service.ctx
    const misses = () => cache.describe().misses + licenseCache.describe().misses
    const before = misses()
    return new Promise((resolve, reject) => {
      const request = sendRequest(service.url + path, { method, headers }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text) => {
          body += text
        })
        response.on('end', () => {
          const { statusCode: status = 0, headers: replyHeaders } = response
          resolve({ status, headers: replyHeaders, body, cached: misses() === before })
        })
      })
      request.on('error', reject)
      request.end(form)
    })
  }

  /** Repeats a request until it is answered from the cache. A late change notification may need more than two calls. */
  async function warm(question: RawRequest): Promise<Reply> {
    await service.ctx.changes.waitUntilCurrent()
    let reply = await call(question)
    for (let attempt = 1; !reply.cached && attempt < 10; attempt++) reply = await call(question)
    expect(reply).toMatchObject({ status: 200, cached: true })
    return reply
  }

  return { call, warm, countCalls: () => calls }
}

export type RawClient = ReturnType<typeof createRawClient>

/** The headers without those that differ between equal responses. */
export const withoutVolatileHeaders = ({ date, 'x-request-id': _id, ...headers }: Record<string, unknown>) => headers
