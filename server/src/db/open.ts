import { Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely'
import type pg from 'pg'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { type BundledOptions, joinBundled, startBundled } from './bundled/server.ts'
import { openClient, openPool } from './connections.ts'
import { provideDurabilityCheck } from './durable.ts'
import { recordConnectionWait, recordStatement } from './instrumentation.ts'
import { prepareStatements } from './prepared.ts'
import { checkSessions } from './session-check.ts'
import type { Tables } from './tables.ts'
import { limitTransactions, type TransactionLimit } from './transaction-limit.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/** The connection settings, and the bundled server if there is one. */
export interface Connection {
  /** For requests; may go through a transaction pooler. */
  pooled: pg.PoolConfig
  /** `pooled` goes through a transaction pooler, so session state such as settings and prepared statements is lost. */
  hasPooler?: boolean
  /** For session features: LISTEN, advisory locks, migrations. */
  direct: pg.ClientConfig
  /** The folder of a bundled database, if it is not in the data folder. */
  relocatedTo?: string | undefined
  /** Resolves when a bundled server exits unexpectedly. */
  lost: Promise<void>
  close(): Promise<void>
}

/** `join` is for a worker, whose primary has started the server. */
export type DatabaseUse = BundledOptions['use'] | 'join'

const MIN_SERVER_VERSION = 150_000
const CONNECT_TIMEOUT_MS = 5_000

/** Starts the bundled server, or checks the server of DATABASE_URL. */
export async function connect(
  config: Config,
  use: DatabaseUse,
  meanwhile?: BundledOptions['meanwhile'],
): Promise<Connection> {
  const { url, directUrl } = config.database
  const common = { application_name: 'latchkey', connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
  if (url === undefined) {
    const server = await (use === 'join'
      ? joinBundled(config.dataDir)
      : startBundled(config.dataDir, { use, meanwhile, settings: toConnectionSettings(config) }))
    const direct = { ...common, host: server.socketDir, user: 'latchkey', database: 'latchkey' }
    return {
      pooled: direct,
      direct,
      lost: server.lost,
      relocatedTo: server.relocatedTo,
      close: server.stop,
    }
  }
  const direct = { ...common, connectionString: directUrl ?? url }
  // Not concurrently with the check: a busy event loop would make its timeouts fire although the answer has arrived.
  await meanwhile?.()
  await checkServer(direct, directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL')
  return {
    pooled: { ...common, connectionString: url },
    hasPooler: directUrl !== undefined,
    direct,
    lost: new Promise(() => {}),
    close: async () => {},
  }
}

/** PostgreSQL's default for max_connections. */
const DEFAULT_MAX_CONNECTIONS = 100
/** The connections of a process besides its pool: for jobs, for the change feed, and temporarily at the start. */
const EXTRA_CONNECTIONS = 8
const COMMAND_CONNECTIONS = 20

function toConnectionSettings({ workers, database: { poolSize } }: Config): Record<string, string> {
  const needed = workers * (poolSize + EXTRA_CONNECTIONS) + COMMAND_CONNECTIONS
  return needed > DEFAULT_MAX_CONNECTIONS ? { max_connections: String(needed) } : {}
}

/** Longer than a request holds a lock, and shorter than the timeouts of proxies. */
const LOCK_TIMEOUT_MS = 10_000

export interface DbOptions {
  /** 0 means no timeout, for commands that wait for other commands. */
  lockTimeoutMs?: number
}

/** Opens the query builder with a pool of connections for requests. */
export function openDb(connection: Connection, size: number, { lockTimeoutMs = LOCK_TIMEOUT_MS }: DbOptions = {}): Db {
  // A pooler drops session settings or applies them to other clients, so there the operator sets lock_timeout on the role.
  const hooks = connection.hasPooler ? {} : { onConnect: setLockTimeout(lockTimeoutMs) }
  const pool = openPool({ ...connection.pooled, ...hooks }, size)
  if (!connection.hasPooler) prepareStatements(pool)
  const db: Db = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: timeConnections(pool, (seconds) => recordConnectionWait(db, seconds)),
    }),
    log: (event) => recordStatement(db, event),
  })
  pools.set(db, pool)
  limits.set(db, limitTransactions(db, size))
  provideDurabilityCheck(db, connection.direct)
  return db
}

/** A statement instead of a startup parameter, which poolers in session mode reject. */
const setLockTimeout = (milliseconds: number) => (client: pg.ClientBase) =>
  client.query(`set lock_timeout = ${milliseconds}`)

/** Reports how long each connection was waited for. */
function timeConnections(pool: pg.Pool, report: (seconds: number) => void): PostgresPool {
  return {
    async connect() {
      const requestedAt = performance.now()
      try {
        return await pool.connect()
      } finally {
        report((performance.now() - requestedAt) / 1_000)
      }
    },
    end: () => pool.end(),
  }
}

const pools = new WeakMap<Db, pg.Pool>()
const limits = new WeakMap<Db, TransactionLimit>()

interface PoolState {
  inUse: number
  idle: number
  max: number
  /** Statements and transactions that wait for a connection, including `waitingWrites`. */
  waiting: number
  waitingWrites: number
}

export function describePool(db: Db): PoolState {
  const { totalCount = 0, idleCount = 0, waitingCount = 0, options } = pools.get(db) ?? {}
  const waitingWrites = limits.get(db)?.waiting() ?? 0
  return {
    inUse: totalCount - idleCount,
    idle: idleCount,
    max: options?.max ?? 0,
    waiting: waitingCount + waitingWrites,
    waitingWrites,
  }
}

/** Runs a single write statement under the limit of write transactions. */
export function runWrite<T>(db: Db, statement: () => Promise<T>): Promise<T> {
  const limit = limits.get(db)
  return limit ? limit.run(statement) : statement()
}

async function checkServer(direct: pg.ClientConfig, variable: string): Promise<void> {
  const client = openClient(direct)
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number; shown: string }>(
      `select current_setting('server_version_num')::int as version, current_setting('server_version') as shown`,
    )
    const { version = 0, shown = 'unknown' } = rows[0] ?? {}
    if (version < MIN_SERVER_VERSION) {
      throw new OperatorError(`${variable} leads to PostgreSQL ${shown}; Latchkey needs 15 or later.`)
    }
    await checkSessions(direct, client, variable)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The database of ${variable} cannot be used: ${describe(error)}.`, {
      cause: error,
    })
  } finally {
    await client.end().catch(() => {})
  }
}

/** The reason of a failed connection, without the URL, which may contain a password. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return describe(error.errors[0])
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
