import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import type { DatabaseAddress } from './service.ts'

/** Measures the CPU time of a service and of its database connections. */
export interface CpuMeter {
  /** Milliseconds so far. */
  read(): Promise<number>
  close(): Promise<void>
}

export async function createCpuMeter(pid: number, { socketDir, database }: DatabaseAddress): Promise<CpuMeter> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' })
  await client.connect()
  const lastKnown = new Map<number, number>()
  return {
    async read() {
      const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity where datname = $1', [
        database,
      ])
      for (const processId of [pid, ...rows.map(({ pid }) => pid)]) {
        // A process that has ended keeps its last value.
        lastKnown.set(processId, readCpuMs(processId) ?? lastKnown.get(processId) ?? 0)
      }
      return [...lastKnown.values()].reduce((sum, ms) => sum + ms, 0)
    },
    close: () => client.end(),
  }
}

/** Of all threads of a process. NaN on other systems than Linux, undefined if the process has ended. */
function readCpuMs(pid: number): number | undefined {
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
