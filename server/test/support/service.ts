import { randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import { buildApp, jobs, sections, wiring } from '../../src/app.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { openChangeFeed } from '../../src/db/changes.ts'
import { openDb } from '../../src/db/open.ts'
import { applyChanges, planChanges, readDeclaration } from '../../src/declaration/apply.ts'
import type { Route } from '../../src/http/define-route.ts'
import { registerAll } from '../../src/http/register.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { createClosers } from '../../src/lib/closers.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { createContext } from '../../src/main.ts'
import { ensureFirstKey } from '../../src/oauth/signing-keys/service.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { freePort } from './program.ts'

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
  /** Another node on the database of this one, under the same name. */
  beside?: TestService
}

/** Nodes of one service share their keys. */
const sealKey = randomBytes(32)

/** The real service on a database of its own, reached over HTTP. */
export async function startService(options: Options = {}): Promise<TestService> {
  const { routes = [], worker = false, host = '127.0.0.1', beside } = options
  const closers = createClosers()
  const connection = beside?.connection ?? (await createDatabase())
  if (!beside) closers.add(connection.close)
  const db = openDb(connection, 10)
  closers.add(() => db.destroy())
  const changes = await openChangeFeed(connection.direct)
  closers.add(changes.stop)
  const logs: Record<string, unknown>[] = []
  const port = Number(await freePort())
  const url = `http://${host}:${port}`
  const baseUrl = beside?.ctx.config.baseUrl ?? url
  let ahead = 0
  const ctx = createContext(
    { ...loadConfig('demo', {}), port, baseUrl, ...options.config },
    {
      db,
      changes,
      now: () => new Date(Date.now() + ahead),
      keys: createSealer([sealKey]),
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
  closers.add(() => app.close())
  const advance = (ms: number) => {
    ahead += ms
  }
  return { url, ctx, connection, logs, advance, close: closers.close }
}

/** Lays out the demo's people, tenants, application and clients. */
export async function applyDemoWorld(ctx: Ctx): Promise<void> {
  const path = new URL('../../../demo/latchkey.yaml', import.meta.url).pathname
  await applyChanges(ctx, await planChanges(ctx, sections, readDeclaration(path, sections)))
}

const collectInto = (lines: Record<string, unknown>[]) =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n')) if (line) lines.push(JSON.parse(line))
      done()
    },
  })
