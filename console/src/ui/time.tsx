import { shell } from '../text/shell.ts'

const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const dayOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** How long ago, or how long until. */
export function toRelative(moment: string, now = Date.now()): string {
  const seconds = (Date.parse(moment) - now) / 1_000
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relative.format(Math.round(seconds / size), unit)
}

export const toExact = (moment: string): string => exact.format(new Date(moment))
export const toDay = (moment: string): string => dayOnly.format(new Date(moment))

/** A moment as people say it; the exact one is shown when one rests on it. */
export const Moment = ({ at }: { at: string | null }) =>
  at === null ? (
    <span>{shell.never}</span>
  ) : (
    <time dateTime={at} title={toExact(at)}>
      {toRelative(at)}
    </time>
  )
