import { startLatchkey } from './latchkey/program.ts'
import { runLoad } from './load.ts'
import { type LoadResult, type Phase, UnexpectedResponseError } from './load-types.ts'
import { cpuSecondsOf, loadGeneratorCpuSeconds, residentMbOf } from './processes.ts'
import { type RunningProgram, type Sandbox, startProgram } from './programs.ts'
import type { ProgramName, Row, Scenario } from './row.ts'

/** One run of a row, with the resources it used. */
export interface Run extends LoadResult {
  /** Milliseconds from the start of the bench to the start of the run. */
  at: number
  /** Percent of one core. */
  serviceCpu: number
  databaseCpu: number
  /** Near 100, the load generator limits the result, not the program. */
  loadGeneratorCpu: number
  /** Microseconds of the service's processes. NaN if there is a background load, as for the statements. */
  cpuPerResponse: number
  statementsPerResponse: number
  residentMb: number
}

export interface RowResult {
  row: Row
  /** One per round. */
  runs: Run[]
  /** Why the row failed. Its runs are then not valid. */
  problem?: string
}

export interface Plan {
  rounds: number
  measurement: Phase
  warmup: Phase
  /** Longer for the first row of a program, because its code is not compiled yet. */
  firstWarmup: Phase
  connections: number
}

/** Running programs, each started on first use, and the scenarios prepared for each row. */
export interface MeasurementContext {
  sandbox: Sandbox
  programs: Map<ProgramName, Promise<RunningProgram>>
  scenarios: Map<string, Scenario[]>
  log(line: string): void
}

export function getProgram({ sandbox, programs, log }: MeasurementContext, name: ProgramName): Promise<RunningProgram> {
  const running = programs.get(name)
  if (running) return running
  log(`starting ${name} …`)
  const isOurs = name === 'latchkey' || name === 'latchkey-two'
  const started = isOurs ? startLatchkey(sandbox, name) : startProgram(sandbox, name)
  programs.set(name, started)
  return started
}

/**
 * Measures all rows once per round, so that other work on the machine slows compared rows equally. A row that has failed
 * is not measured again.
 */
export async function measureRows(context: MeasurementContext, order: Row[], plan: Plan): Promise<RowResult[]> {
  const rows = [...new Set(order)]
  const results = new Map(rows.map((row): [Row, RowResult] => [row, { row, runs: [] }]))
  for (let round = 1; round <= plan.rounds; round++) {
    for (const row of order) {
      const result = results.get(row)
      if (!result || result.problem !== undefined) continue
      const label = `${round}/${plan.rounds} ${result.row.id}`
      try {
        const run = await measureOnce(context, result.row, { rows, plan })
        result.runs.push(run)
        context.log(`${label}: ${Math.round(run.perSecond)}/s, p99 ${run.p99.toFixed(1)} ms`)
      } catch (error) {
        result.problem = error instanceof Error ? error.message : String(error)
        const kind = error instanceof UnexpectedResponseError ? 'unexpected response' : 'failed'
        context.log(`${label}: ${kind}: ${result.problem}`)
      }
    }
  }
  return [...results.values()]
}

async function getScenarios(context: MeasurementContext, row: Row, connections: number): Promise<Scenario[]> {
  const prepared = context.scenarios.get(row.id)
  // Chains start again: wrk does not return the unused values.
  if (prepared && !prepared.some(({ chain }) => chain)) return prepared
  const scenarios = await row.prepare(await getProgram(context, row.program), row.connections ?? connections)
  context.scenarios.set(row.id, scenarios)
  return scenarios
}

async function measureOnce(
  context: MeasurementContext,
  row: Row,
  { rows, plan }: { rows: Row[]; plan: Plan },
): Promise<Run> {
  const { database } = context.sandbox
  const isFirst = !context.programs.has(row.program)
  const program = await getProgram(context, row.program)
  const backgroundRow = rows.find(({ id }) => id === row.background)
  if (row.background !== undefined && !backgroundRow)
    throw new Error(`There is no row ${row.background} to run in the background.`)
  const scenarios = await getScenarios(context, row, plan.connections)
  const background = backgroundRow && (await getScenarios(context, backgroundRow, plan.connections))
  const at = performance.now()
  const usage = trackCpuUsage(program.pid, database.pid)
  const before = await database.countStatements(program.database)
  const result = await runLoad({
    url: program.url,
    scenarios,
    warmup: isFirst ? plan.firstWarmup : plan.warmup,
    measurement: plan.measurement,
    onMeasurement: usage.record,
    ...(background && { background }),
  })
  const statements = (await database.countStatements(program.database)) - before
  const cores = usage.averageCores()
  return {
    ...result,
    at,
    serviceCpu: cores.service * 100,
    databaseCpu: cores.database * 100,
    loadGeneratorCpu: cores.loadGenerator * 100,
    cpuPerResponse: background ? Number.NaN : (cores.service * cores.seconds * 1e6) / result.responses,
    statementsPerResponse: background ? Number.NaN : statements / result.totalResponses,
    residentMb: residentMbOf(program.pid),
  }
}

/** Reads CPU time when the measurement starts and when it ends. */
function trackCpuUsage(service: number, database: number) {
  const read = () => ({
    at: performance.now(),
    service: cpuSecondsOf(service),
    database: cpuSecondsOf(database),
    loadGenerator: loadGeneratorCpuSeconds(),
  })
  let start = read()
  let end = start
  return {
    record(event: 'start' | 'end') {
      if (event === 'start') start = read()
      else end = read()
    },
    averageCores() {
      const seconds = (end.at - start.at) / 1000
      return {
        seconds,
        service: (end.service - start.service) / seconds,
        database: (end.database - start.database) / seconds,
        loadGenerator: (end.loadGenerator - start.loadGenerator) / seconds,
      }
    },
  }
}
