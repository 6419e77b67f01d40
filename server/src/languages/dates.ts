import { currentLanguage } from './current-language.ts'

/** The day in UTC, because the server does not know the time zone of the reader. */
export const formatDate = (date: Date): string =>
  new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'long', timeZone: 'UTC' }).format(date)

/** The day and time in UTC, such as "November 19, 2026 at 21:40 UTC". */
export const formatTime = (date: Date): string => {
  const day = { year: 'numeric', month: 'long', day: 'numeric' } as const
  const options = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const
  return new Intl.DateTimeFormat(currentLanguage(), { ...options, timeZone: 'UTC' }).format(date)
}

/** The time of day in UTC, such as "21:40". */
export const formatTimeOfDay = (date: Date): string => {
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(currentLanguage(), options).format(date)
}

/** A part of a sentence, such as "in 30 seconds". */
export const formatSecondsFromNow = (seconds: number): string =>
  new Intl.RelativeTimeFormat(currentLanguage()).format(seconds, 'second')
