import type { LogEvent, QueryExecutorProvider } from 'kysely'
import { defineCounter, defineHistogram, type Metrics } from '../lib/metrics/metrics.ts'
import { type FinishedSpan, reasonOf, type Tracer } from '../lib/tracing/tracer.ts'
import { isConnectionError } from './connection-errors.ts'

/** The metrics and the tracer of a database. */
export interface Instrumentation {
  metrics: Metrics
  tracer: Tracer
}

export const STATEMENTS = defineCounter({
  name: 'latchkey_database_statements_total',
  help: 'Statements of requests and jobs by outcome; refused: constraint violation, deadlock or serialization failure; away: no connection, or a lock timeout',
  labels: { outcome: ['ok', 'refused', 'away', 'failed'] },
})

export const STATEMENT_SECONDS = defineHistogram({
  name: 'latchkey_database_statement_seconds',
  help: 'Duration of statements',
  labels: {},
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
})

export const CONNECTION_WAIT = defineHistogram({
  name: 'latchkey_database_connection_wait_seconds',
  help: 'Time that statements and transactions of requests and jobs waited for a pool connection',
  labels: {},
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
})

const instrumentations = new WeakMap<object, Instrumentation>()

/** The adapter identifies the database, because a transaction has the same adapter as its database. */
const adapterOf = (db: QueryExecutorProvider): object => db.getExecutor().adapter

export function instrument(db: QueryExecutorProvider, instrumentation: Instrumentation): void {
  instrumentations.set(adapterOf(db), instrumentation)
}

export const instrumentationOf = (db: QueryExecutorProvider): Instrumentation | undefined =>
  instrumentations.get(adapterOf(db))

/** Called after every statement. */
export function recordStatement(db: QueryExecutorProvider, event: LogEvent): void {
  const instrumentation = instrumentationOf(db)
  if (!instrumentation) return
  const { metrics, tracer } = instrumentation
  metrics.count(STATEMENTS, { outcome: event.level === 'query' ? 'ok' : outcomeOf(event.error) })
  metrics.observe(STATEMENT_SECONDS, {}, event.queryDurationMillis / 1000)
  tracer.recordFinished(() => toSpan(event))
}

/** Called when the pool has provided a connection or failed to. */
export const recordConnectionWait = (db: QueryExecutorProvider, seconds: number): void =>
  instrumentationOf(db)?.metrics.observe(CONNECTION_WAIT, {}, seconds)

/** SQLSTATE classes 23 and 40: constraint violation, and transaction rollback. */
const REFUSED = /^(?:23|40)/

function outcomeOf(error: unknown): 'refused' | 'away' | 'failed' {
  const { code = '' } = error as { code?: string }
  if (REFUSED.test(code)) return 'refused'
  return isConnectionError(error) ? 'away' : 'failed'
}

const MAX_TEXT_LENGTH = 1_000
const VERB = /^\W*(\w+)/
/** The keyword `select` is not a table. */
const TABLE = /\b(?:from|into|update)\s+"?(?!select\b)([a-z_]+)/i
/** Not `for update`, `for no key update` or `on conflict do update`. */
const CHANGES = /\b(?:(insert) into|(?<!\b(?:for|key|do) )(update)|(delete) from) "?([a-z_]+)/gi

/**
 * The operation and the table of a statement. For a `with` statement those of its last insert, update or delete; without
 * one, `select`.
 */
function summarize(text: string): { verb: string; table: string | undefined } {
  const verb = VERB.exec(text)?.[1]?.toLowerCase() ?? 'statement'
  const [, insert, update, remove, changed] = verb === 'with' ? ([...text.matchAll(CHANGES)].at(-1) ?? []) : []
  const change = insert ?? update ?? remove
  return change === undefined
    ? { verb: verb === 'with' ? 'select' : verb, table: TABLE.exec(text)?.[1] }
    : { verb: change.toLowerCase(), table: changed }
}

/** Safe to export: the SQL text has placeholders instead of values. */
function toSpan(event: LogEvent): FinishedSpan {
  const text = event.query.sql.replace(/\s+/g, ' ').trim()
  const { verb, table } = summarize(text)
  return {
    name: table === undefined ? verb : `${verb} ${table}`,
    ms: event.queryDurationMillis,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': verb,
      'db.query.text': text.slice(0, MAX_TEXT_LENGTH),
    },
    failure: event.level === 'error' ? reasonOf(event.error) : undefined,
  }
}
