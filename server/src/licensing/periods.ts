import type { SubscriptionStatus } from '../db/tables.ts'

/** The fields of a subscription that decide whether it is usable at a given time. */
export interface Period {
  status: SubscriptionStatus
  currentPeriodEnd: Date | null
}

/** A PAST_DUE subscription stays usable for this long after its end. */
export const GRACE_DAYS = 7
const GRACE_MS = GRACE_DAYS * 86_400_000

/** The time until which a subscription is usable: null if it has no end, undefined if it is EXPIRED. */
export function findUsableUntil({ status, currentPeriodEnd: end }: Period): Date | null | undefined {
  if (status === 'EXPIRED') return undefined
  if (end === null || status !== 'PAST_DUE') return end
  return new Date(end.getTime() + GRACE_MS)
}

export const isUsable = (period: Period, now: Date): boolean => isBeforeEnd(now, findUsableUntil(period))

/** Takes the result of `findUsableUntil`. */
export const isBeforeEnd = (now: Date, until: Date | null | undefined): boolean =>
  until === null || (until !== undefined && now < until)

/** The status to show: EXPIRED once the period and the grace days are over. */
export const toEffectiveStatus = (period: Period, now: Date): SubscriptionStatus =>
  isUsable(period, now) ? period.status : 'EXPIRED'
