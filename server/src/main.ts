import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'
import type { Ctx } from './context.ts'
import { openChangeFeed, silentFeed } from './db/changes.ts'
import { startClock } from './db/clock.ts'
import { createMemory } from './db/memory.ts'
import { type Migration, migrate } from './db/migrate.ts'
import { observe } from './db/observation.ts'
import { type Connection, connect, openDb, type Use } from './db/open.ts'
import { yielding } from './db/violations.ts'
import { raiseWall } from './db/wall.ts'
import { OperatorError } from './errors.ts'
import { stopListening } from './http/draining.ts'
import { loadEncryptionKeys } from './keys/encryption-keys.ts'
import { createSigner } from './keys/signer.ts'
import { createClosers } from './lib/closers.ts'
import type { Conversation } from './lib/conversation.ts'
import { createFigures } from './lib/figures.ts'
import { setHashSettings } from './lib/hash-settings.ts'
import { createLogger } from './lib/logger.ts'
import { createSealer } from './lib/seal.ts'
import { openTracer, silentTracer } from './lib/tracer.ts'
import { openWhereabouts } from './lib/whereabouts.ts'

/** A context on an open database, for the service and for commands. */
export interface OpenContext {
  ctx: Ctx
  connection: Connection
  /** What had to be migrated. */
  applied: Migration[]
  close(): Promise<void>
}

/** A running service. `close` stops it in order: readiness off, requests finished, jobs, pool, database. */
export type Service = OpenContext

/** Requests under way get this long to finish, so that a stop always comes to an end. */
const REQUEST_PATIENCE_MS = 4_000

/** So long after the port is closed a proxy may still use the connections that it has. */
const IDLE_PATIENCE_MS = 2_000

/**
 * Opens the database and brings it to this program's schema. `own` is for the service, which must be alone on a
 * bundled database; `join` for one of its processes, and `share` for commands, which may run beside it.
 */
export async function openContext(
  config: Config,
  use: Use,
  { meanwhile, host }: { meanwhile?: () => Promise<unknown>; host?: Conversation } = {},
): Promise<OpenContext> {
  const closers = createClosers()
  try {
    const connection = await connect(config, use, meanwhile)
    closers.add(connection.close)
    const opened = await openOn(connection, config, { serves: use !== 'share', host })
    closers.add(opened.close)
    return { ...opened, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

interface OpenOptions {
  /** What serves nobody ends before it could use anything twice. */
  serves: boolean
  host?: Conversation | undefined
}

/** A context on a database that outlives it. */
export async function openOn(
  connection: Connection,
  config: Config,
  { serves, host }: OpenOptions,
): Promise<OpenContext> {
  const closers = createClosers()
  try {
    const applied = await yielding(() => migrate(connection.direct))
    const db = openDb(connection, config.database.poolSize, serves ? {} : { lockTimeoutMs: 0 })
    closers.add(() => db.destroy())
    await raiseWall(db)
    const clock = await startClock(db)
    closers.add(clock.stop)
    const changes = serves ? await openChangeFeed(connection.direct) : silentFeed
    closers.add(changes.stop)
    const log = createLogger(config.logLevel)
    const tracer = serves ? await openTracer(config.tracing, log) : silentTracer
    closers.add(tracer.close)
    const keys = createSealer(loadEncryptionKeys(config))
    const ctx = createContext(config, { db, changes, now: clock.now, keys, log, tracer, host })
    return { ctx, connection, applied, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

type Givens = Pick<Ctx, 'db' | 'changes' | 'now' | 'keys' | 'log'> &
  Partial<Pick<Ctx, 'strict' | 'tracer' | 'host'>>

/** Puts together what every part of the service works with. */
export function createContext(config: Config, givens: Givens): Ctx {
  const figures = createFigures()
  const { tracer = silentTracer } = givens
  observe(givens.db, { figures, tracer })
  setHashSettings({ memoryMib: config.passwordHashMemoryMib, processes: config.workers })
  return {
    strict: false,
    host: undefined,
    ...givens,
    config,
    figures,
    tracer,
    memory: createMemory(givens.changes),
    licenses: createMemory(givens.changes),
    placeOf: openWhereabouts(config.geoipDatabase),
    signer: createSigner({ ...givens, config }),
    state: { draining: false },
  }
}

/** What is done before a service opens its door. */
export type Prepare = (ctx: Ctx) => Promise<void>

/** Brings a fresh instance to where it can be served. */
export async function prepareInstance({ ctx, connection }: OpenContext, prepare: Prepare): Promise<void> {
  if (connection.relocatedTo !== undefined) {
    ctx.log.info(
      { folder: connection.relocatedTo },
      'the database lies where its user can reach it, not in the data folder',
    )
  }
  const { ensureFirstKey } = await import('./oauth/signing-keys/service.ts')
  await prepare(ctx)
  await ensureFirstKey(ctx)
}

/** The service in one process, on an instance that `prepare` may fill first. */
export const startService = (config: Config, prepare: Prepare): Promise<Service> =>
  openDoor(
    () => openContext(config, 'own', { meanwhile: loadServing }),
    (opened) => prepareInstance(opened, prepare),
  )

/** One of several processes of the service, on an instance that their host has prepared. */
export const startShare = (config: Config, host: Conversation): Promise<Service> =>
  openDoor(() => openContext(config, 'join', { host, meanwhile: loadServing }))

/** Starts the worker and opens the door. */
async function openDoor(
  open: () => Promise<OpenContext>,
  prepare: (opened: OpenContext) => Promise<void> = async () => {},
): Promise<Service> {
  const closers = createClosers()
  try {
    const opened = await open()
    const { ctx, connection } = opened
    closers.add(opened.close)
    const { buildApp, jobs, startWorker } = await loadServing()
    await prepare(opened)
    // Building takes a while in which nothing else is done: what the worker asks the database would seem unanswered.
    const app = buildApp(ctx)
    const worker = await startWorker(ctx, connection, jobs)
    closers.add(worker.stop)
    closers.add(() => closeDoor(ctx, app))
    await listen(app, ctx.config)
    return { ...opened, close: closers.close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** What serving needs beyond a context is most of the program: it is loaded while the database starts. */
async function loadServing() {
  const [{ buildApp, jobs }, { startWorker }] = await Promise.all([
    import('./app.ts'),
    import('./jobs/worker.ts'),
  ])
  return { buildApp, jobs, startWorker }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const reason = LISTEN_PROBLEMS[(error as NodeJS.ErrnoException).code ?? '']
    if (!reason) throw error
    throw new OperatorError(`Latchkey cannot listen on ${host}:${port}: ${reason}`, { cause: error })
  }
}

const LISTEN_PROBLEMS: Record<string, string> = {
  EADDRINUSE: 'another program uses that port. Stop it, or choose another with PORT.',
  EACCES: 'this user may not use that port. Choose one above 1023 with PORT.',
  EADDRNOTAVAIL: 'this machine has no such address. Choose another with HOST.',
  ENOTFOUND: 'that name is not known. Choose another with HOST.',
}

async function closeDoor(ctx: Ctx, app: FastifyInstance): Promise<void> {
  ctx.state.draining = true
  const { server } = app
  const { drainDelayMs } = ctx.config
  // A service that never opened its door has nobody to warn.
  const isOpen = server.listening
  if (isOpen) await sleep(drainDelayMs)
  const cutOff = setTimeout(() => server.closeAllConnections(), REQUEST_PATIENCE_MS)
  if (isOpen && drainDelayMs > 0) {
    const closeIdle = setTimeout(() => server.closeIdleConnections(), IDLE_PATIENCE_MS)
    await stopListening(server)
    clearTimeout(closeIdle)
  }
  await app.close()
  clearTimeout(cutOff)
}
