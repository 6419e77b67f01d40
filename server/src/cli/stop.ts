import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { OperatorError } from '../errors.ts'
import type { Service } from '../main.ts'

/** Supervisors usually kill a process after ten seconds. */
const STOP_DEADLINE_MS = 9_500

/** Exits with an error if stopping takes too long. */
export const startStopDeadline = (): void => void setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()

/** The reason to stop when the bundled PostgreSQL has ended by itself. */
export const DATABASE_LOST = 'lost'

export const createDatabaseLostError = (): OperatorError =>
  new OperatorError('The bundled PostgreSQL ended unexpectedly; its log says why.')

/** Serves until there is a reason to stop, then closes the service. */
export async function serveUntil({ ctx, close }: Service, reason: Promise<string>): Promise<string> {
  // The default. bin/latchkey.js reduced it for the start.
  setFlagsFromString('--semi-space-growth-factor=2')
  try {
    const stopReason = await reason
    ctx.log.info({ reason: stopReason }, 'stopping')
    return stopReason
  } catch (err) {
    ctx.log.fatal({ err }, 'stopping after an error')
    throw err
  } finally {
    startStopDeadline()
    await close()
    ctx.log.info('stopped')
  }
}

/** When the database is lost, statements fail shortly before the loss is detected. */
const LOSS_DETECTION_MS = 500

/** Rejects if the work fails and never resolves. The delay lets a lost database be reported as the reason instead. */
export async function rejectOnFailure(work: () => Promise<void>): Promise<never> {
  try {
    await work()
  } catch (error) {
    await sleep(LOSS_DETECTION_MS)
    throw error
  }
  return new Promise(() => {})
}
