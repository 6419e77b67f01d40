import { isSound, medianOf, ratioOf, type Verdict } from './compare.ts'
import { bareAfter, bareBefore } from './limits/rows.ts'
import type { RowResult } from './measure.ts'
import { fixed, rounded, table, verdict } from './tables.ts'

/** What the page shows of the rows. */

export const showVerdicts = (verdicts: Verdict[]): string | undefined =>
  verdicts.length === 0
    ? undefined
    : table(
        ['', 'against', 'ratio', 'by CPU time', 'target', ''],
        verdicts.map(({ name, against, value, byCpu, target, met }) => [
          ...[name, against, fixed(value, 2), fixed(byCpu, 2), fixed(target, 2), verdict(met)],
        ]),
        2,
      )

/** The bench itself was the slow one from here on. */
const BUSY = 92

export function showRows(results: RowResult[]): string {
  const heads = [
    ...['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU service %', 'CPU database %', 'CPU µs/request'],
    ...['statements/request', 'RSS MB'],
  ]
  const lines = results.map((result) => {
    if (!isSound(result)) return [result.row.name, `failed: ${oneLine(result.problem)}`, ...Array(7).fill('')]
    const of = (read: Parameters<typeof medianOf>[1]) => medianOf(result, read)
    const mark = of(({ ownCpu }) => ownCpu) > BUSY ? ' ¹' : ''
    return [
      ...[result.row.name, rounded(of(({ perSecond }) => perSecond)) + mark],
      ...[
        fixed(
          of(({ p50 }) => p50),
          2,
        ),
        fixed(
          of(({ p99 }) => p99),
          2,
        ),
      ],
      ...[
        fixed(
          of(({ serviceCpu }) => serviceCpu),
          0,
        ),
        fixed(
          of(({ databaseCpu }) => databaseCpu),
          0,
        ),
      ],
      rounded(of(({ cpuPerAnswer }) => cpuPerAnswer)),
      fixed(
        of(({ statementsPerAnswer }) => statementsPerAnswer),
        2,
      ),
      fixed(
        of(({ residentMb }) => residentMb),
        0,
      ),
    ]
  })
  const busiest = Math.max(
    ...results.filter(isSound).map((result) => medianOf(result, ({ ownCpu }) => ownCpu)),
  )
  const note = `Whoever asks was never busier than ${fixed(busiest, 0)} % of a core.`
  const limit = '¹ Limited by whoever asks: look at the CPU time.'
  return [table(heads, lines), '', busiest > BUSY ? limit : note, ...results.flatMap(tellMeanwhile)].join(
    '\n',
  )
}

/** How much went on beside a row. */
function tellMeanwhile(result: RowResult): string[] {
  if (!isSound(result) || result.row.meanwhile === undefined) return []
  const rate = rounded(medianOf(result, ({ meanwhilePerSecond }) => meanwhilePerSecond))
  return [`${result.row.name}: these are ${rate}/s.`]
}

const oneLine = (text = '') => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 160)

export function showTwo(one: RowResult[], two: RowResult[]): string | undefined {
  if (two.length === 0) return undefined
  const lines = two.map((result) => {
    const single = one.find(({ row }) => `two:${row.id}` === result.row.id)
    if (!isSound(result) || !single)
      return [result.row.name, `failed: ${oneLine(result.problem)}`, '', '', '', '']
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
  const find = (id: string) => results.filter(isSound).find(({ row }) => row.id === id)
  const [first, last] = [find(bareBefore.id), find(bareAfter.id)]
  if (!first || !last) return undefined
  const rates = first.runs.map(({ perSecond }) => rounded(perSecond))
  const ratio = fixed(ratioOf(last, first), 2)
  return `The same bare route at the end of a round against its beginning: ${ratio}. At the beginning of each round it answered ${rates.join(', ')} requests/s. The further these are apart, the less the numbers of a row say by themselves; what a ratio is of was asked one after the other.`
}
