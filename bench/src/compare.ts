import type { RowResult, Run } from './measure.ts'
import { median } from './numbers.ts'

/** The comparison of a row with another row, or with its latency target. */
export interface Verdict {
  name: string
  /** The name of the other row, or the latency target. */
  against: string
  value: number
  /** The ratio of CPU time per response. More reliable if other work disturbed the measurement. */
  cpuRatio?: number
  target?: number
  /** Undefined: there is no target. */
  met?: boolean
}

export const medianOf = ({ runs }: RowResult, read: (run: Run) => number): number => median(runs.map(read))

/** The median ratio of each run to the latest earlier run of the other row. */
export function ratioOf(
  result: RowResult,
  other: RowResult,
  compare: (run: Run, otherRun: Run) => number = (run, otherRun) => run.perSecond / otherRun.perSecond,
): number {
  const ratios = result.runs.flatMap((run) => {
    const otherRun = other.runs.findLast(({ at }) => at < run.at)
    return otherRun ? [compare(run, otherRun)] : []
  })
  return median(ratios)
}

export function compareRows(results: RowResult[]): Verdict[] {
  return results.filter(isComplete).flatMap((result) => [
    ...(result.row.compare ?? []).flatMap(({ with: id, minRatio }) => {
      const other = results.filter(isComplete).find(({ row }) => row.id === id)
      return other ? [compareTwo(result, other, minRatio)] : []
    }),
    ...compareLatency(result),
  ])
}

export const isComplete = ({ problem, runs }: RowResult): boolean => problem === undefined && runs.length > 0

function compareTwo(result: RowResult, other: RowResult, minRatio: number | undefined): Verdict {
  const value = ratioOf(result, other)
  return {
    name: result.row.name,
    against: other.row.name,
    value,
    cpuRatio: ratioOf(result, other, (run, otherRun) => otherRun.cpuPerResponse / run.cpuPerResponse),
    ...(minRatio !== undefined && { target: minRatio, met: value >= minRatio }),
  }
}

function compareLatency(result: RowResult): Verdict[] {
  const { name, maxP99Ms } = result.row
  if (maxP99Ms === undefined) return []
  const value = medianOf(result, ({ p99 }) => p99)
  return [{ name, against: `p99 of ${maxP99Ms} ms`, value, target: maxP99Ms, met: value <= maxP99Ms }]
}
