import type { BulkheadRow, BulkheadTable, GrowthTable } from './results.ts'
import type { StartResult } from './start.ts'
import { fixed, table, verdict } from './tables.ts'

/** What the page shows of what must not become too much: the time of the start, memory, and the price of growth. */

interface Limit {
  name: string
  value: number
  most?: number
  met?: boolean
}

const atMost = (name: string, value: number, most: number): Limit => ({
  name,
  value,
  most,
  met: value <= most,
})

export function listStart(start: StartResult | undefined, loadedMb: number | undefined): Limit[] {
  return [
    ...(start
      ? [
          { name: `Ready after, ms (median of ${start.starts})`, value: start.ready },
          { name: 'Its database alone, ms', value: start.database },
          atMost('Ready beyond the start of its database, ms', start.beyond, 1_000),
          atMost('RSS idle, MB', start.idleMb, 150),
        ]
      : []),
    ...(loadedMb === undefined ? [] : [atMost('RSS after all rows, MB', loadedMb, 300)]),
  ]
}

export function showStart(start: StartResult | undefined, loadedMb: number | undefined): string | undefined {
  const limits = listStart(start, loadedMb)
  if (limits.length === 0) return undefined
  const lines = limits.map(({ name, value, most, met }) => [
    name,
    fixed(value, 0),
    fixed(most, 0),
    verdict(met),
  ])
  return table(['', 'measured', 'at most', ''], lines)
}

export function showGrowth({ sizes, rows }: GrowthTable): string {
  const names = sizes.map((size) => size.toLocaleString('en-US'))
  const heads = ['', ...names.map((name) => `${name}: ms`), ...names.slice(1).map((name) => `${name}: ratio`)]
  const lines = rows.map(({ name, milliseconds, ratios, most }) => {
    const met = most === undefined ? undefined : (ratios.at(-1) ?? Number.NaN) <= most
    return [
      ...[
        name,
        ...milliseconds.map((ms) => fixed(ms, 2)),
        ...ratios.slice(1).map((ratio) => fixed(ratio, 2)),
      ],
      ...[fixed(most, 2), verdict(met)],
    ]
  })
  return table([...heads, 'at most', ''], lines)
}

export const isHeldUp = ({ crowded, locked }: BulkheadRow, most: number): boolean =>
  !(crowded <= most && locked <= most)

export function showBulkheads({ rows, most, ...about }: BulkheadTable): string {
  const { signIns, atOnce, turnedAway, seconds, lockMs } = about
  const heads = ['p99 ms', 'calm', 'while many sign in', 'while the audit log is locked', 'at most', '']
  const lines = rows.map((row) => [
    ...[row.name, fixed(row.calm, 1), fixed(row.crowded, 1), fixed(row.locked, 1)],
    ...[fixed(most, 0), verdict(!isHeldUp(row, most))],
  ])
  const crowd = `${signIns.toLocaleString('en-US')} were signed in, ${atOnce.toLocaleString('en-US')} at a time, within ${seconds.toFixed(0)} s; they were told ${turnedAway.toLocaleString('en-US')} times to come again.`
  const lock = `The lock was held for ${(lockMs / 1000).toFixed(0)} s, while 64 tried to sign in.`
  return `${table(heads, lines)}\n\n${crowd} ${lock}`
}
