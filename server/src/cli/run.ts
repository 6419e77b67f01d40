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

/** Does a command's work on the instance, beside its service or without, and closes also when broken off. */
export async function runCommand(
  config: Config,
  work: (ctx: Ctx, applied: Migration[]) => Promise<void>,
): Promise<void> {
  const told = listenForStop()
  const { ctx, applied, close } = await openContext(config, 'share')
  const brokenOff = told.then((signal) => {
    throw new OperatorError(`Stopped by ${signal}.`)
  })
  try {
    await Promise.race([work(ctx, applied), brokenOff])
  } finally {
    await close()
  }
}
