import { expect, test } from 'vitest'
import { bareAfter, bareBefore } from '../src/limits/rows.ts'
import type { RowResult, Run } from '../src/measure.ts'
import { listMissed, writePage } from '../src/report.ts'
import type { Results } from '../src/results.ts'
import type { Row } from '../src/row.ts'

const run = (perSecond: number, more: Partial<Run> = {}): Run => ({
  at: Number.NaN,
  perSecond,
  p50: 1.234,
  p99: 5.678,
  answers: perSecond,
  allAnswers: perSecond * 2,
  meanwhilePerSecond: 0,
  serviceCpu: 99.6,
  databaseCpu: 12.4,
  ownCpu: 40,
  cpuPerAnswer: 1e6 / perSecond,
  statementsPerAnswer: 1.5,
  residentMb: 120.2,
  ...more,
})

const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  name: `Row ${id}`,
  program: 'latchkey',
  prepare: async () => [],
  ...more,
})

/** One run in each round, limits being asked before others and others before two processes, unless it is said when. */
function result(of: Row, ...runs: Run[]): RowResult {
  const isLast = of.id === bareAfter.id || of.id.startsWith('two:')
  const place = isLast ? 0.9 : of.program === 'limits' ? 0 : 0.5
  const toRun = (one: Run, round: number) => (Number.isNaN(one.at) ? { ...one, at: round + place } : one)
  return { row: of, runs: runs.map(toRun) }
}

const limit = result(row('limit', { program: 'limits' }), run(1_000), run(500), run(2_000))

const about = {
  date: '2026-11-15',
  node: '20.20.2',
  postgres: '18.4',
  processor: 'A processor',
  cores: 2,
  memoryGb: 24,
  system: 'linux x64',
  rounds: 3,
  ms: 3_000,
  connections: 32,
  minutes: 12,
  loadBefore: 0.2,
  units: { signatureMs: 0.412, syncMs: 1.25 },
}

const results = (rows: RowResult[], more: Partial<Results> = {}): Results => ({
  about,
  rows: [limit, ...rows],
  twoProcesses: [],
  ...more,
})

const line = (page: string, start: string): string | undefined =>
  page.split('\n').find((text) => text.startsWith(`| ${start} |`))

test('a ratio is of what was asked right before, however often that was', () => {
  const often = result(
    row('often', { program: 'limits' }),
    ...[run(100, { at: 1 }), run(200, { at: 3 }), run(50, { at: 5 })],
  )
  const least = 0.9
  const a = result(row('a', { compare: [{ with: 'often', least }] }), run(180, { at: 4 }))
  const b = result(row('b', { compare: [{ with: 'often', least }] }), run(45, { at: 0 }), run(45, { at: 9 }))
  const page = writePage(results([often, a, b]))
  for (const name of ['a', 'b'])
    expect(line(page, `Row ${name} | Row often`)).toBe(
      `| Row ${name} | Row often | 0.90 | 0.90 | 0.90 | met |`,
    )
})

test('a ratio is the median of those within the rounds, and its target met or missed', () => {
  const compared = (least: number) =>
    result(row('a', { compare: [{ with: 'limit', least }] }), run(900), run(400), run(1_000))
  const page = writePage(results([compared(0.8)]))
  expect(line(page, 'Row a | Row limit')).toBe('| Row a | Row limit | 0.80 | 0.80 | 0.80 | met |')
  const missed = results([compared(0.9)])
  expect(line(writePage(missed), 'Row a | Row limit')).toContain('**missed**')
  expect(listMissed(missed)).toEqual(['Row a against Row limit'])
})

test('a row shows medians, and a dash for what nobody knows', () => {
  const runs = [run(1_234), run(12_345, { residentMb: Number.NaN }), run(2_345)]
  const page = writePage(results([result(row('a'), ...runs)]))
  expect(line(page, 'Row a')).toBe('| Row a | 2,350 | 1.23 | 5.68 | 100 | 12 | 426 | 1.50 | – |')
})

test('a latency has a target of its own', () => {
  const page = writePage(results([result(row('a', { mostP99: 5 }), run(10))]))
  expect(line(page, 'Row a | p99 of 5 ms')).toBe('| Row a | p99 of 5 ms | 5.68 | – | 5.00 | **missed** |')
})

test('a row with a wrong answer is shown as failed and compared with nothing', () => {
  const failed = {
    ...result(row('a', { compare: [{ with: 'limit', least: 1 }] })),
    problem: 'not | right\n500',
  }
  const page = writePage(results([failed]))
  expect(line(page, 'Row a')).toContain('failed: not \\| right 500')
  expect(line(page, 'Row a | Row limit')).toBeUndefined()
})

test('a row that only the bench itself has slowed down is marked', () => {
  expect(writePage(results([result(row('a'), run(10, { ownCpu: 97 }))]))).toContain('| Row a | 10 ¹ |')
})

test('start, memory, growth, two processes and drift have their sections', () => {
  const start = { starts: 5, ready: 1_500, database: 200, beyond: 1_300, idleMb: 120 }
  const growth = {
    sizes: [100, 10_000],
    rows: [{ id: 'list', name: 'A list', milliseconds: [1, 1.5], ratios: [1, 1.5], most: 1.3 }],
  }
  const one = result(row('a'), run(100))
  const two = result(row('two:a', { program: 'latchkey-two' }), run(180))
  const drifting = [result(bareBefore, run(100)), result(bareAfter, run(90))]
  const all = results([one, ...drifting], { start, growth, loadedMb: 250, twoProcesses: [two] })
  const page = writePage(all)
  expect(line(page, 'Ready beyond the start of its database, ms')).toContain('| 1300 | 1000 | **missed** |')
  expect(line(page, 'RSS after all rows, MB')).toContain('| 250 | 300 | met |')
  expect(line(page, 'A list')).toBe('| A list | 1.00 | 1.50 | 1.50 | 1.30 | **missed** |')
  expect(page).toContain('against its beginning: 0.90')
  expect(line(page.slice(page.indexOf('## Two processes')), 'Row two:a')).toContain('| 100 | 180 | 1.80 |')
  expect(listMissed(all)).toEqual(['Ready beyond the start of its database, ms', 'Growth: A list'])
})

test('a machine that was busy with something else is told of', () => {
  expect(writePage(results([]))).not.toContain('its load was')
  expect(writePage({ ...results([]), about: { ...about, loadBefore: 3 } })).toContain('its load was 3.0')
})

test('what a signature and the disk take by themselves is told', () => {
  expect(writePage(results([]))).toContain('a signature takes 0.41 ms here, and the disk 1.25 ms')
})

test('what was written by hand is kept', () => {
  const earlier = '# Old\n<!-- by hand -->\nEach step and what it gained.\n<!-- /by hand -->\n## Old too'
  const page = writePage(results([]), earlier)
  expect(page).toContain('<!-- by hand -->\nEach step and what it gained.\n<!-- /by hand -->')
  expect(page).not.toContain('Old')
  expect(writePage(results([]), page)).toBe(page)
  expect(writePage(results([]))).toContain('<!-- by hand -->\n<!-- /by hand -->')
})
