import { currentLocale } from '../languages/catalog.ts'
import { shell } from '../text/shell.ts'

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat(currentLocale(), { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium', timeStyle: 'short' })
const dayOnly = new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium' })

/** Formats a time relative to now, such as "2 hours ago". */
export function formatRelative(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1_000
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relative.format(Math.round(seconds / size), unit)
}

export const formatDateTime = (time: string): string => exact.format(new Date(time))
export const formatDate = (time: string): string => dayOnly.format(new Date(time))

/** A relative time with the exact time as tooltip. */
export const RelativeTime = ({ at }: { at: string | null }) =>
  at === null ? (
    <span>{shell.never}</span>
  ) : (
    <time dateTime={at} title={formatDateTime(at)}>
      {formatRelative(at)}
    </time>
  )
