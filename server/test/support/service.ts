import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { buildApp, jobs } from '../../src/app.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { openDb } from '../../src/db/open.ts'
import type { Route } from '../../src/http/define-route.ts'
import { registerAll } from '../../src/http/register.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { createClosers } from '../../src/lib/closers.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { createDatabase, type TestDatabase } from './database.ts'

export interface TestService {
  url: string
  ctx: Ctx
  connection: TestDatabase
  /** What was logged, one parsed line each. */
  logs: Record<string, unknown>[]
  close(): Promise<void>
}

interface Options {
  config?: Partial<Config>
  /** Routes beside the product's own, for tests of the machinery itself. */
  routes?: Route[]
  worker?: boolean
}

/** The real service on a database of its own, reached over HTTP. */
export async function startService({
  config,
  routes = [],
  worker = false,
}: Options = {}): Promise<TestService> {
  const closers = createClosers()
  const connection = await createDatabase()
  closers.add(connection.close)
  const db = openDb(connection, 10)
  closers.add(() => db.destroy())
  const logs: Record<string, unknown>[] = []
  const ctx: Ctx = {
    config: { ...loadConfig('demo', {}), ...config },
    db,
    now: () => new Date(),
    keys: createSealer([randomBytes(32)]),
    log: createLogger('debug', collectInto(logs)),
    strict: true,
    state: { draining: false },
  }
  if (worker) {
    const running = await startWorker(ctx, connection, jobs)
    closers.add(running.stop)
  }
  const app = buildApp(ctx)
  registerAll(app, ctx, { routes, pages: [], assets: [] })
  await app.listen({ host: '127.0.0.1', port: 0 })
  closers.add(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, ctx, connection, logs, close: closers.close }
}

const collectInto = (lines: Record<string, unknown>[]) =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n')) if (line) lines.push(JSON.parse(line))
      done()
    },
  })
