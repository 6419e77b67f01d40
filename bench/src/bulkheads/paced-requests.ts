import { Agent, request as startRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProblem } from '../autocannon.ts'
import type { HttpRequest, HttpResponse, Scenario } from '../row.ts'

export interface Pace {
  /** Time between the starts of two requests. A slower response delays the next request. */
  intervalMs: number
  stop: AbortSignal
}

export function send(agent: Agent, url: string, { method, path, headers, body }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = startRequest(url + path, { agent, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Sends requests at an interval until stopped. Returns the response times in milliseconds. */
export async function sendAtInterval(url: string, scenario: Scenario, { intervalMs, stop }: Pace): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  try {
    while (!stop.aborted) {
      const { request } = scenario
      const startedAt = performance.now()
      const response = await send(agent, url, typeof request === 'function' ? request() : request)
      const elapsedMs = performance.now() - startedAt
      times.push(elapsedMs)
      const problem = findProblem(scenario, response)
      if (problem !== undefined) throw new Error(problem)
      await sleep(Math.max(0, intervalMs - elapsedMs))
    }
    return times
  } finally {
    agent.destroy()
  }
}
