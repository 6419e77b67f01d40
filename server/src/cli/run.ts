import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'
import type { Migration } from '../db/migrate.ts'
import { OperatorError } from '../errors.ts'
import { openContext, type Service, startService } from '../main.ts'
import { listenForStop } from './signals.ts'

const STOP_DEADLINE_MS = 9_500

interface ServiceHooks {
  /** Before the door opens. */
  prepare(ctx: Ctx): Promise<void>
  /** Once it is open. */
  onReady(ctx: Ctx): Promise<void> | void
}

/** Runs a service until it is told to stop, or its database goes away. */
export async function runService(config: Config, { prepare, onReady }: ServiceHooks): Promise<void> {
  const told = listenForStop()
  const service = await startService(config, prepare)
  for (const warning of config.warnings) service.ctx.log.warn(warning)
  await onReady(service.ctx)
  // As it is by default; bin/latchkey.js held it down for the start.
  setFlagsFromString('--semi-space-growth-factor=2')
  const reason = await Promise.race([told, service.connection.lost.then(() => 'lost')])
  await stop(service, reason)
  if (reason === 'lost')
    throw new OperatorError('The bundled PostgreSQL ended unexpectedly; its log says why.')
}

async function stop({ ctx, close }: Service, reason: string): Promise<void> {
  setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()
  ctx.log.info({ reason }, 'stopping')
  await close()
  ctx.log.info('stopped')
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
