import { currentLanguage } from '../../languages/current-language.ts'

/** Mails do not know the time zone of their reader. */
const DATE = { timeZone: 'UTC', year: 'numeric', month: 'long', day: 'numeric' } as const
const TIME = { ...DATE, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const

export const toDateText = (date: Date): string => new Intl.DateTimeFormat(currentLanguage(), DATE).format(date)

export const toTimeText = (date: Date): string => new Intl.DateTimeFormat(currentLanguage(), TIME).format(date)
