import { setMaxListeners } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Request } from '../row.ts'
import { ask } from './paced.ts'

/**
 * Many people who sign in at once, in a thread of their own, each from another network. Who is told to come again later
 * does.
 */

export interface CrowdOrder {
  url: string
  /** One for each person. */
  requests: Request[]
  /** How many are to be signed in, and how many try at a time. */
  signIns: number
  atOnce: number
}

export interface CrowdResult {
  signedIn: number
  /** How often somebody was told to come again. */
  turnedAway: number
  seconds: number
}

/** As Retry-After says. */
const AGAIN_MS = 5_000

/** Every address below 127.0.0.0/8 is this machine, and to the service a network of its own. */
const networkOf = (number: number): string => `127.1.${Math.floor(number / 250)}.${1 + (number % 250)}`

async function signInAll(
  { url, requests, signIns, atOnce }: CrowdOrder,
  stop: AbortSignal,
): Promise<CrowdResult> {
  const begin = performance.now()
  const counts = { begun: 0, signedIn: 0, turnedAway: 0 }
  const signInOne = async (agent: Agent, request: Request) => {
    while (!stop.aborted) {
      const { status, body } = await ask(agent, url, request)
      if (status === 200) {
        counts.signedIn++
        return
      }
      if (status !== 503) throw new Error(`a sign-in was answered ${status}: ${body.slice(0, 300)}`)
      counts.turnedAway++
      await sleep(AGAIN_MS, undefined, { signal: stop }).catch(() => {})
    }
  }
  const people = Array.from({ length: atOnce }, async (_, number) => {
    const agent = new Agent({ keepAlive: true, localAddress: networkOf(number) })
    while (counts.begun < signIns && !stop.aborted) {
      const request = requests[counts.begun++ % requests.length]
      if (request) await signInOne(agent, request)
    }
    agent.destroy()
  })
  await Promise.all(people)
  const { signedIn, turnedAway } = counts
  return { signedIn, turnedAway, seconds: (performance.now() - begin) / 1000 }
}

const stopping = new AbortController()
// Each of the crowd waits for it.
setMaxListeners(0, stopping.signal)
parentPort?.on('message', () => stopping.abort())
if (parentPort) {
  parentPort.postMessage(await signInAll(workerData as CrowdOrder, stopping.signal))
  parentPort.close()
}
