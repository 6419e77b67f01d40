import { OperatorError } from '../errors.ts'
import type { Service } from '../main.ts'

const STOP_DEADLINE_MS = 9_500

/** Keeps a service running until it is told to stop, or its database goes away. */
export async function runUntilStopped(service: Service): Promise<void> {
  const { log } = service.ctx
  const reason = await Promise.race([untilSignal(), service.connection.lost.then(() => 'lost' as const)])
  // Told twice, or stuck: end at once. Nothing acknowledged is lost by that.
  for (const signal of SIGNALS) process.once(signal, () => process.exit(1))
  setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()
  log.info({ reason }, 'stopping')
  await service.close()
  if (reason === 'lost')
    throw new OperatorError('The bundled PostgreSQL ended unexpectedly; its log says why.')
  log.info('stopped')
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

const untilSignal = () =>
  new Promise<string>((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve(signal))
  })
