import type { Ctx } from '../context.ts'
import { isOutOfReach } from '../db/away.ts'
import { AppError } from '../errors.ts'
import { noteShed, timed, watchQueue } from '../lib/overload.ts'
import { createTurns } from '../lib/turns.ts'

const QUEUE = 'tenant_writes'

/**
 * Whoever changes a tenant waits for others who do before taking a connection: one busy tenant must not leave none for
 * the rest. Whoever waits behind one that found the tenant out of reach waits no more, nor does who has waited for as long
 * as clients and proxies do.
 */
const turns = watchQueue(
  QUEUE,
  createTurns({ waiting: 10_000, patienceMs: 30_000, failsForAll: isOutOfReach }),
)

export async function inTurn<T>({ figures }: Ctx, tenantId: string, work: () => Promise<T>): Promise<T> {
  const done = await turns.take(tenantId.toLowerCase(), timed(figures, QUEUE, work))
  if ('result' in done) return done.result
  noteShed(figures, QUEUE, done.refused)
  throw new AppError('UNAVAILABLE', { headers: { 'Retry-After': '1' } })
}
