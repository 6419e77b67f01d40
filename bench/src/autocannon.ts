import type { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { type LoadOptions, type Phase, UnexpectedResponseError } from './load-types.ts'
import type { HttpResponse, Scenario } from './row.ts'

/** Load from autocannon: every response can be checked, and the next request can depend on it. */

/** Time for outstanding responses after the last request. */
const RESPONSE_TIMEOUT_MS = 20_000
/** Longer than any run: `runAutocannon` ends the run itself. */
const MAX_RUN_SECONDS = 600

/** State that the connections of a run share. */
interface Run {
  url: string
  isRunning: boolean
  isMeasuring: boolean
  backgroundResponses: number
  totalResponses: number
  times: number[]
  problem: string | undefined
  /** The last response body that passed its check. */
  body: string
  /** Each closes the connections of one autocannon instance without waiting for responses. */
  aborts: (() => void)[]
}

/**
 * Each connection sends its next request as soon as it has a response. At the end no request is aborted: outstanding
 * responses are awaited, so that a one-time token in a request is replaced by the one in its response.
 */
export async function runAutocannon(load: LoadOptions): Promise<Run & { seconds: number }> {
  const run: Run = {
    url: load.url,
    isRunning: true,
    isMeasuring: false,
    backgroundResponses: 0,
    totalResponses: 0,
    times: [],
    problem: undefined,
    body: '',
    aborts: [],
  }
  const ended = Promise.all([
    connect(run, load.scenarios, true),
    ...(load.background ? [connect(run, load.background, false)] : []),
  ])
  await Promise.race([waitForPhase(load.warmup, () => run.totalResponses), ended])
  const startedAt = performance.now()
  run.isMeasuring = true
  load.onMeasurement?.('start')
  await Promise.race([waitForPhase(load.measurement, () => run.times.length), ended])
  run.isMeasuring = false
  const seconds = (performance.now() - startedAt) / 1000
  load.onMeasurement?.('end')
  run.isRunning = false
  await Promise.race([ended, sleep(RESPONSE_TIMEOUT_MS).then(() => recordProblem(run, NO_RESPONSE))])
  if (run.problem) throw new UnexpectedResponseError(run.problem)
  if (run.times.length === 0) throw new UnexpectedResponseError('no response during the measurement')
  return { ...run, seconds }
}

const NO_RESPONSE = `no response for ${RESPONSE_TIMEOUT_MS / 1000} s`
const POLL_MS = 50

async function waitForPhase({ minMs, minResponses, maxMs }: Phase, count: () => number): Promise<void> {
  const startedAt = performance.now()
  await sleep(minMs)
  while (count() < minResponses && performance.now() - startedAt < maxMs) await sleep(POLL_MS)
}

function recordProblem(run: Run, problem: string): void {
  run.problem ??= problem
  run.isRunning = false
  for (const abort of run.aborts) abort()
}

/** The members of an autocannon client that its types leave out. */
interface Client extends EventEmitter {
  reqsMade: number
  /** The client ends after this many responses. */
  responseMax: number | undefined
  setRequests(requests: autocannon.Request[]): void
}

/** Opens one connection per scenario. Resolves when all of them have ended. */
function connect(run: Run, scenarios: Scenario[], isMeasured: boolean): Promise<void> {
  return new Promise((resolve) => {
    let openConnections = scenarios.length
    const remaining = [...scenarios]
    const instance = autocannon(
      {
        url: run.url,
        connections: scenarios.length,
        duration: MAX_RUN_SECONDS,
        timeout: RESPONSE_TIMEOUT_MS / 1000,
        setupClient(autocannonClient) {
          const client = autocannonClient as unknown as Client
          const scenario = remaining.shift()
          if (!scenario) return
          client.setRequests([toRequest(run, scenario)])
          let outstanding = 0
          client.on('request', () => {
            outstanding++
            // autocannon reconnects silently.
            if (outstanding > 1) recordProblem(run, 'the connection was closed without a response')
          })
          client.on('response', (_status: number, _bytes: number, ms: number) => {
            outstanding--
            if (run.isMeasuring && isMeasured) run.times.push(ms)
            else if (run.isMeasuring) run.backgroundResponses++
            run.totalResponses++
            // Requests that were already sent still get their responses.
            if (!run.isRunning) client.responseMax = client.reqsMade
          })
          client.on('connError', (error: Error) => recordProblem(run, error.message))
          client.on('timeout', () => recordProblem(run, NO_RESPONSE))
          client.on('done', () => {
            openConnections--
            if (openConnections === 0) instance.stop()
          })
        },
      },
      () => resolve(),
    )
    run.aborts.push(() => instance.stop())
  })
}

/** autocannon serializes a request without `setupRequest` only once. */
function toRequest(run: Run, scenario: Scenario): autocannon.Request {
  const onResponse = (status: number, body: string, _context: object, headers?: IncomingHttpHeaders) => {
    const problem = findProblem(scenario, { status, body, location: headers?.location })
    if (problem !== undefined) recordProblem(run, problem)
    run.body = body
  }
  const { request } = scenario
  if (typeof request !== 'function') return { ...request, onResponse }
  // autocannon adds to the headers, so it gets a copy.
  const next = () => {
    const { headers, ...rest } = request()
    return { ...rest, headers: { ...headers } }
  }
  return { ...next(), setupRequest: (previous) => ({ ...previous, ...next() }), onResponse }
}

/** Describes why a response fails its check, including the response. A check that throws has failed. */
export function findProblem(scenario: Scenario, response: HttpResponse): string | undefined {
  let problem: string | undefined
  try {
    problem = scenario.check(response)
  } catch (error) {
    problem = String(error)
  }
  return problem && `${problem}: ${response.status} ${response.body.slice(0, 300)}`
}
