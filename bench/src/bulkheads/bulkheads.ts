import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { bearer, getTokens } from '../latchkey/callers.ts'
import { latchkeyRows } from '../latchkey/rows.ts'
import { seatHolderEmail } from '../latchkey/world.ts'
import { quantile } from '../numbers.ts'
import type { Running } from '../programs.ts'
import type { BulkheadTable } from '../results.ts'
import type { Program, Request, Talk } from '../row.ts'
import type { CrowdOrder, CrowdResult } from './crowd.ts'
import { askSteadily } from './paced.ts'

/** How long people wait whose requests have nothing to do with what others are kept waiting for. */

/** Milliseconds within which 99 of 100 answers must come. */
const MOST_P99 = 250
/** Of each kind. Many that ask seldom: one that waits for long asks nothing else meanwhile, and is one of few. */
const CONNECTIONS = 16
const INTERVAL_MS = 200

export interface BulkheadPlan {
  calmMs: number
  signIns: number
  atOnce: number
  lockMs: number
}

interface Options {
  program: Running
  socketDir: string
  plan: BulkheadPlan
  tell(line: string): void
}

interface Kind {
  name: string
  talks: Talk[]
}

export async function measureBulkheads({ program, socketDir, plan, tell }: Options): Promise<BulkheadTable> {
  const kinds = await prepareKinds(program)
  const crowd = await prepareCrowd(program)
  const during = (work: Promise<unknown>) => timeDuring(program, kinds, work)
  // The first answers of a program take long.
  await during(sleep(plan.calmMs / 2))
  const calm = await during(sleep(plan.calmMs))
  tell(`bulkheads: ${plan.signIns} sign-ins, ${plan.atOnce} at a time …`)
  const signingIn = startCrowd({ ...crowd, signIns: plan.signIns, atOnce: plan.atOnce })
  const crowded = await during(signingIn.done)
  const { signedIn, turnedAway, seconds } = await signingIn.done
  tell(
    `bulkheads: ${signedIn} signed in within ${seconds.toFixed(0)} s, told ${turnedAway} times to come again`,
  )
  // They write to what is locked, and go on trying.
  const waiting = startCrowd({ ...crowd, signIns: Number.MAX_SAFE_INTEGER, atOnce: 64 })
  const locked = await during(holdLock({ socketDir, database: program.database }, plan.lockMs))
  waiting.stop()
  await waiting.done
  return {
    ...{ signIns: signedIn, atOnce: plan.atOnce, turnedAway, seconds, lockMs: plan.lockMs, most: MOST_P99 },
    rows: kinds.map(({ name }, index) => ({
      ...{ name, calm: calm[index] ?? Number.NaN },
      ...{ crowded: crowded[index] ?? Number.NaN, locked: locked[index] ?? Number.NaN },
    })),
  }
}

async function prepareKinds(program: Program): Promise<Kind[]> {
  const talksOf = (id: string): Promise<Talk[]> => {
    const row = latchkeyRows.find((one) => one.id === id)
    if (!row) throw new Error(`There is no row ${id}.`)
    return row.prepare(program, CONNECTIONS)
  }
  return [
    { name: 'License check', talks: await talksOf('license-check-new') },
    { name: 'Userinfo', talks: await talksOf('userinfo') },
    { name: 'Refresh with an ID token', talks: await talksOf('refresh') },
    { name: 'Members of another tenant', talks: await prepareReads(program) },
  ]
}

/** Of tenants in which nobody of the crowd is. */
async function prepareReads(program: Program): Promise<Talk[]> {
  const talks: Talk[] = []
  for (let index = 0; index < CONNECTIONS; index++) {
    const { access_token } = await getTokens(program, seatHolderEmail(index))
    const headers = bearer(access_token)
    const response = await fetch(`${program.url}/api/tenants`, { headers })
    const { tenants } = (await response.json()) as { tenants: { id: string }[] }
    const path = `/api/tenants/${tenants[0]?.id}/members`
    talks.push({
      request: { method: 'GET', path, headers },
      check: ({ status, body }) =>
        status === 200 && body.includes(seatHolderEmail(index)) ? undefined : 'the members are not shown',
    })
  }
  return talks
}

async function prepareCrowd(program: Program): Promise<Pick<CrowdOrder, 'url' | 'requests'>> {
  const row = latchkeyRows.find(({ id }) => id === 'sign-in')
  const talks = (await row?.prepare(program, 64)) ?? []
  return { url: program.url, requests: talks.map(({ request }) => request as Request) }
}

/** The 99th percentile of each kind while something else goes on. */
async function timeDuring(program: Program, kinds: Kind[], work: Promise<unknown>): Promise<number[]> {
  const stop = new AbortController()
  const pace = { intervalMs: INTERVAL_MS, stop: stop.signal }
  const asking = Promise.all(
    kinds.map(async ({ talks }) => {
      const times = await Promise.all(talks.map((talk) => askSteadily(program.url, talk, pace)))
      return quantile(
        times.flat().sort((a, b) => a - b),
        0.99,
      )
    }),
  )
  await Promise.race([work, asking])
  stop.abort()
  return asking
}

function startCrowd(order: CrowdOrder): { done: Promise<CrowdResult>; stop(): void } {
  const worker = new Worker(new URL('./crowd.js', import.meta.url), { workerData: order })
  const done = new Promise<CrowdResult>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return { done, stop: () => worker.postMessage('stop') }
}

async function holdLock(where: { socketDir: string; database: string }, ms: number): Promise<void> {
  const client = new pg.Client({ host: where.socketDir, user: 'latchkey', database: where.database })
  await client.connect()
  try {
    await client.query('begin; lock table audit_entries in access exclusive mode')
    await sleep(ms)
  } finally {
    await client.end()
  }
}
