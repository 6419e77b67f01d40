import { isOutOfReach } from '../db/away.ts'
import { AppError } from '../errors.ts'
import { createTurns } from '../lib/turns.ts'

/**
 * Whoever changes a tenant waits for others who do before taking a connection: one busy tenant must not leave none for
 * the rest.
 */
const turns = createTurns({ waiting: 10_000, failsForAll: isOutOfReach })

export async function inTurn<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
  const done = await turns.take(tenantId.toLowerCase(), work)
  if (!done) throw new AppError('UNAVAILABLE', { headers: { 'Retry-After': '1' } })
  return done.result
}
