import type { LogEvent, QueryExecutorProvider } from 'kysely'
import { defineCounter, defineTimer, type Figures } from '../lib/figures.ts'
import { type Past, reasonOf, type Tracer } from '../lib/tracer.ts'
import { isDatabaseAway } from './away.ts'

/** Who hears of what is done with a database. */
export interface Observation {
  figures: Figures
  tracer: Tracer
}

export const STATEMENTS = defineCounter({
  name: 'latchkey_database_statements_total',
  help: 'Statements for requests and jobs by how they ended; refused: by a rule of the schema, or to let another pass',
  labels: { outcome: ['ok', 'refused', 'away', 'failed'] },
})

export const STATEMENT_TIME = defineTimer({
  name: 'latchkey_database_statement_seconds',
  help: 'Time until the database has answered a statement',
  labels: {},
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
})

export const CONNECTION_TIME = defineTimer({
  name: 'latchkey_database_connection_wait_seconds',
  help: 'Time until a statement or transaction of a request or job had a connection of the pool',
  labels: {},
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
})

const observations = new WeakMap<object, Observation>()

/** A transaction is observed along with its database: both have the same adapter. */
const homeOf = (db: QueryExecutorProvider): object => db.getExecutor().adapter

export function observe(db: QueryExecutorProvider, observation: Observation): void {
  observations.set(homeOf(db), observation)
}

export const observationOf = (db: QueryExecutorProvider): Observation | undefined =>
  observations.get(homeOf(db))

/** Called for every statement once it is over. */
export function noteStatement(db: QueryExecutorProvider, event: LogEvent): void {
  const observation = observationOf(db)
  if (!observation) return
  const { figures, tracer } = observation
  figures.count(STATEMENTS, { outcome: event.level === 'query' ? 'ok' : outcomeOf(event.error) })
  figures.time(STATEMENT_TIME, {}, event.queryDurationMillis / 1000)
  tracer.note(() => describe(event))
}

/** Called when a connection was given out, or could not be. */
export const noteConnection = (db: QueryExecutorProvider, seconds: number): void =>
  observationOf(db)?.figures.time(CONNECTION_TIME, {}, seconds)

/** Classes 23 and 40: a constraint, or two transactions of which one gives way. */
const REFUSED = /^(?:23|40)/

function outcomeOf(error: unknown): 'refused' | 'away' | 'failed' {
  const { code = '' } = error as { code?: string }
  if (REFUSED.test(code)) return 'refused'
  return isDatabaseAway(error) ? 'away' : 'failed'
}

const LONGEST_TEXT = 1_000
const VERB = /^\W*(\w+)/
const TABLE = /\b(?:from|into|update)\s+"?(?!select\b)([a-z_]+)/i
const CHANGES = /\b(?:(insert) into|(?<!\b(?:for|key|do) )(update)|(delete) from) "?([a-z_]+)/gi

/** What a statement does, and with which table. One of several parts is for the sake of its last change. */
function summarise(text: string): { verb: string; table: string | undefined } {
  const verb = VERB.exec(text)?.[1]?.toLowerCase() ?? 'statement'
  const [, insert, update, remove, changed] =
    verb === 'with' ? ([...text.matchAll(CHANGES)].at(-1) ?? []) : []
  const change = insert ?? update ?? remove
  return change === undefined
    ? { verb: verb === 'with' ? 'select' : verb, table: TABLE.exec(text)?.[1] }
    : { verb: change.toLowerCase(), table: changed }
}

/** The text of a statement holds places for its values, never the values themselves. */
function describe(event: LogEvent): Past & { name: string } {
  const text = event.query.sql.replace(/\s+/g, ' ').trim()
  const { verb, table } = summarise(text)
  return {
    name: table === undefined ? verb : `${verb} ${table}`,
    ms: event.queryDurationMillis,
    facts: {
      'db.system.name': 'postgresql',
      'db.operation.name': verb,
      'db.query.text': text.slice(0, LONGEST_TEXT),
    },
    failure: event.level === 'error' ? reasonOf(event.error) : undefined,
  }
}
