import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { type BulkheadPlan, measureBulkheads } from './bulkheads/bulkheads.ts'
import type { Database } from './database.ts'
import { measureGrowth } from './growth/growth.ts'
import { measureMemory } from './latchkey/memory.ts'
import { getProgram, type MeasurementContext, measureRows, type Plan } from './measure.ts'
import { BULKHEADS, HELP, type Options, readOptions, UsageError } from './options.ts'
import { stopAll } from './programs.ts'
import { listMissed, MAX_QUIET_LOAD, writePage } from './report.ts'
import type { About, Results } from './results.ts'
import type { Row } from './row.ts'
import { allRows, insertLimits, orderRows, pickRows, twoProcessRows } from './rows.ts'
import { measureStart } from './start.ts'
import { timeUnits } from './units.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

const PLAN: Plan = {
  rounds: 3,
  measurement: { minMs: 8_000, minResponses: 100, maxMs: 20_000 },
  warmup: { minMs: 700, minResponses: 5_000, maxMs: 2_000 },
  firstWarmup: { minMs: 2_000, minResponses: 20_000, maxMs: 10_000 },
  connections: 32,
}
const QUICK: Plan = {
  rounds: 1,
  measurement: { minMs: 700, minResponses: 32, maxMs: 4_000 },
  warmup: { minMs: 300, minResponses: 3_000, maxMs: 600 },
  firstWarmup: { minMs: 700, minResponses: 20_000, maxMs: 3_000 },
  connections: 32,
}

/** Failures after a stop signal are not logged. */
let isStopped = false

const log = (line: string) => void (isStopped || process.stderr.write(`${line}\n`))

// If the reader of a pipe goes away, the bench still ends regularly and cleans up.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

function chooseRows({ only }: Options): Row[] {
  const every = [...allRows, ...twoProcessRows]
  const rows = only === undefined ? every : pickRows(every, only)
  if (rows.length > 0 || only === BULKHEADS) return rows
  throw new UsageError(
    `No row has "${only}" in its id. The ids are:\n  ${[...every.map(({ id }) => id), BULKHEADS].join('\n  ')}`,
  )
}

async function measure({ folder, database }: Workspace, rows: Row[], options: Options): Promise<Results> {
  const startedAt = Date.now()
  const loadBefore = loadavg()[0] ?? 0
  if (loadBefore > MAX_QUIET_LOAD)
    log(`The machine is busy (load ${loadBefore.toFixed(1)}): the results will not be reliable.`)
  const units = timeUnits(folder)
  const plan = options.quick ? QUICK : PLAN
  const context: MeasurementContext = {
    sandbox: { folder, database },
    programs: new Map(),
    scenarios: new Map(),
    log,
  }
  const results = await measureRows(context, insertLimits(orderRows(rows)), plan)
  const ordered = rows.flatMap(({ id }) => results.filter(({ row }) => row.id === id))
  const isFullRun = options.only === undefined
  const memory = isFullRun ? await measureMemory(await getProgram(context, 'latchkey')) : undefined
  const bulkheads =
    isFullRun || options.only === BULKHEADS
      ? await measureBulkheads({
          program: await getProgram(context, 'latchkey'),
          socketDir: database.socketDir,
          plan: bulkheadPlan(options),
          log,
        })
      : undefined
  await stopAll()
  const starts = options.quick ? 3 : 5
  const start = isFullRun ? await measureStart({ folder, starts, idleMs: 10_000, log }) : undefined
  // Last, because filling the databases keeps the disk busy for a while.
  const growth = isFullRun ? await measureGrowth({ ...growthPlan(options), database, log }) : undefined
  return {
    about: {
      ...describeRun(database, plan),
      loadBefore,
      units,
      minutes: Math.ceil((Date.now() - startedAt) / 60_000),
    },
    rows: ordered.filter(({ row }) => row.program !== 'latchkey-two'),
    twoProcesses: ordered.filter(({ row }) => row.program === 'latchkey-two'),
    ...(start && { start }),
    ...(growth && { growth }),
    ...(bulkheads && { bulkheads }),
    ...(memory && { memory }),
  }
}

const bulkheadPlan = ({ quick }: Options): BulkheadPlan =>
  quick
    ? { idleMs: 2_000, signIns: 300, concurrency: 100, lockMs: 3_000 }
    : { idleMs: 8_000, signIns: 10_000, concurrency: 2_000, lockMs: 6_000 }

const growthPlan = ({ quick }: Options) =>
  quick ? { sizes: [100, 10_000], seconds: 0.05, runs: 1 } : { sizes: [100, 10_000, 1_000_000], seconds: 0.2, runs: 15 }

const describeRun = ({ version }: Database, plan: Plan): Omit<About, 'minutes' | 'loadBefore' | 'units'> => ({
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  postgres: version,
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1e9),
  system: `${process.platform} ${process.arch}`,
  rounds: plan.rounds,
  ms: plan.measurement.minMs,
  connections: plan.connections,
})

function publish(results: Results, out: string | undefined): void {
  if (out === undefined) return void process.stdout.write(writePage(results))
  writeFileSync(out, writePage(results, existsSync(out) ? readFileSync(out, 'utf8') : ''))
  log(`written to ${out}`)
}

/** Returns the exit code. */
async function run(options: Options): Promise<number> {
  const rows = chooseRows(options)
  const workspace = await openWorkspace(() => {
    isStopped = true
  })
  try {
    const results = await measure(workspace, rows, options)
    publish(results, options.out)
    const missed = listMissed(results)
    for (const name of missed) log(`missed: ${name}`)
    const failed = [...results.rows, ...results.twoProcesses].filter(({ problem }) => problem !== undefined)
    for (const { row, problem } of failed) log(`failed: ${row.id}: ${problem}`)
    return failed.length > 0 || (options.strict && missed.length > 0) ? 1 : 0
  } finally {
    await workspace.close()
  }
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) process.stdout.write(HELP)
  else process.exitCode = await run(options)
} catch (error) {
  process.exitCode = 1
  const isUsage = error instanceof UsageError
  log(isUsage ? `${error.message}\n\n${HELP}` : error instanceof Error ? String(error.stack) : String(error))
}
