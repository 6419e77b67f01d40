import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { type BulkheadPlan, measureBulkheads } from './bulkheads/bulkheads.ts'
import type { Database } from './database.ts'
import { measureGrowth } from './growth/growth.ts'
import { getProgram, measureRows, type Plan, type Stage } from './measure.ts'
import { BULKHEADS, HELP, type Options, readOptions, UsageError } from './options.ts'
import { openPlace, type Place } from './place.ts'
import { residentMbOf } from './processes.ts'
import { stopAll } from './programs.ts'
import { listMissed, QUIET, writePage } from './report.ts'
import type { About, Results } from './results.ts'
import type { Row } from './row.ts'
import { allRows, besideLimits, inOrder, pickRows, twoProcessRows } from './rows.ts'
import { measureStart } from './start.ts'
import { timeUnits } from './units.ts'

const PLAN: Plan = {
  rounds: 3,
  span: { ms: 8_000, answers: 100, mostMs: 20_000 },
  warm: { ms: 700, answers: 5_000, mostMs: 2_000 },
  firstWarm: { ms: 2_000, answers: 20_000, mostMs: 10_000 },
  connections: 32,
}
const QUICK: Plan = {
  rounds: 1,
  span: { ms: 700, answers: 32, mostMs: 4_000 },
  warm: { ms: 300, answers: 3_000, mostMs: 600 },
  firstWarm: { ms: 700, answers: 20_000, mostMs: 3_000 },
  connections: 32,
}

/** Told to stop: whatever fails from then on is of no interest. */
let isStopped = false

const tell = (line: string) => void (isStopped || process.stderr.write(`${line}\n`))

// Whoever reads along may have enough of it earlier; what is measured goes on and is tidied up.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

/** The rows that are asked for. */
function chooseRows({ only }: Options): Row[] {
  const every = [...allRows, ...twoProcessRows]
  const rows = only === undefined ? every : pickRows(every, only)
  if (rows.length > 0 || only === BULKHEADS) return rows
  throw new UsageError(
    `No row has "${only}" in its id. The ids are:\n  ${[...every.map(({ id }) => id), BULKHEADS].join('\n  ')}`,
  )
}

async function measure({ folder, database }: Place, rows: Row[], options: Options): Promise<Results> {
  const begin = Date.now()
  const loadBefore = loadavg()[0] ?? 0
  if (loadBefore > QUIET)
    tell(`The machine is busy (load ${loadBefore.toFixed(1)}): the numbers will say little.`)
  const units = timeUnits(folder)
  const plan = options.quick ? QUICK : PLAN
  const stage: Stage = { site: { folder, database }, programs: new Map(), talks: new Map(), tell }
  const results = await measureRows(stage, besideLimits(inOrder(rows)), plan)
  const inTable = rows.flatMap(({ id }) => results.filter(({ row }) => row.id === id))
  const isWhole = options.only === undefined
  const loadedMb = isWhole ? await readLoadedMb(stage) : undefined
  const bulkheads =
    isWhole || options.only === BULKHEADS
      ? await measureBulkheads({
          ...{ program: await getProgram(stage, 'latchkey'), socketDir: database.socketDir, tell },
          plan: bulkheadPlan(options),
        })
      : undefined
  await stopAll()
  const starts = options.quick ? 3 : 5
  const start = isWhole ? await measureStart({ folder, starts, idleMs: 10_000, tell }) : undefined
  // The last of all: the disk is busy for a while with what it has filled.
  const growth = isWhole ? await measureGrowth({ ...growthPlan(options), database, tell }) : undefined
  return {
    about: {
      ...describeRun(database, plan),
      loadBefore,
      units,
      minutes: Math.ceil((Date.now() - begin) / 60_000),
    },
    rows: inTable.filter(({ row }) => row.program !== 'latchkey-two'),
    twoProcesses: inTable.filter(({ row }) => row.program === 'latchkey-two'),
    ...(start && { start }),
    ...(growth && { growth }),
    ...(bulkheads && { bulkheads }),
    ...(loadedMb !== undefined && { loadedMb }),
  }
}

const bulkheadPlan = ({ quick }: Options): BulkheadPlan =>
  quick
    ? { calmMs: 2_000, signIns: 300, atOnce: 100, lockMs: 3_000 }
    : { calmMs: 8_000, signIns: 10_000, atOnce: 2_000, lockMs: 6_000 }

const growthPlan = ({ quick }: Options) =>
  quick
    ? { sizes: [100, 10_000], seconds: 0.05, runs: 1 }
    : { sizes: [100, 10_000, 1_000_000], seconds: 0.2, runs: 15 }

/** What the service holds after all rows; nothing is known of one that did not start. */
const readLoadedMb = ({ programs }: Stage): Promise<number | undefined> | undefined =>
  programs.get('latchkey')?.then(
    ({ pid }) => residentMbOf(pid),
    () => undefined,
  )

const describeRun = ({ version }: Database, plan: Plan): Omit<About, 'minutes' | 'loadBefore' | 'units'> => ({
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  postgres: version,
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1e9),
  system: `${process.platform} ${process.arch}`,
  rounds: plan.rounds,
  ms: plan.span.ms,
  connections: plan.connections,
})

function publish(results: Results, out: string | undefined): void {
  if (out === undefined) return void process.stdout.write(writePage(results))
  writeFileSync(out, writePage(results, existsSync(out) ? readFileSync(out, 'utf8') : ''))
  tell(`written to ${out}`)
}

/** The code to end with. */
async function run(options: Options): Promise<number> {
  const rows = chooseRows(options)
  const place = await openPlace(() => {
    isStopped = true
  })
  try {
    const results = await measure(place, rows, options)
    publish(results, options.out)
    const missed = listMissed(results)
    for (const name of missed) tell(`missed: ${name}`)
    const failed = [...results.rows, ...results.twoProcesses].filter(({ problem }) => problem !== undefined)
    for (const { row, problem } of failed) tell(`failed: ${row.id}: ${problem}`)
    return failed.length > 0 || (options.strict && missed.length > 0) ? 1 : 0
  } finally {
    await place.close()
  }
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) process.stdout.write(HELP)
  else process.exitCode = await run(options)
} catch (error) {
  process.exitCode = 1
  const isUsage = error instanceof UsageError
  tell(isUsage ? `${error.message}\n\n${HELP}` : error instanceof Error ? String(error.stack) : String(error))
}
