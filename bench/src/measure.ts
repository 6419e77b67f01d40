import { type Measured, type Span, WrongAnswer } from './asked.ts'
import { startLatchkey } from './latchkey/program.ts'
import { runLoad } from './load.ts'
import { cpuSecondsOf, ownCpuSeconds, residentMbOf } from './processes.ts'
import { type Running, type Site, startProgram } from './programs.ts'
import type { ProgramName, Row, Talk } from './row.ts'

/** One run of a row, with what it cost. */
export interface Run extends Measured {
  /** When it began, in milliseconds since the bench did. */
  at: number
  /** Percent of one core. */
  serviceCpu: number
  databaseCpu: number
  /** Of whoever asks. Near 100 it is the bench that is slow, and not what it asks. */
  ownCpu: number
  /** Microseconds of the service's processes. NaN where answers of several kinds come at once, as below. */
  cpuPerAnswer: number
  statementsPerAnswer: number
  residentMb: number
}

export interface RowResult {
  row: Row
  /** One for each round. */
  runs: Run[]
  /** What was wrong; then the runs mean nothing. */
  problem?: string
}

export interface Plan {
  rounds: number
  /** How long the clock runs for each row. */
  span: Span
  /** How long a row is asked before it does. */
  warm: Span
  /** The same for the first row of a program, whose code the engine has yet to compile. */
  firstWarm: Span
  connections: number
}

/** The programs that run, each started when it is first needed, with the talks that are prepared on them. */
export interface Stage {
  site: Site
  programs: Map<ProgramName, Promise<Running>>
  talks: Map<string, Talk[]>
  tell(line: string): void
}

export function getProgram({ site, programs, tell }: Stage, name: ProgramName): Promise<Running> {
  const running = programs.get(name)
  if (running) return running
  tell(`starting ${name} …`)
  const isOurs = name === 'latchkey' || name === 'latchkey-two'
  const started = isOurs ? startLatchkey(site, name) : startProgram(site, name)
  programs.set(name, started)
  return started
}

/**
 * Measures all rows in their turns, then all once more, and so on: whatever else slows the machine for a while, slows rows
 * that are compared with each other alike. A row with a wrong answer is not asked again.
 */
export async function measureRows(stage: Stage, turns: Row[], plan: Plan): Promise<RowResult[]> {
  const rows = [...new Set(turns)]
  const results = new Map(rows.map((row): [Row, RowResult] => [row, { row, runs: [] }]))
  for (let round = 1; round <= plan.rounds; round++) {
    for (const turn of turns) {
      const result = results.get(turn)
      if (!result || result.problem !== undefined) continue
      const place = `${round}/${plan.rounds} ${result.row.id}`
      try {
        const run = await measureOnce(stage, result.row, { rows, plan })
        result.runs.push(run)
        stage.tell(`${place}: ${Math.round(run.perSecond)}/s, p99 ${run.p99.toFixed(1)} ms`)
      } catch (error) {
        result.problem = error instanceof Error ? error.message : String(error)
        const kind = error instanceof WrongAnswer ? 'wrong answer' : 'failed'
        stage.tell(`${place}: ${kind}: ${result.problem}`)
      }
    }
  }
  return [...results.values()]
}

async function getTalks(stage: Stage, row: Row, connections: number): Promise<Talk[]> {
  const prepared = stage.talks.get(row.id)
  // Chains are begun anew: wrk goes away with what it was given last.
  if (prepared && !prepared.some(({ chain }) => chain)) return prepared
  const talks = await row.prepare(await getProgram(stage, row.program), row.connections ?? connections)
  stage.talks.set(row.id, talks)
  return talks
}

async function measureOnce(
  stage: Stage,
  row: Row,
  { rows, plan }: { rows: Row[]; plan: Plan },
): Promise<Run> {
  const { database } = stage.site
  const isFirst = !stage.programs.has(row.program)
  const program = await getProgram(stage, row.program)
  const other = rows.find(({ id }) => id === row.meanwhile)
  if (row.meanwhile !== undefined && !other)
    throw new Error(`There is no row ${row.meanwhile} to ask meanwhile.`)
  const talks = await getTalks(stage, row, plan.connections)
  const meanwhile = other && (await getTalks(stage, other, plan.connections))
  const at = performance.now()
  const clock = watchCosts(program.pid, database.pid)
  const before = await database.countStatements(program.database)
  const { url } = program
  const measured = await runLoad({
    ...{ url, talks, warm: isFirst ? plan.firstWarm : plan.warm, span: plan.span, onClock: clock.note },
    ...(meanwhile && { meanwhile }),
  })
  const statements = (await database.countStatements(program.database)) - before
  const costs = clock.costs()
  return {
    ...{ ...measured, at },
    ...{ serviceCpu: costs.service * 100, databaseCpu: costs.database * 100, ownCpu: costs.own * 100 },
    cpuPerAnswer: meanwhile ? Number.NaN : (costs.service * costs.seconds * 1e6) / measured.answers,
    statementsPerAnswer: meanwhile ? Number.NaN : statements / measured.allAnswers,
    residentMb: residentMbOf(program.pid),
  }
}

/** Reads what was used when the clock begins to run and when it ends. */
function watchCosts(service: number, database: number) {
  const read = () => ({
    at: performance.now(),
    service: cpuSecondsOf(service),
    database: cpuSecondsOf(database),
    own: ownCpuSeconds(),
  })
  let begin = read()
  let end = begin
  return {
    note(moment: 'begin' | 'end') {
      if (moment === 'begin') begin = read()
      else end = read()
    },
    /** Cores that were busy, on average. */
    costs() {
      const seconds = (end.at - begin.at) / 1000
      return {
        seconds,
        service: (end.service - begin.service) / seconds,
        database: (end.database - begin.database) / seconds,
        own: (end.own - begin.own) / seconds,
      }
    },
  }
}
