import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'
import type { Migration } from '../db/migrate.ts'
import { OperatorError } from '../errors.ts'
import { openContext, startService } from '../main.ts'
import type { ServiceHooks } from './service-hooks.ts'
import { listenForFault, listenForStop } from './signals.ts'
import { DATABASE_LOST, databaseLost, failureOf, serveUntil } from './stopping.ts'

/** Runs a service until it is told to stop, or its database goes away. */
export async function runService(config: Config, hooks: ServiceHooks): Promise<void> {
  if (config.workers === 1) return runAlone(config, hooks)
  // Loaded where it is wanted: one process alone needs nothing of it.
  const { runOneOfSeveral } = await import('./workers/run.ts')
  await runOneOfSeveral(config, hooks)
}

async function runAlone(config: Config, { prepare, onReady }: ServiceHooks): Promise<void> {
  const [told, fault] = [listenForStop(), listenForFault()]
  const service = await startService(config, prepare)
  for (const warning of config.warnings) service.ctx.log.warn(warning)
  const lost = service.connection.lost.then(() => DATABASE_LOST)
  // Who cannot say that it is ready does not go on: nobody would look after it.
  const reason = Promise.race([told, lost, fault, failureOf(async () => onReady(service.ctx))])
  if ((await serveUntil(service, reason)) === DATABASE_LOST) throw databaseLost()
}

/** How a command's work stands to the world around it. */
interface Errand {
  /** The migrations that were due. */
  applied: Migration[]
  /** Aborts when the command is told to stop; what is not committed by then must not be any more. */
  signal: AbortSignal
}

/** What work that is broken off has to tidy up after itself. */
const TIDY_MS = 1_000

/** Does a command's work on the instance, beside its service or without, and closes also when broken off. */
export async function runCommand(
  config: Config,
  work: (ctx: Ctx, errand: Errand) => Promise<void>,
): Promise<void> {
  const told = listenForStop()
  const { ctx, applied, close } = await openContext(config, 'share')
  const stopping = new AbortController()
  const brokenOff = told.then((name) => {
    stopping.abort(new OperatorError(`Stopped by ${name}.`))
    throw stopping.signal.reason
  })
  const working = work(ctx, { applied, signal: stopping.signal })
  try {
    await Promise.race([working, brokenOff])
  } finally {
    await close()
    if (stopping.signal.aborted) await Promise.race([working.catch(() => {}), sleep(TIDY_MS)])
  }
}
