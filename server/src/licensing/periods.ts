import type { SubscriptionStatus } from '../db/tables.ts'

/** What of a subscription decides whether it is good at a moment. */
export interface Period {
  status: SubscriptionStatus
  currentPeriodEnd: Date | null
}

/** Who pays late keeps what they have for so long. */
export const GRACE_DAYS = 7
const GRACE_MS = GRACE_DAYS * 86_400_000

/** Until when it is good. Null: without an end; undefined: it is not, whatever the clock says. */
export function goodUntil({ status, currentPeriodEnd: end }: Period): Date | null | undefined {
  if (status === 'EXPIRED') return undefined
  if (end === null || status !== 'PAST_DUE') return end
  return new Date(end.getTime() + GRACE_MS)
}

export const isUsable = (period: Period, now: Date): boolean => isBefore(now, goodUntil(period))

/** Whether what is good until then is good now. */
export const isBefore = (now: Date, until: Date | null | undefined): boolean =>
  until === null || (until !== undefined && now < until)

/** What it is called at a moment: whatever has run out is EXPIRED. */
export const statusAt = (period: Period, now: Date): SubscriptionStatus =>
  isUsable(period, now) ? period.status : 'EXPIRED'
