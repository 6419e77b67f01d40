import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { bearer, getTokens } from '../latchkey/callers.ts'
import { latchkeyRows } from '../latchkey/rows.ts'
import { seatHolderEmail } from '../latchkey/seed.ts'
import { quantile } from '../numbers.ts'
import type { RunningProgram } from '../programs.ts'
import type { BulkheadTable } from '../results.ts'
import type { HttpRequest, Program, Scenario } from '../row.ts'
import { sendAtInterval } from './paced-requests.ts'
import type { SignInLoadOptions, SignInLoadResult } from './sign-in-load.ts'

/** Measures the latency of requests that are independent of an overloaded or locked part of the service. */

const MAX_P99_MS = 250
/** Per workload. A blocked connection sends nothing else, so few fast connections would hide long waits from the p99. */
const CONNECTIONS = 16
const INTERVAL_MS = 200

export interface BulkheadPlan {
  idleMs: number
  signIns: number
  concurrency: number
  lockMs: number
}

interface Options {
  program: RunningProgram
  socketDir: string
  plan: BulkheadPlan
  log(line: string): void
}

interface Workload {
  name: string
  scenarios: Scenario[]
}

export async function measureBulkheads({ program, socketDir, plan, log }: Options): Promise<BulkheadTable> {
  const workloads = await prepareWorkloads(program)
  const signIn = await prepareSignIn(program)
  const measureP99During = (work: Promise<unknown>) => measureP99(program, workloads, work)
  // Warmup: the first responses of a program are slow.
  await measureP99During(sleep(plan.idleMs / 2))
  const idle = await measureP99During(sleep(plan.idleMs))
  log(`bulkheads: ${plan.signIns} sign-ins, ${plan.concurrency} at a time …`)
  const signInLoad = startSignInLoad({ ...signIn, signIns: plan.signIns, concurrency: plan.concurrency })
  const duringSignIns = await measureP99During(signInLoad.done)
  const { signedIn, rejected, seconds } = await signInLoad.done
  log(`bulkheads: ${signedIn} sign-ins in ${seconds.toFixed(0)} s, ${rejected} responses with 503`)
  // These sign-ins write to the locked table and retry until they are stopped.
  const blocked = startSignInLoad({ ...signIn, signIns: Number.MAX_SAFE_INTEGER, concurrency: 64 })
  const duringLock = await measureP99During(holdLock({ socketDir, database: program.database }, plan.lockMs))
  blocked.stop()
  await blocked.done
  return {
    signIns: signedIn,
    concurrency: plan.concurrency,
    rejected,
    seconds,
    lockMs: plan.lockMs,
    maxP99Ms: MAX_P99_MS,
    rows: workloads.map(({ name }, index) => ({
      name,
      idle: idle[index] ?? Number.NaN,
      duringSignIns: duringSignIns[index] ?? Number.NaN,
      duringLock: duringLock[index] ?? Number.NaN,
    })),
  }
}

async function prepareWorkloads(program: Program): Promise<Workload[]> {
  const prepareScenarios = (id: string): Promise<Scenario[]> => {
    const row = latchkeyRows.find((candidate) => candidate.id === id)
    if (!row) throw new Error(`There is no row ${id}.`)
    return row.prepare(program, CONNECTIONS)
  }
  return [
    { name: 'License check', scenarios: await prepareScenarios('license-check') },
    { name: 'Userinfo', scenarios: await prepareScenarios('userinfo') },
    { name: 'Refresh that returns an ID token', scenarios: await prepareScenarios('refresh') },
    { name: 'Members of another tenant', scenarios: await prepareMemberLists(program) },
  ]
}

/** Of tenants that have none of the people who sign in. */
async function prepareMemberLists(program: Program): Promise<Scenario[]> {
  const scenarios: Scenario[] = []
  for (let index = 0; index < CONNECTIONS; index++) {
    const { access_token } = await getTokens(program, seatHolderEmail(index))
    const headers = bearer(access_token)
    const response = await fetch(`${program.url}/api/tenants`, { headers })
    const { tenants } = (await response.json()) as { tenants: { id: string }[] }
    const path = `/api/tenants/${tenants[0]?.id}/members`
    scenarios.push({
      request: { method: 'GET', path, headers },
      check: ({ status, body }) =>
        status === 200 && body.includes(seatHolderEmail(index)) ? undefined : 'the member is not listed',
    })
  }
  return scenarios
}

async function prepareSignIn(program: Program): Promise<Pick<SignInLoadOptions, 'url' | 'requests'>> {
  const row = latchkeyRows.find(({ id }) => id === 'sign-in')
  const scenarios = (await row?.prepare(program, 64)) ?? []
  return { url: program.url, requests: scenarios.map(({ request }) => request as HttpRequest) }
}

/** The p99 latency of each workload until `work` is done. */
async function measureP99(program: Program, workloads: Workload[], work: Promise<unknown>): Promise<number[]> {
  const stop = new AbortController()
  const pace = { intervalMs: INTERVAL_MS, stop: stop.signal }
  const latencies = Promise.all(
    workloads.map(async ({ scenarios }) => {
      const times = await Promise.all(scenarios.map((scenario) => sendAtInterval(program.url, scenario, pace)))
      return quantile(
        times.flat().sort((a, b) => a - b),
        0.99,
      )
    }),
  )
  await Promise.race([work, latencies])
  stop.abort()
  return latencies
}

function startSignInLoad(options: SignInLoadOptions): { done: Promise<SignInLoadResult>; stop(): void } {
  const worker = new Worker(new URL('./sign-in-load.js', import.meta.url), { workerData: options })
  const done = new Promise<SignInLoadResult>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return { done, stop: () => worker.postMessage('stop') }
}

async function holdLock(target: { socketDir: string; database: string }, ms: number): Promise<void> {
  const client = new pg.Client({ host: target.socketDir, user: 'latchkey', database: target.database })
  await client.connect()
  try {
    await client.query('begin; lock table audit_entries in access exclusive mode')
    await sleep(ms)
  } finally {
    await client.end()
  }
}
