import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { addDays, listDaysUpTo, toIsoDay } from '../../lib/days.ts'
import { groupBy } from '../../lib/group-by.ts'
import { getLicensingMode } from '../licensing-mode.ts'
import { isUsable } from '../periods.ts'
import type { DailyLicenseUsage } from '../tenant-schema.ts'
import {
  listCurrentSubscriptions,
  listPriorTerms,
  listSeatDeltas,
  type PriorTerms,
  type SeatDelta,
  type SubscriptionUsage,
  type UsageWindow,
} from './store.ts'

interface UsageRequest {
  tenantId: string
  applicationId: string
  days: number
}

/**
 * Lists the purchased and assigned seats at the end of each day, and of today as of now. It starts with the current
 * state and undoes the ledger entries of each day to get the state of the day before. Whether a subscription was usable
 * is decided with the time of that day.
 */
export async function listDailyUsage(
  ctx: Ctx,
  tx: Tx,
  { tenantId, applicationId, days: dayCount }: UsageRequest,
): Promise<DailyLicenseUsage[]> {
  const { id, mode } = await getLicensingMode(tx, applicationId)
  // The other modes have no seats.
  if (mode !== 'PER_SEAT') return []
  const now = ctx.now()
  const days = listDaysUpTo(now, dayCount)
  const [from = now, today = now] = [days[0], days.at(-1)]
  const window: UsageWindow = { tenantId, applicationId: id, from, today }
  const history = createHistory(await listCurrentSubscriptions(tx, window))
  const deltas = groupBy(await listSeatDeltas(tx, window), ({ day }) => day)
  const priorTerms = groupBy(await listPriorTerms(tx, window), ({ day }) => day)
  const newestFirst = days.toReversed().map((start) => {
    const day = toIsoDay(start)
    const usage = { day, ...history.sumSeats(start === today ? now : endOfDay(start)) }
    history.undo(deltas.get(day) ?? [], priorTerms.get(day) ?? [])
    return usage
  })
  return newestFirst.reverse()
}

const endOfDay = (start: Date): Date => new Date(addDays(start, 1).getTime() - 1)

/** Holds the subscriptions as of one day, and moves back in time day by day. */
function createHistory(current: SubscriptionUsage[]) {
  const subscriptions = new Map(current.map((subscription) => [subscription.id, subscription]))
  const assigned = new Map(current.map((subscription) => [subscription.id, subscription.assigned]))
  /**
   * The oldest sequence undone for each subscription. Around midnight, concurrent changes may have timestamps in the
   * opposite order of their sequences.
   */
  const undoneSequences = new Map<string, bigint>()
  return {
    sumSeats(at: Date): Omit<DailyLicenseUsage, 'day'> {
      const usable = [...subscriptions.values()].filter((subscription) => isUsable(subscription, at))
      return {
        purchased: usable.reduce((sum, { purchased }) => sum + purchased, 0),
        assigned: usable.reduce((sum, { id }) => sum + (assigned.get(id) ?? 0), 0),
      }
    },
    undo(deltas: SeatDelta[], changes: PriorTerms[]): void {
      for (const { subscriptionId: id, delta } of deltas) assigned.set(id, (assigned.get(id) ?? 0) - delta)
      for (const { subscriptionId: id, sequence, before } of changes) {
        const undone = undoneSequences.get(id)
        if (undone !== undefined && undone < BigInt(sequence)) continue
        undoneSequences.set(id, BigInt(sequence))
        if (before === null) subscriptions.delete(id)
        else subscriptions.set(id, toSubscription(id, before))
      }
    },
  }
}

const toSubscription = (id: string, before: NonNullable<PriorTerms['before']>): SubscriptionUsage => ({
  id,
  purchased: before.quantityPurchased,
  assigned: 0,
  status: before.status,
  currentPeriodEnd: before.currentPeriodEnd === null ? null : new Date(before.currentPeriodEnd),
})
