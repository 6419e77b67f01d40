import { Kysely, PostgresDialect, type PostgresPool, type Transaction } from 'kysely'
import type pg from 'pg'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { type BundledOptions, joinBundled, startBundled } from './bundled/server.ts'
import { openClient, openPool } from './connections.ts'
import { provideWitness } from './durable.ts'
import { noteConnection, noteStatement } from './observation.ts'
import { prepareStatements } from './prepared.ts'
import { checkSessions } from './session-check.ts'
import type { Tables } from './tables.ts'
import { limitTransactions, type TransactionLimit } from './transaction-limit.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

/** How to reach the database, and the server behind it when that is ours. */
export interface Connection {
  /** For requests; may lead through a transaction pooler. */
  pooled: pg.PoolConfig
  /** There is a pooler, so that a connection is another one for each transaction, and remembers nothing. */
  hasPooler?: boolean
  /** For what needs a session of its own: LISTEN, locks, migrations. */
  direct: pg.ClientConfig
  /** Where a bundled database lies, if not in the data folder. */
  relocatedTo?: string | undefined
  /** Settles when a bundled server ends by itself. */
  lost: Promise<void>
  close(): Promise<void>
}

/** `join` is for one of several processes of a service, of which the first one has started the server. */
export type Use = BundledOptions['use'] | 'join'

const OLDEST_SUPPORTED = 150_000
const CONNECT_TIMEOUT_MS = 5_000

/** Starts the bundled server, or makes sure that the one of DATABASE_URL can be used. */
export async function connect(
  config: Config,
  use: Use,
  meanwhile?: BundledOptions['meanwhile'],
): Promise<Connection> {
  const { url, directUrl } = config.database
  const common = { application_name: 'latchkey', connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
  if (url === undefined) {
    const server = await (use === 'join'
      ? joinBundled(config.dataDir)
      : startBundled(config.dataDir, { use, meanwhile, settings: makeRoom(config) }))
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
  // Not while it is waited for: a busy program would take an answer that lies there for none.
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

/** What PostgreSQL has room for unless told otherwise. */
const USUAL_ROOM = 100
/** What a process opens beside its pool: for jobs, for changes, and for a moment at its start. */
const BESIDE_POOL = 8
const FOR_COMMANDS = 20

function makeRoom({ workers, database: { poolSize } }: Config): Record<string, string> {
  const wanted = workers * (poolSize + BESIDE_POOL) + FOR_COMMANDS
  return wanted > USUAL_ROOM ? { max_connections: String(wanted) } : {}
}

/**
 * How long a statement waits for a lock: longer than a request of ours holds one, and short enough that whoever asks
 * is answered before a proxy gives up.
 */
const LOCK_TIMEOUT_MS = 10_000

export interface DbOptions {
  /** 0: without end, as for a command that waits for another to be done. */
  lockTimeoutMs?: number
}

/** The query builder on a pool of connections for requests. */
export function openDb(
  connection: Connection,
  size: number,
  { lockTimeoutMs = LOCK_TIMEOUT_MS }: DbOptions = {},
): Db {
  // A pooler passes on no settings of a session, or to somebody else: there the operator sets it for the role.
  const limit = connection.hasPooler ? {} : { onConnect: limitLockWaits(lockTimeoutMs) }
  const pool = openPool({ ...connection.pooled, ...limit }, size)
  if (!connection.hasPooler) prepareStatements(pool)
  const db: Db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: timeConnections(pool, (seconds) => noteConnection(db, seconds)) }),
    log: (event) => noteStatement(db, event),
  })
  pools.set(db, pool)
  limits.set(db, limitTransactions(db, size))
  provideWitness(db, connection.direct)
  return db
}

/** As a statement: poolers in session mode refuse a connection that asks for it while it is opened. */
const limitLockWaits = (milliseconds: number) => (client: pg.ClientBase) =>
  client.query(`set lock_timeout = ${milliseconds}`)

/** The pool as the query builder uses it, with the time noted for which a connection is waited for. */
function timeConnections(pool: pg.Pool, note: (seconds: number) => void): PostgresPool {
  return {
    async connect() {
      const asked = performance.now()
      try {
        return await pool.connect()
      } finally {
        note((performance.now() - asked) / 1_000)
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
  most: number
  /** Those who wait for a connection, transactions that write among them. */
  waiting: number
  waitingWrites: number
}

/** How the connections for requests are used just now. */
export function describePool(db: Db): PoolState {
  const { totalCount = 0, idleCount = 0, waitingCount = 0, options } = pools.get(db) ?? {}
  // A transaction that waits for others to end waits for a connection, too.
  const waitingWrites = limits.get(db)?.waiting() ?? 0
  return {
    ...{ inUse: totalCount - idleCount, idle: idleCount, most: options?.max ?? 0 },
    ...{ waiting: waitingCount + waitingWrites, waitingWrites },
  }
}

/** A statement that writes, by itself: it takes a connection only where a transaction that writes might take it. */
export function asWrite<T>(db: Db, statement: () => Promise<T>): Promise<T> {
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
    if (version < OLDEST_SUPPORTED) {
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

/** The reason of a failed connection, without the address: that may hold a password. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return describe(error.errors[0])
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
