import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp, jobs } from '../app.ts'
import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'
import { openChangeFeed } from '../db/changes.ts'
import { openDb } from '../db/open.ts'
import { startWorker } from '../jobs/worker.ts'
import { loadEncryptionKeys } from '../keys/encryption-keys.ts'
import { createClosers } from '../lib/closers.ts'
import { createSealer } from '../lib/seal.ts'
import { createContext } from '../main.ts'
import { type Controls, registerTestRoutes } from './routes.ts'
import { renewSecretIds, toSettings } from './store.ts'

/** The service on one copy of the initial data. Everything that it keeps in memory ends with it. */
export interface TestService {
  app: FastifyInstance
  database: string
  close(): Promise<void>
}

interface ServiceOptions {
  config: Config
  log: Logger
  socketDir: string
  database: string
  controls: Controls
}

export async function openService({
  config,
  log,
  socketDir,
  database,
  controls,
}: ServiceOptions): Promise<TestService> {
  const closers = createClosers()
  try {
    const settings = toSettings(socketDir, database)
    const connection = { pooled: settings, direct: settings, lost: new Promise<void>(() => {}), close: async () => {} }
    const db = openDb(connection, config.database.poolSize)
    closers.add(() => db.destroy())
    await renewSecretIds(db)
    const changes = await openChangeFeed(settings)
    closers.add(changes.stop)
    const keys = createSealer(loadEncryptionKeys(config))
    const ctx: Ctx = createContext(config, { db, changes, now: controls.clock.now, keys, log })
    const app = buildApp(ctx)
    registerTestRoutes(app, ctx, controls)
    await app.ready()
    const workerCtx = { ...ctx }
    const worker = await startWorker(workerCtx, connection, jobs)
    closers.add(async () => {
      await worker.stop()
      release(workerCtx)
    })
    return { app, database, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/**
 * graphile-worker keeps the options of every worker that has run in the process, and with them its context. Without
 * this, the memory of each replaced service would stay in use. Late errors are still logged.
 */
function release(ctx: Ctx): void {
  for (const name of Object.keys(ctx)) if (name !== 'log') Reflect.deleteProperty(ctx, name)
}
