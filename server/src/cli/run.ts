import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'
import type { Migration } from '../db/migrate.ts'
import { OperatorError } from '../errors.ts'
import { openContext, startService } from '../main.ts'
import type { ServiceHooks } from './service-hooks.ts'
import { waitForStopSignal, waitForUncaughtError } from './signals.ts'
import { createDatabaseLostError, DATABASE_LOST, rejectOnFailure, serveUntil } from './stop.ts'

/** Runs the service until it is stopped or the bundled database ends. */
export async function runService(config: Config, hooks: ServiceHooks): Promise<void> {
  if (config.workers === 1) return runSingleProcess(config, hooks)
  // A single process does not need this module.
  const { runClustered } = await import('./workers/run.ts')
  await runClustered(config, hooks)
}

async function runSingleProcess(config: Config, { prepare, onReady }: ServiceHooks): Promise<void> {
  const [stopSignal, fault] = [waitForStopSignal(), waitForUncaughtError()]
  const service = await startService(config, prepare)
  for (const warning of config.warnings) service.ctx.log.warn(warning)
  const lost = service.connection.lost.then(() => DATABASE_LOST)
  // A failure of onReady stops the service.
  const reason = Promise.race([stopSignal, lost, fault, rejectOnFailure(async () => onReady(service.ctx))])
  if ((await serveUntil(service, reason)) === DATABASE_LOST) throw createDatabaseLostError()
}

/** The environment of a command. */
interface CommandRun {
  /** The migrations that were applied. */
  applied: Migration[]
  /** Aborts when the command is stopped. Nothing may be committed afterwards. */
  signal: AbortSignal
}

/** The time for a stopped command to clean up. */
const CLEANUP_MS = 1_000

/** Runs a command on the instance, with or without a running service. The context is closed also when it is stopped. */
export async function runCommand(config: Config, work: (ctx: Ctx, run: CommandRun) => Promise<void>): Promise<void> {
  const stopSignal = waitForStopSignal()
  const { ctx, applied, close } = await openContext(config, 'share')
  const stopping = new AbortController()
  const stopped = stopSignal.then((name) => {
    stopping.abort(new OperatorError(`Stopped by ${name}.`))
    throw stopping.signal.reason
  })
  const working = work(ctx, { applied, signal: stopping.signal })
  try {
    await Promise.race([working, stopped])
  } finally {
    await close()
    if (stopping.signal.aborted) await Promise.race([working.catch(() => {}), sleep(CLEANUP_MS)])
  }
}
