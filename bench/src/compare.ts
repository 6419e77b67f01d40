import type { RowResult, Run } from './measure.ts'
import { median } from './numbers.ts'

/** How one row stands to another, or to what is asked of it. */
export interface Verdict {
  name: string
  /** The other row's name, or what is asked. */
  against: string
  value: number
  /** The same by the CPU time of an answer: of use where the clock was disturbed. */
  byCpu?: number
  target?: number
  /** Undefined: nothing was asked of it. */
  met?: boolean
}

export const medianOf = ({ runs }: RowResult, read: (run: Run) => number): number => median(runs.map(read))

/** The median of what one is to the other, as that was the last time before. */
export function ratioOf(
  one: RowResult,
  other: RowResult,
  compare: (run: Run, beside: Run) => number = (run, beside) => run.perSecond / beside.perSecond,
): number {
  const ratios = one.runs.flatMap((run) => {
    const beside = other.runs.findLast(({ at }) => at < run.at)
    return beside ? [compare(run, beside)] : []
  })
  return median(ratios)
}

export function compareRows(results: RowResult[]): Verdict[] {
  return results.filter(isSound).flatMap((result) => [
    ...(result.row.compare ?? []).flatMap(({ with: id, least }) => {
      const other = results.filter(isSound).find(({ row }) => row.id === id)
      return other ? [compareTwo(result, other, least)] : []
    }),
    ...judgeLatency(result),
  ])
}

export const isSound = ({ problem, runs }: RowResult): boolean => problem === undefined && runs.length > 0

function compareTwo(result: RowResult, other: RowResult, least: number | undefined): Verdict {
  const value = ratioOf(result, other)
  return {
    name: result.row.name,
    against: other.row.name,
    value,
    byCpu: ratioOf(result, other, (run, beside) => beside.cpuPerAnswer / run.cpuPerAnswer),
    ...(least !== undefined && { target: least, met: value >= least }),
  }
}

function judgeLatency(result: RowResult): Verdict[] {
  const { name, mostP99 } = result.row
  if (mostP99 === undefined) return []
  const value = medianOf(result, ({ p99 }) => p99)
  return [{ name, against: `p99 of ${mostP99} ms`, value, target: mostP99, met: value <= mostP99 }]
}
