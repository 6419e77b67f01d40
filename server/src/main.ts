import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import type { Ctx } from './context.ts'
import { createCache } from './db/cache.ts'
import { noopChangeFeed, openChangeFeed } from './db/changes.ts'
import { startClock } from './db/clock.ts'
import { retryOnDeadlock } from './db/errors.ts'
import { instrument } from './db/instrumentation.ts'
import { type Migration, migrate } from './db/migrate.ts'
import { type Connection, connect, type DatabaseUse, openDb } from './db/open.ts'
import { ensureRowSecurity } from './db/row-security.ts'
import { OperatorError } from './errors.ts'
import { stopListening } from './http/server/draining.ts'
import { loadEncryptionKeys } from './keys/encryption-keys.ts'
import { createSigner } from './keys/signer.ts'
import { createClosers } from './lib/closers.ts'
import { openGeoIp } from './lib/geoip.ts'
import { setHashSettings } from './lib/hash-settings.ts'
import type { IpcChannel } from './lib/ipc-channel.ts'
import { createLogger } from './lib/logger.ts'
import { createMetrics } from './lib/metrics/metrics.ts'
import { createSealer } from './lib/seal.ts'
import { noopTracer, openTracer } from './lib/tracing/tracer.ts'

/** A context with an open database, for the service and for commands. */
export interface OpenContext {
  ctx: Ctx
  connection: Connection
  /** The migrations that were applied. */
  applied: Migration[]
  close(): Promise<void>
}

/** A running service. `close` fails readiness, finishes requests, and stops jobs, pool and database. */
export type Service = OpenContext

/** The time for running requests to finish when the service stops. */
const REQUEST_TIMEOUT_MS = 4_000

/** How long a proxy may still use idle connections after the port is closed. */
const IDLE_TIMEOUT_MS = 2_000

/**
 * Opens and migrates the database. `own` is for the service, which requires exclusive use of a bundled database; `join`
 * is for its worker processes, and `share` for commands, which may run beside it.
 */
export async function openContext(
  config: Config,
  use: DatabaseUse,
  { meanwhile, primary }: { meanwhile?: () => Promise<unknown>; primary?: IpcChannel } = {},
): Promise<OpenContext> {
  const closers = createClosers()
  try {
    const connection = await connect(config, use, meanwhile)
    closers.add(connection.close)
    const opened = await openContextOn(connection, config, { serves: use !== 'share', primary })
    closers.add(opened.close)
    return { ...opened, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

interface OpenOptions {
  /** False for commands, which need no change notifications, tracing or lock timeout. */
  serves: boolean
  primary?: IpcChannel | undefined
}

/** Creates a context. Closing it does not close the database connection. */
export async function openContextOn(
  connection: Connection,
  config: Config,
  { serves, primary }: OpenOptions,
): Promise<OpenContext> {
  const closers = createClosers()
  try {
    const applied = await retryOnDeadlock(() => migrate(connection.direct))
    const db = openDb(connection, config.database.poolSize, serves ? {} : { lockTimeoutMs: 0 })
    closers.add(() => db.destroy())
    await ensureRowSecurity(db)
    const clock = await startClock(db)
    closers.add(clock.stop)
    const changes = serves ? await openChangeFeed(connection.direct) : noopChangeFeed
    closers.add(changes.stop)
    const log = createLogger(config.logLevel)
    const tracer = serves ? await openTracer(config.tracing, log) : noopTracer
    closers.add(tracer.close)
    const keys = createSealer(loadEncryptionKeys(config))
    const ctx = createContext(config, { db, changes, now: clock.now, keys, log, tracer, primary })
    return { ctx, connection, applied, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

type ContextParts = Pick<Ctx, 'db' | 'changes' | 'now' | 'keys' | 'log'> &
  Partial<Pick<Ctx, 'strict' | 'tracer' | 'primary'>>

export function createContext(config: Config, parts: ContextParts): Ctx {
  const metrics = createMetrics()
  const { tracer = noopTracer } = parts
  instrument(parts.db, { metrics, tracer })
  setHashSettings({ memoryMib: config.passwordHashMemoryMib, processes: config.workers })
  return {
    strict: false,
    primary: undefined,
    ...parts,
    config,
    metrics,
    tracer,
    cache: createCache(parts.changes),
    licenseCache: createCache(parts.changes),
    locate: openGeoIp(config.geoipDatabase),
    signer: createSigner({ ...parts, config }),
    state: { draining: false },
  }
}

/** Called before the service listens. */
export type Prepare = (ctx: Ctx) => Promise<void>

/** Runs `prepare` and creates the first signing key. */
export async function prepareInstance({ ctx, connection }: OpenContext, prepare: Prepare): Promise<void> {
  if (connection.relocatedTo !== undefined) {
    ctx.log.info(
      { folder: connection.relocatedTo },
      'the database is outside the data folder, because its user cannot access that folder',
    )
  }
  const { ensureFirstKey } = await import('./oauth/signing-keys/service.ts')
  await prepare(ctx)
  await ensureFirstKey(ctx)
}

/** Starts the service in one process. */
export const startService = (config: Config, prepare: Prepare): Promise<Service> =>
  startListening(
    () => openContext(config, 'own', { meanwhile: loadApp }),
    (opened) => prepareInstance(opened, prepare),
  )

/** Starts the service in a worker process. The primary has prepared the instance. */
export const startWorkerService = (config: Config, primary: IpcChannel): Promise<Service> =>
  startListening(() => openContext(config, 'join', { primary, meanwhile: loadApp }))

/** Starts the job worker and listens. */
async function startListening(
  open: () => Promise<OpenContext>,
  prepare: (opened: OpenContext) => Promise<void> = async () => {},
): Promise<Service> {
  const closers = createClosers()
  try {
    const opened = await open()
    const { ctx, connection } = opened
    closers.add(opened.close)
    const { buildApp, jobs, startWorker } = await loadApp()
    await prepare(opened)
    // Built before the job worker starts, because building blocks the event loop and queries would time out.
    const app = buildApp(ctx)
    const worker = await startWorker(ctx, connection, jobs)
    closers.add(worker.stop)
    closers.add(() => drain(ctx, app))
    await listen(app, ctx.config)
    return { ...opened, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** Loads most of the program while the database starts. */
async function loadApp() {
  const [{ buildApp, jobs }, { startWorker }] = await Promise.all([import('./app.ts'), import('./jobs/worker.ts')])
  return { buildApp, jobs, startWorker }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw explainListenError(error, { host, port })
  }
}

/** Tells the operator what to do if the cause is known. */
export function explainListenError(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  const reason = LISTEN_PROBLEMS[(error as NodeJS.ErrnoException).code ?? '']
  if (!reason) return error
  return new OperatorError(`Latchkey cannot listen on ${host}:${port}: ${reason}`, { cause: error })
}

const LISTEN_PROBLEMS: Record<string, string> = {
  EADDRINUSE: 'another program uses that port. Stop it, or choose another with PORT.',
  EACCES: 'this user may not use that port. Choose one above 1023 with PORT.',
  EADDRNOTAVAIL: 'this machine has no such address. Choose another with HOST.',
  ENOTFOUND: 'that name is not known. Choose another with HOST.',
}

async function drain(ctx: Ctx, app: FastifyInstance): Promise<void> {
  ctx.state.draining = true
  const { server } = app
  const { drainDelayMs } = ctx.config
  // A service that never listened needs no drain delay.
  const isListening = server.listening
  if (isListening) await sleep(drainDelayMs)
  const closeAll = setTimeout(() => server.closeAllConnections(), REQUEST_TIMEOUT_MS)
  if (isListening && drainDelayMs > 0) {
    const closeIdle = setTimeout(() => server.closeIdleConnections(), IDLE_TIMEOUT_MS)
    await stopListening(server)
    clearTimeout(closeIdle)
  }
  await app.close()
  clearTimeout(closeAll)
}
