import { isComplete, medianOf, ratioOf, type Verdict } from './compare.ts'
import { baselineFirst, baselineLast } from './limits/rows.ts'
import type { RowResult } from './measure.ts'
import { fixed, rounded, table, verdict } from './tables.ts'

export const showVerdicts = (verdicts: Verdict[]): string | undefined =>
  verdicts.length === 0
    ? undefined
    : table(
        ['', 'against', 'ratio', 'by CPU time', 'target', ''],
        verdicts.map(({ name, against, value, cpuRatio, target, met }) => [
          name,
          against,
          fixed(value, 2),
          fixed(cpuRatio, 2),
          fixed(target, 2),
          verdict(met),
        ]),
        2,
      )

/** Above this CPU percentage, the load generator limits the result. */
const MAX_LOAD_GENERATOR_CPU = 92

export function showRows(results: RowResult[]): string {
  const heads = [
    '',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'CPU service %',
    'CPU database %',
    'CPU µs/request',
    'statements/request',
    'RSS MB',
  ]
  const lines = results.map((result) => {
    if (!isComplete(result)) return [result.row.name, `failed: ${oneLine(result.problem)}`, ...Array(7).fill('')]
    const median = (read: Parameters<typeof medianOf>[1]) => medianOf(result, read)
    const mark = median(({ loadGeneratorCpu }) => loadGeneratorCpu) > MAX_LOAD_GENERATOR_CPU ? ' ¹' : ''
    return [
      result.row.name,
      rounded(median(({ perSecond }) => perSecond)) + mark,
      fixed(
        median(({ p50 }) => p50),
        2,
      ),
      fixed(
        median(({ p99 }) => p99),
        2,
      ),
      fixed(
        median(({ serviceCpu }) => serviceCpu),
        0,
      ),
      fixed(
        median(({ databaseCpu }) => databaseCpu),
        0,
      ),
      rounded(median(({ cpuPerResponse }) => cpuPerResponse)),
      fixed(
        median(({ statementsPerResponse }) => statementsPerResponse),
        2,
      ),
      fixed(
        median(({ residentMb }) => residentMb),
        0,
      ),
    ]
  })
  const busiest = Math.max(
    ...results.filter(isComplete).map((result) => medianOf(result, ({ loadGeneratorCpu }) => loadGeneratorCpu)),
  )
  const note = `The load generator used at most ${fixed(busiest, 0)} % of a core.`
  const limit = '¹ Limited by the load generator: compare the CPU time.'
  return [
    table(heads, lines),
    '',
    busiest > MAX_LOAD_GENERATOR_CPU ? limit : note,
    ...results.flatMap(describeBackground),
  ].join('\n')
}

function describeBackground(result: RowResult): string[] {
  if (!isComplete(result) || result.row.background === undefined) return []
  const rate = rounded(medianOf(result, ({ backgroundPerSecond }) => backgroundPerSecond))
  return [`${result.row.name}: the background load was ${rate}/s.`]
}

const oneLine = (text = '') => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 160)

export function showTwoProcesses(one: RowResult[], two: RowResult[]): string | undefined {
  if (two.length === 0) return undefined
  const lines = two.map((result) => {
    const single = one.find(({ row }) => `two:${row.id}` === result.row.id)
    if (!isComplete(result) || !single) return [result.row.name, `failed: ${oneLine(result.problem)}`, '', '', '', '']
    return [
      result.row.name,
      rounded(medianOf(single, ({ perSecond }) => perSecond)),
      rounded(medianOf(result, ({ perSecond }) => perSecond)),
      fixed(ratioOf(result, single), 2),
      fixed(
        medianOf(result, ({ serviceCpu }) => serviceCpu),
        0,
      ),
      fixed(
        medianOf(result, ({ residentMb }) => residentMb),
        0,
      ),
    ]
  })
  const heads = ['', 'one: requests/s', 'two: requests/s', 'ratio', 'CPU service %', 'RSS MB']
  return table(heads, lines)
}

export function showDrift(results: RowResult[]): string | undefined {
  const find = (id: string) => results.filter(isComplete).find(({ row }) => row.id === id)
  const [first, last] = [find(baselineFirst.id), find(baselineLast.id)]
  if (!first || !last) return undefined
  const rates = first.runs.map(({ perSecond }) => rounded(perSecond))
  const ratio = fixed(ratioOf(last, first), 2)
  return `The bare route at the end of a round against its beginning: ${ratio}. At the beginning of each round it answered ${rates.join(', ')} requests/s. The more these differ, the less reliable the absolute numbers are. Ratios are less affected, because compared rows are measured one after the other.`
}
