import { expect, test } from 'vitest'
import { baselineFirst, baselineLast } from '../src/limits/rows.ts'
import type { RowResult, Run } from '../src/measure.ts'
import { listMissed, writePage } from '../src/report.ts'
import type { Results } from '../src/results.ts'
import type { Row } from '../src/row.ts'

const run = (perSecond: number, overrides: Partial<Run> = {}): Run => ({
  at: Number.NaN,
  perSecond,
  p50: 1.234,
  p99: 5.678,
  responses: perSecond,
  totalResponses: perSecond * 2,
  backgroundPerSecond: 0,
  serviceCpu: 99.6,
  databaseCpu: 12.4,
  loadGeneratorCpu: 40,
  cpuPerResponse: 1e6 / perSecond,
  statementsPerResponse: 1.5,
  residentMb: 120.2,
  ...overrides,
})

const row = (id: string, overrides: Partial<Row> = {}): Row => ({
  id,
  name: `Row ${id}`,
  program: 'latchkey',
  prepare: async () => [],
  ...overrides,
})

/** One run per round. Unless a run has a time, limits come first, and two processes last. */
function result(forRow: Row, ...runs: Run[]): RowResult {
  const isLast = forRow.id === baselineLast.id || forRow.id.startsWith('two:')
  const offset = isLast ? 0.9 : forRow.program === 'limits' ? 0 : 0.5
  const toRun = (run: Run, round: number) => (Number.isNaN(run.at) ? { ...run, at: round + offset } : run)
  return { row: forRow, runs: runs.map(toRun) }
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

const results = (rows: RowResult[], overrides: Partial<Results> = {}): Results => ({
  about,
  rows: [limit, ...rows],
  twoProcesses: [],
  ...overrides,
})

const line = (page: string, start: string): string | undefined =>
  page.split('\n').find((text) => text.startsWith(`| ${start} |`))

test('a ratio compares with the latest earlier run of the other row', () => {
  const repeated = result(
    row('repeated', { program: 'limits' }),
    run(100, { at: 1 }),
    run(200, { at: 3 }),
    run(50, { at: 5 }),
  )
  const minRatio = 0.9
  const a = result(row('a', { compare: [{ with: 'repeated', minRatio }] }), run(180, { at: 4 }))
  const b = result(row('b', { compare: [{ with: 'repeated', minRatio }] }), run(45, { at: 0 }), run(45, { at: 9 }))
  const page = writePage(results([repeated, a, b]))
  for (const name of ['a', 'b'])
    expect(line(page, `Row ${name} | Row repeated`)).toBe(`| Row ${name} | Row repeated | 0.90 | 0.90 | 0.90 | met |`)
})

test('a ratio is the median over the rounds, and its target is met or missed', () => {
  const compared = (minRatio: number) =>
    result(row('a', { compare: [{ with: 'limit', minRatio }] }), run(900), run(400), run(1_000))
  const page = writePage(results([compared(0.8)]))
  expect(line(page, 'Row a | Row limit')).toBe('| Row a | Row limit | 0.80 | 0.80 | 0.80 | met |')
  const missed = results([compared(0.9)])
  expect(line(writePage(missed), 'Row a | Row limit')).toContain('**missed**')
  expect(listMissed(missed)).toEqual(['Row a against Row limit'])
})

test('a row shows medians, and a dash for an unknown value', () => {
  const runs = [run(1_234), run(12_345, { residentMb: Number.NaN }), run(2_345)]
  const page = writePage(results([result(row('a'), ...runs)]))
  expect(line(page, 'Row a')).toBe('| Row a | 2,350 | 1.23 | 5.68 | 100 | 12 | 426 | 1.50 | – |')
})

test('a row can have a latency target', () => {
  const page = writePage(results([result(row('a', { maxP99Ms: 5 }), run(10))]))
  expect(line(page, 'Row a | p99 of 5 ms')).toBe('| Row a | p99 of 5 ms | 5.68 | – | 5.00 | **missed** |')
})

test('a row with an unexpected response is shown as failed and not compared', () => {
  const failed = {
    ...result(row('a', { compare: [{ with: 'limit', minRatio: 1 }] })),
    problem: 'not | right\n500',
  }
  const page = writePage(results([failed]))
  expect(line(page, 'Row a')).toContain('failed: not \\| right 500')
  expect(line(page, 'Row a | Row limit')).toBeUndefined()
})

test('a row that is limited by the load generator is marked', () => {
  expect(writePage(results([result(row('a'), run(10, { loadGeneratorCpu: 97 }))]))).toContain('| Row a | 10 ¹ |')
})

test('start, memory, growth, two processes and drift have their sections', () => {
  const start = { starts: 5, readyMs: 1_500, databaseMs: 200, overheadMs: 1_300, idleMb: 120 }
  const growth = {
    sizes: [100, 10_000],
    rows: [{ id: 'list', name: 'A list', milliseconds: [1, 1.5], ratios: [1, 1.5], maxRatio: 1.3 }],
  }
  const one = result(row('a'), run(100))
  const two = result(row('two:a', { program: 'latchkey-two' }), run(180))
  const drifting = [result(baselineFirst, run(100)), result(baselineLast, run(90))]
  const all = results([one, ...drifting], {
    start,
    growth,
    memory: { afterRowsMb: 250, inUseMb: 260, tokens: 5_000, facts: 10_000, idleCpuPercent: 0.4 },
    twoProcesses: [two],
  })
  const page = writePage(all)
  expect(line(page, 'Ready beyond the start of its database, ms')).toContain('| 1300 | 1000 | **missed** |')
  expect(line(page, 'RSS after all rows, MB')).toContain('| 250 |')
  expect(line(page, 'RSS with 5,000 tokens and 10,000 license facts in use, MB')).toContain('| 260 | 300 | met |')
  expect(line(page, 'CPU time when idle afterwards, % of a core')).toContain('| 0.4 | 1 | met |')
  expect(line(page, 'A list')).toBe('| A list | 1.00 | 1.50 | 1.50 | 1.30 | **missed** |')
  expect(page).toContain('against its beginning: 0.90')
  expect(line(page.slice(page.indexOf('## Two processes')), 'Row two:a')).toContain('| 100 | 180 | 1.80 |')
  expect(listMissed(all)).toEqual(['Ready beyond the start of its database, ms', 'Growth: A list'])
})

test('the page warns about a busy machine', () => {
  expect(writePage(results([]))).not.toContain('its load was')
  expect(writePage({ ...results([]), about: { ...about, loadBefore: 3 } })).toContain('its load was 3.0')
})

test('the page reports the time of a signature and of a disk write', () => {
  expect(writePage(results([]))).toContain('signature takes 0.41 ms here, and a synchronous disk write 1.25 ms')
})

test('the handwritten part is kept', () => {
  const previous = '# Old\n<!-- by hand -->\nEach step and what it gained.\n<!-- /by hand -->\n## Old too'
  const page = writePage(results([]), previous)
  expect(page).toContain('<!-- by hand -->\nEach step and what it gained.\n<!-- /by hand -->')
  expect(page).not.toContain('Old')
  expect(writePage(results([]), page)).toBe(page)
  expect(writePage(results([]))).toContain('<!-- by hand -->\n<!-- /by hand -->')
})
