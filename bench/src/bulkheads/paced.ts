import { Agent, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { judge } from '../conversation.ts'
import type { Answer, Request, Talk } from '../row.ts'

export interface Pace {
  /** How long after a question the next is due; at once, where its answer took longer. */
  intervalMs: number
  stop: AbortSignal
}

export function ask(agent: Agent, url: string, { method, path, headers, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = send(url + path, { agent, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      response.on('error', reject)
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

/** Asks at a steady pace until told to stop. What the answers took, in milliseconds. */
export async function askSteadily(url: string, talk: Talk, { intervalMs, stop }: Pace): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  try {
    while (!stop.aborted) {
      const { request } = talk
      const begin = performance.now()
      const answer = await ask(agent, url, typeof request === 'function' ? request() : request)
      const took = performance.now() - begin
      times.push(took)
      const problem = judge(talk, answer)
      if (problem !== undefined) throw new Error(problem)
      await sleep(Math.max(0, intervalMs - took))
    }
    return times
  } finally {
    agent.destroy()
  }
}
