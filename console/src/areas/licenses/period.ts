import { licenses as text } from '../../text/licenses.ts'
import { formatDate, formatRelative } from '../../ui/time.tsx'
import type { LicensedApplication, LicensedType } from './types.ts'

const { period } = text

/** A past-due subscription stays usable for this long. */
const GRACE_MS = 7 * 86_400_000

/** Describes the validity of a license type. Undefined without a subscription. */
export function describePeriod(
  { status, currentPeriodEnd: end }: LicensedType,
  mode: LicensedApplication['licensingMode'],
): { text: string; isAlarming: boolean } | undefined {
  const day = end === null ? undefined : formatDate(end)
  switch (status) {
    case null:
      return undefined
    case 'ACTIVE':
      return calm(day === undefined ? period.endless : period.renews(day))
    case 'TRIALING':
      return calm(end === null ? period.endless : period.trial(formatRelative(end), formatDate(end)))
    case 'CANCELED':
      return calm(day === undefined ? period.canceledEndless : period.canceled(day))
    case 'PAST_DUE':
      return alarming(end === null ? period.pastDueEndless : period.pastDue(formatDate(endOfGrace(end))))
    case 'EXPIRED':
      return alarming(mode === 'PER_SEAT' ? period.expired : period.expiredWide)
  }
}

const calm = (sentence: string) => ({ text: sentence, isAlarming: false })
const alarming = (sentence: string) => ({ text: sentence, isAlarming: true })

const endOfGrace = (end: string): string => new Date(Date.parse(end) + GRACE_MS).toISOString()
