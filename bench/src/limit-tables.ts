import type { BulkheadRow, BulkheadTable, GrowthTable, MemoryResult } from './results.ts'
import type { StartResult } from './start.ts'
import { fixed, table, verdict } from './tables.ts'

/** Tables with upper limits: start time, memory, growth and bulkheads. */

interface Limit {
  name: string
  value: number
  max?: number
  met?: boolean
}

const atMost = (name: string, value: number, max: number): Limit => ({
  name,
  value,
  max,
  met: value <= max,
})

export function listStart(start: StartResult | undefined, memory: MemoryResult | undefined): Limit[] {
  return [
    ...(start
      ? [
          { name: `Ready after, ms (median of ${start.starts})`, value: start.readyMs },
          { name: 'Its database alone, ms', value: start.databaseMs },
          atMost('Ready beyond the start of its database, ms', start.overheadMs, 1_000),
          atMost('RSS idle, MB', start.idleMb, 150),
        ]
      : []),
    ...(memory
      ? [
          { name: 'RSS after all rows, MB', value: memory.afterRowsMb },
          atMost(
            `RSS with ${memory.tokens.toLocaleString('en-US')} tokens and ${memory.facts.toLocaleString('en-US')} license facts in use, MB`,
            memory.inUseMb,
            300,
          ),
          atMost('CPU time when idle afterwards, % of a core', memory.idleCpuPercent, 1),
        ]
      : []),
  ]
}

export function showStart(start: StartResult | undefined, memory: MemoryResult | undefined): string | undefined {
  const limits = listStart(start, memory)
  if (limits.length === 0) return undefined
  const lines = limits.map(({ name, value, max, met }) => [
    name,
    fixed(value, value < 10 ? 1 : 0),
    fixed(max, 0),
    verdict(met),
  ])
  return table(['', 'measured', 'at most', ''], lines)
}

export function showGrowth({ sizes, rows }: GrowthTable): string {
  const names = sizes.map((size) => size.toLocaleString('en-US'))
  const heads = ['', ...names.map((name) => `${name}: ms`), ...names.slice(1).map((name) => `${name}: ratio`)]
  const lines = rows.map(({ name, milliseconds, ratios, maxRatio }) => {
    const met = maxRatio === undefined ? undefined : (ratios.at(-1) ?? Number.NaN) <= maxRatio
    return [
      name,
      ...milliseconds.map((ms) => fixed(ms, 2)),
      ...ratios.slice(1).map((ratio) => fixed(ratio, 2)),
      fixed(maxRatio, 2),
      verdict(met),
    ]
  })
  return table([...heads, 'at most', ''], lines)
}

export const isOverLimit = ({ duringSignIns, duringLock }: BulkheadRow, maxP99Ms: number): boolean =>
  !(duringSignIns <= maxP99Ms && duringLock <= maxP99Ms)

export function showBulkheads({ rows, maxP99Ms, ...run }: BulkheadTable): string {
  const { signIns, concurrency, rejected, seconds, lockMs } = run
  const heads = ['p99 ms', 'idle', 'during many sign-ins', 'while the audit table is locked', 'at most', '']
  const lines = rows.map((row) => [
    row.name,
    fixed(row.idle, 1),
    fixed(row.duringSignIns, 1),
    fixed(row.duringLock, 1),
    fixed(maxP99Ms, 0),
    verdict(!isOverLimit(row, maxP99Ms)),
  ])
  const signInLoad = `${signIns.toLocaleString('en-US')} sign-ins, ${concurrency.toLocaleString('en-US')} at a time, took ${seconds.toFixed(0)} s; ${rejected.toLocaleString('en-US')} responses were 503 and retried.`
  const lock = `The lock was held for ${(lockMs / 1000).toFixed(0)} s, during 64 concurrent sign-ins.`
  return `${table(heads, lines)}\n\n${signInLoad} ${lock}`
}
