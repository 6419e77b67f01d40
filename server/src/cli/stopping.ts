import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { OperatorError } from '../errors.ts'
import type { Service } from '../main.ts'

/** Supervisors wait ten seconds before they kill. */
const STOP_DEADLINE_MS = 9_500

/** A stop comes to its end in time, be it a bad one. */
export const limitStop = (): void => void setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref()

/** The reason to stop when the bundled server has ended by itself. */
export const DATABASE_LOST = 'lost'

export const databaseLost = (): OperatorError =>
  new OperatorError('The bundled PostgreSQL ended unexpectedly; its log says why.')

/** Serves until there is a reason to stop, and stops in order. */
export async function serveUntil({ ctx, close }: Service, reason: Promise<string>): Promise<string> {
  // As it is by default; bin/latchkey.js held it down for the start.
  setFlagsFromString('--semi-space-growth-factor=2')
  try {
    const told = await reason
    ctx.log.info({ reason: told }, 'stopping')
    return told
  } catch (err) {
    ctx.log.fatal({ err }, 'stopping after an error')
    throw err
  } finally {
    limitStop()
    await close()
    ctx.log.info('stopped')
  }
}

/** When the database is lost, statements fail a moment before that is known. */
const LOSS_MS = 500

/** How work fails, among the reasons to stop; never that it is done. If the database is lost, that is said instead. */
export async function failureOf(work: () => Promise<void>): Promise<never> {
  try {
    await work()
  } catch (error) {
    await sleep(LOSS_MS)
    throw error
  }
  return new Promise(() => {})
}
