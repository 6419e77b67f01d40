import { Writable } from 'node:stream'
import { inject } from 'vitest'
import { buildApp, jobs, wiring } from '../../src/app.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { openChangeFeed } from '../../src/db/changes.ts'
import { openDb } from '../../src/db/open.ts'
import type { Route } from '../../src/http/define-route.ts'
import { registerAll } from '../../src/http/register.ts'
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
  /** What was logged, one parsed line each. */
  logs: Record<string, unknown>[]
  /** Moves this service's clock. */
  advance(ms: number): void
  close(): Promise<void>
}

interface Options {
  config?: Partial<Config>
  /** Routes beside the product's own, for tests of the machinery itself. */
  routes?: Route[]
  worker?: boolean
  /** The name it is reached by: browsers make passkeys for names only. */
  host?: 'localhost'
  /** What its database holds from the start: a signing key, unless another template is named. */
  template?: string
  /** The clock moves only through `advance`, so that timestamps are exact. */
  frozenClock?: boolean
  /** Slow work inside a transaction throws. Only in the full run, unless asked for: watching for it costs CPU time. */
  forbidSlowWork?: boolean
  /** The folder of a socket that leads to the database. */
  through?: string
  /** Another node on the database of this one, under the same name. */
  beside?: TestService
}

/** The real service on a database of its own, reached over HTTP. */
export async function startService(options: Options = {}): Promise<TestService> {
  const { routes = [], worker = false, host = '127.0.0.1', template = TEMPLATES.service, beside } = options
  const { forbidSlowWork = FULL, through } = options
  const closers = createClosers()
  const database = beside?.connection ?? (await createDatabase(template))
  if (!beside) closers.add(database.close)
  const connection = through === undefined ? database : goThrough(database, through)
  const db = openDb(connection, 10)
  if (forbidSlowWork) forbidSlowWorkInTransactions(db)
  closers.add(() => db.destroy())
  // A longer timeout than in production: a slow machine must not drop the caches that a test relies on.
  const changes = await openChangeFeed(connection.direct, { timeoutMs: 10_000 })
  closers.add(changes.stop)
  const logs: Record<string, unknown>[] = []
  const port = Number(await freePort())
  const url = `http://${host}:${port}`
  const baseUrl = beside?.ctx.config.baseUrl ?? url
  const began = Date.now()
  let ahead = 0
  const ctx = createContext(
    { ...loadConfig('demo', { PASSWORD_HASH_MEMORY_MIB: '1' }), port, baseUrl, ...options.config },
    {
      db,
      changes,
      now: () => new Date((options.frozenClock ? began : Date.now()) + ahead),
      keys: createSealer([Buffer.from(inject('sealKey'), 'base64')]),
      log: createLogger('debug', collectInto(logs)),
      strict: true,
    },
  )
  await ensureFirstKey(ctx)
  if (worker) {
    const running = await startWorker(ctx, connection, jobs)
    closers.add(running.stop)
  }
  const app = buildApp(ctx)
  registerAll(app, ctx, { routes, pages: [], assets: [] }, wiring)
  await app.listen({ host: '127.0.0.1', port })
  closers.add(() => {
    // Those that never asked for anything are not idle to Node, which would wait for them for a minute.
    app.server.closeAllConnections()
    return app.close()
  })
  const advance = (ms: number) => {
    ahead += ms
  }
  return { url, ctx, connection, logs, advance, close: closers.close }
}

const goThrough = (database: TestDatabase, host: string): TestDatabase => ({
  ...database,
  pooled: { ...database.pooled, host },
  direct: { ...database.direct, host },
})

const collectInto = (lines: Record<string, unknown>[]) =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n')) if (line) lines.push(JSON.parse(line))
      done()
    },
  })
