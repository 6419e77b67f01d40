import { inject } from 'vitest'
import { buildApp, dependencies, jobs } from '../../src/app.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { openChangeFeed } from '../../src/db/changes.ts'
import { openDb } from '../../src/db/open.ts'
import type { Route } from '../../src/http/routing/define-route.ts'
import { registerRoutes } from '../../src/http/routing/register.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { createClosers } from '../../src/lib/closers.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { createContext } from '../../src/main.ts'
import { ensureFirstKey } from '../../src/oauth/signing-keys/service.ts'
import { createDatabase, TEMPLATES, type TestDatabase } from './database.ts'
import { freePort } from './program.ts'
import { FULL } from './rounds.ts'
import { forbidSlowWorkInTransactions } from './slow-work.ts'

export interface TestService {
  url: string
  ctx: Ctx
  connection: TestDatabase
  /** The parsed log lines. Read it from the service each time: later lines are added only then. */
  readonly logs: Record<string, unknown>[]
  /** Moves this service's clock. */
  advance(ms: number): void
  close(): Promise<void>
}

interface ServiceOptions {
  config?: Partial<Config>
  /** Additional routes, for tests of the HTTP layer. */
  routes?: Route[]
  /** Also run the job worker. */
  worker?: boolean
  /** The host name in the base URL. Browsers create passkeys for names only, not for IP addresses. */
  host?: 'localhost'
  /** The template of its database; by default one with a signing key. */
  template?: string
  /** The clock moves only through `advance`, so that timestamps are exact. */
  frozenClock?: boolean
  /** Slow work inside a transaction throws. By default only in the full run, because the check costs CPU time. */
  forbidSlowWork?: boolean
  /** For a test that holds a lock for longer than requests wait in production. */
  lockTimeoutMs?: number
  /** The folder of a proxy's socket for the database. */
  databaseProxy?: string
  /** Start a second node with the database and the base URL of this one. */
  sameDatabaseAs?: TestService
}

/** Starts the real service on its own database and port. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const { routes = [], worker = false, host = '127.0.0.1', template = TEMPLATES.service, sameDatabaseAs } = options
  const { forbidSlowWork = FULL, databaseProxy, lockTimeoutMs } = options
  const closers = createClosers()
  const database = sameDatabaseAs?.connection ?? (await createDatabase(template))
  if (!sameDatabaseAs) closers.add(database.close)
  const connection = databaseProxy === undefined ? database : connectThrough(database, databaseProxy)
  const db = openDb(connection, 10, lockTimeoutMs === undefined ? {} : { lockTimeoutMs })
  if (forbidSlowWork) forbidSlowWorkInTransactions(db)
  closers.add(() => db.destroy())
  // A longer timeout than in production: a slow machine must not drop the caches that a test relies on.
  const changes = await openChangeFeed(connection.direct, { timeoutMs: 10_000 })
  closers.add(changes.stop)
  const lines = collectLines()
  const port = Number(await freePort())
  const url = `http://${host}:${port}`
  const baseUrl = sameDatabaseAs?.ctx.config.baseUrl ?? url
  const startedAt = Date.now()
  let offset = 0
  const ctx = createContext(
    { ...loadConfig('demo', { PASSWORD_HASH_MEMORY_MIB: '1' }), port, baseUrl, ...options.config },
    {
      db,
      changes,
      now: () => new Date((options.frozenClock ? startedAt : Date.now()) + offset),
      keys: createSealer([Buffer.from(inject('sealKey'), 'base64')]),
      log: createLogger('debug', lines),
      strict: true,
    },
  )
  await ensureFirstKey(ctx)
  if (worker) {
    const running = await startWorker(ctx, connection, jobs)
    closers.add(running.stop)
  }
  const app = buildApp(ctx)
  registerRoutes(app, ctx, { routes, pages: [], files: [] }, dependencies)
  await app.listen({ host: '127.0.0.1', port })
  closers.add(() => {
    // Node does not treat connections without a request as idle and would wait a minute for them.
    app.server.closeAllConnections()
    return app.close()
  })
  const advance = (ms: number) => {
    offset += ms
  }
  return {
    url,
    ctx,
    connection,
    get logs() {
      return lines.parse()
    },
    advance,
    close: closers.close,
  }
}

const connectThrough = (database: TestDatabase, host: string): TestDatabase => ({
  ...database,
  pooled: { ...database.pooled, host },
  direct: { ...database.direct, host },
})

/** Collects log lines. They are parsed when a test reads them, because most tests do not. */
function collectLines() {
  const parsed: Record<string, unknown>[] = []
  let unread: string[] = []
  return {
    write(line: string) {
      unread.push(line)
    },
    parse() {
      const lines = unread
      unread = []
      for (const line of lines) parsed.push(JSON.parse(line))
      return parsed
    },
  }
}
