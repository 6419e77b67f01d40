import type { Config } from '../../config.ts'
import type { ServiceHooks } from '../service-hooks.ts'
import { waitForStopSignal, waitForUncaughtError } from '../signals.ts'
import { createDatabaseLostError, DATABASE_LOST, rejectOnFailure, startStopDeadline } from '../stop.ts'
import { type Host, openHost } from './host.ts'
import { startWorkerPool, type WorkerPool } from './worker-pool.ts'

/**
 * Runs the service in several worker processes that share a port. The primary serves no requests: it opens the
 * database, prepares the instance, and supervises the workers.
 */
export async function runPrimary(config: Config, hooks: ServiceHooks): Promise<void> {
  const [stopSignal, fault] = [waitForStopSignal(), waitForUncaughtError()]
  const host = await openHost(config, hooks.prepare)
  const { log } = host.ctx
  for (const warning of config.warnings) log.warn(warning)
  const pool = startWorkerPool(config.workers, log)
  const lost = host.lost.then(() => DATABASE_LOST)
  const failure = rejectOnFailure(() => becomeReady(host, pool, hooks))
  let reason: unknown
  try {
    reason = await Promise.race([stopSignal, lost, fault, pool.work, failure])
    log.info({ reason }, 'stopping')
  } finally {
    startStopDeadline()
    await pool.stop()
    await host.close()
  }
  log.info('stopped')
  if (reason === DATABASE_LOST) throw createDatabaseLostError()
}

/** Calls onReady when all workers serve. Afterwards the primary does not need the database any more. */
async function becomeReady(host: Host, { ready }: WorkerPool, { onReady }: ServiceHooks): Promise<void> {
  await ready
  await onReady(host.ctx)
  await host.closeContext()
}
