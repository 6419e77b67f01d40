import { setMaxListeners } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { HttpRequest } from '../row.ts'
import { send } from './paced-requests.ts'

/** A worker thread with many concurrent sign-ins, each from another network. A sign-in that gets 503 is retried. */

export interface SignInLoadOptions {
  url: string
  /** One per person. */
  requests: HttpRequest[]
  /** Successful sign-ins until the load ends. */
  signIns: number
  concurrency: number
}

export interface SignInLoadResult {
  signedIn: number
  /** Responses with status 503. */
  rejected: number
  seconds: number
}

/** The Retry-After of the service. */
const RETRY_MS = 5_000

/** All addresses in 127.0.0.0/8 are local, but the service counts each as another network. */
const localAddressOf = (index: number): string => `127.1.${Math.floor(index / 250)}.${1 + (index % 250)}`

async function signInAll(
  { url, requests, signIns, concurrency }: SignInLoadOptions,
  stop: AbortSignal,
): Promise<SignInLoadResult> {
  const startedAt = performance.now()
  const counts = { started: 0, signedIn: 0, rejected: 0 }
  const signIn = async (agent: Agent, request: HttpRequest) => {
    while (!stop.aborted) {
      const { status, body } = await send(agent, url, request)
      if (status === 200) {
        counts.signedIn++
        return
      }
      if (status !== 503) throw new Error(`a sign-in was answered ${status}: ${body.slice(0, 300)}`)
      counts.rejected++
      await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => {})
    }
  }
  const connections = Array.from({ length: concurrency }, async (_, index) => {
    const agent = new Agent({ keepAlive: true, localAddress: localAddressOf(index) })
    while (counts.started < signIns && !stop.aborted) {
      const request = requests[counts.started++ % requests.length]
      if (request) await signIn(agent, request)
    }
    agent.destroy()
  })
  await Promise.all(connections)
  const { signedIn, rejected } = counts
  return { signedIn, rejected, seconds: (performance.now() - startedAt) / 1000 }
}

const stopping = new AbortController()
// Every connection listens for the signal.
setMaxListeners(0, stopping.signal)
parentPort?.on('message', () => stopping.abort())
if (parentPort) {
  parentPort.postMessage(await signInAll(workerData as SignInLoadOptions, stopping.signal))
  parentPort.close()
}
