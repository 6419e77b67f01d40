import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { addDays, dayOf, daysUpTo } from '../../lib/days.ts'
import { groupBy } from '../../lib/group-by.ts'
import { getMode } from '../modes.ts'
import { isUsable } from '../periods.ts'
import type { DayOfUsage } from '../tenant-schema.ts'
import {
  type EarlierTerms,
  listEarlierTerms,
  listSeatMoves,
  listSubscriptionsNow,
  type SeatMoves,
  type SubscriptionNow,
  type Window,
} from './store.ts'

interface Asked {
  tenantId: string
  applicationId: string
  days: number
}

/**
 * How many seats there were, and how many were held, at the end of each day up to this moment. The present is known;
 * whatever the ledger tells of a day is undone to come to the day before. Whether a subscription was good is decided
 * by the clock of that day, as it is for the present.
 */
export async function usageOf(
  ctx: Ctx,
  tx: Tx,
  { tenantId, applicationId, days: many }: Asked,
): Promise<DayOfUsage[]> {
  const { id, mode } = await getMode(tx, applicationId)
  // Where nobody is given a seat there is none to count.
  if (mode !== 'PER_SEAT') return []
  const now = ctx.now()
  const days = daysUpTo(now, many)
  const [from = now, today = now] = [days[0], days.at(-1)]
  const window: Window = { tenantId, applicationId: id, from, today }
  const past = createPast(await listSubscriptionsNow(tx, window))
  const moves = groupBy(await listSeatMoves(tx, window), ({ day }) => day)
  const terms = groupBy(await listEarlierTerms(tx, window), ({ day }) => day)
  const told = days.toReversed().map((start) => {
    const day = dayOf(start)
    const usage = { day, ...past.sumUp(start === today ? now : lastMomentOf(start)) }
    past.undo(moves.get(day) ?? [], terms.get(day) ?? [])
    return usage
  })
  return told.reverse()
}

const lastMomentOf = (start: Date): Date => new Date(addDays(start, 1).getTime() - 1)

/** Subscriptions on the way back from the present. */
function createPast(present: SubscriptionNow[]) {
  const terms = new Map(present.map((subscription) => [subscription.id, subscription]))
  const assigned = new Map(present.map((subscription) => [subscription.id, subscription.assigned]))
  /** How far back each has come: two who change one at midnight may be dated the wrong way round. */
  const undone = new Map<string, bigint>()
  return {
    sumUp(at: Date): Omit<DayOfUsage, 'day'> {
      const good = [...terms.values()].filter((each) => isUsable(each, at))
      return {
        purchased: good.reduce((sum, { purchased }) => sum + purchased, 0),
        assigned: good.reduce((sum, { id }) => sum + (assigned.get(id) ?? 0), 0),
      }
    },
    undo(moves: SeatMoves[], changes: EarlierTerms[]): void {
      for (const { subscriptionId: id, moved } of moves) assigned.set(id, (assigned.get(id) ?? 0) - moved)
      for (const { subscriptionId: id, sequence, before } of changes) {
        const reached = undone.get(id)
        if (reached !== undefined && reached < BigInt(sequence)) continue
        undone.set(id, BigInt(sequence))
        if (before === null) terms.delete(id)
        else terms.set(id, toTerms(id, before))
      }
    },
  }
}

const toTerms = (id: string, before: NonNullable<EarlierTerms['before']>): SubscriptionNow => ({
  id,
  purchased: before.quantityPurchased,
  assigned: 0,
  status: before.status,
  currentPeriodEnd: before.currentPeriodEnd === null ? null : new Date(before.currentPeriodEnd),
})
