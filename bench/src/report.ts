import { compareRows, isSound, medianOf, ratioOf, type Verdict } from './compare.ts'
import { bareAfter, bareBefore } from './limits/rows.ts'
import type { RowResult } from './measure.ts'
import { HOW } from './method.ts'
import type { About, GrowthTable, Results } from './results.ts'
import type { StartResult } from './start.ts'
import { fixed, rounded, table, verdict } from './tables.ts'

/** Writes what was found as a page. What somebody wrote between the marks of an earlier one is kept. */
export function writePage(results: Results, earlier = ''): string {
  const { about, rows, twoProcesses, start, loadedMb, growth } = results
  const verdicts = compareRows(rows)
  const sections = [
    `# Benchmarks\n\n${describe(about)}`,
    keepByHand(earlier),
    section('Targets', showVerdicts(verdicts.filter(({ met }) => met !== undefined))),
    section('All rows', showRows(rows)),
    section('Beside others', showVerdicts(verdicts.filter(({ met }) => met === undefined))),
    section('Two processes', showTwo(rows, twoProcesses)),
    section('Start and memory', showStart(start, loadedMb)),
    section('Growth', growth && showGrowth(growth)),
    section('Drift', showDrift(rows)),
    section('How it is measured', HOW),
  ]
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`
}

/** All targets of a run, those of single rows and of the rest. */
export const listMissed = (results: Results): string[] => [
  ...compareRows(results.rows)
    .filter(({ met }) => met === false)
    .map(({ name, against }) => `${name} against ${against}`),
  ...listStart(results.start, results.loadedMb)
    .filter(({ met }) => met === false)
    .map(({ name }) => name),
  ...(results.growth?.rows ?? [])
    .filter((row) => row.most !== undefined && (row.ratios.at(-1) ?? 0) > row.most)
    .map(({ name }) => `Growth: ${name}`),
]

const section = (title: string, text: string | undefined): string => (text ? `## ${title}\n\n${text}` : '')

const BEGIN = '<!-- by hand -->'
const END = '<!-- /by hand -->'

function keepByHand(earlier: string): string {
  const begin = earlier.indexOf(BEGIN)
  const end = earlier.indexOf(END, begin)
  return begin >= 0 && end >= 0 ? earlier.slice(begin, end + END.length) : `${BEGIN}\n${END}`
}

const describe = (about: About): string =>
  [
    'Written by `npm run bench`.',
    `${about.date}, Node ${about.node}, PostgreSQL ${about.postgres}, ${about.cores} cores (${about.processor}),`,
    `${about.memoryGb} GB, ${about.system}. ${about.rounds} ${about.rounds === 1 ? 'round' : 'rounds'} of`,
    `${about.ms / 1000} s for each row, ${about.connections} connections; ${about.minutes} minutes in all.`,
    'Who asks, who answers and the database share the cores.',
  ].join(' ')

const showVerdicts = (verdicts: Verdict[]): string | undefined =>
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

function showRows(results: RowResult[]): string {
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

function showTwo(one: RowResult[], two: RowResult[]): string | undefined {
  if (two.length === 0) return undefined
  const lines = two.map((result) => {
    const single = one.find(({ row }) => `two:${row.id}` === result.row.id)
    if (!isSound(result) || !single)
      return [result.row.name, `failed: ${oneLine(result.problem)}`, '', '', '', '']
    return [
      result.row.name,
      rounded(medianOf(single, ({ perSecond }) => perSecond)),
      rounded(medianOf(result, ({ perSecond }) => perSecond)),
      fixed(
        ratioOf(result, single, ({ perSecond }) => perSecond),
        2,
      ),
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

function listStart(start: StartResult | undefined, loadedMb: number | undefined): Limit[] {
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

function showStart(start: StartResult | undefined, loadedMb: number | undefined): string | undefined {
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

function showGrowth({ sizes, rows }: GrowthTable): string {
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

function showDrift(results: RowResult[]): string | undefined {
  const find = (id: string) => results.filter(isSound).find(({ row }) => row.id === id)
  const [first, last] = [find(bareBefore.id), find(bareAfter.id)]
  if (!first || !last) return undefined
  const rates = first.runs.map(({ perSecond }) => rounded(perSecond))
  const ratio = fixed(
    ratioOf(last, first, ({ perSecond }) => perSecond),
    2,
  )
  return `The same bare route at the end of a round against its beginning: ${ratio}. At the beginning of each round it answered ${rates.join(', ')} requests/s. The further these are apart, the less the numbers of a row say by themselves; ratios are of the same round.`
}
