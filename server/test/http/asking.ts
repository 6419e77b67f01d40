import { request as ask } from 'node:http'
import { expect } from 'vitest'
import type { TestService } from '../support/service.ts'

export interface Reply {
  status: number
  headers: Record<string, unknown>
  body: string
  /** Given again: nothing that is remembered was looked at. */
  again: boolean
}

export interface Question {
  path: string
  method?: string
  headers?: Record<string, string | string[]>
  form?: string
}

/** Asks a service in the very words that it is told, and sees whether an answer was given before. */
export function askerOf(service: TestService) {
  let calls = 0

  function call({ path, method = 'GET', headers = {}, form }: Question): Promise<Reply> {
    calls++
    const { memory } = service.ctx
    const before = memory.describe().hits + memory.describe().misses
    return new Promise((resolve, reject) => {
      const request = ask(service.url + path, { method, headers }, (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text) => {
          body += text
        })
        response.on('end', () => {
          const after = memory.describe().hits + memory.describe().misses
          const { statusCode: status = 0, headers: told } = response
          resolve({ status, headers: told, body, again: before === after })
        })
      })
      request.on('error', reject)
      request.end(form)
    })
  }

  /**
   * Asked until the answer is given again: as a rule the third time, later where a change is still being heard of or
   * what was asked has just been forgotten.
   */
  async function warm(question: Question): Promise<Reply> {
    await service.ctx.changes.settle()
    let reply = await call(question)
    for (let asked = 1; !reply.again && asked < 10; asked++) reply = await call(question)
    expect(reply).toMatchObject({ status: 200, again: true })
    return reply
  }

  return { call, warm, countCalls: () => calls }
}

export type Asker = ReturnType<typeof askerOf>

/** What is the same of answers that are. */
export const withoutMoment = ({ date, 'x-request-id': _id, ...headers }: Record<string, unknown>) => headers
