import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import type { Where } from './service.ts'

/** Reads how long the processors have worked for a service and for whoever serves it in the database, in ms. */
export interface Meter {
  read(): Promise<number>
  close(): Promise<void>
}

export async function createMeter(pid: number, { socketDir, database }: Where): Promise<Meter> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' })
  await client.connect()
  const lastKnown = new Map<number, number>()
  return {
    async read() {
      const { rows } = await client.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = $1',
        [database],
      )
      for (const one of [pid, ...rows.map(({ pid }) => pid)]) {
        // Who has ended keeps what they had.
        lastKnown.set(one, timeOf(one) ?? lastKnown.get(one) ?? 0)
      }
      return [...lastKnown.values()].reduce((sum, ms) => sum + ms, 0)
    },
    close: () => client.end(),
  }
}

/** Of all threads of a process, as Linux tells it; NaN elsewhere, undefined when it has ended. */
function timeOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return Number.NaN
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return nanoseconds.reduce((sum, time) => sum + time, 0) / 1e6
  } catch {
    return undefined
  }
}
