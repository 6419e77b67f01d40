/** Mails do not know the time zone of their reader. */
const FORMAT = { timeZone: 'UTC', year: 'numeric', month: 'long', day: 'numeric' } as const
const DATE = new Intl.DateTimeFormat('en', FORMAT)
const TIME = new Intl.DateTimeFormat('en', {
  ...FORMAT,
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
})

export const toDateText = (date: Date): string => DATE.format(date)

export const toTimeText = (date: Date): string => TIME.format(date)
