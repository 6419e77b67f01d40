const DAY_MS = 86_400_000

/** The start of the UTC day. */
export const startOfDay = (date: Date): Date => new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS)

/** The starts of the last `count` UTC days up to and including the given one, oldest first. */
export const listDaysUpTo = (date: Date, count: number): Date[] =>
  Array.from({ length: count }, (_, index) => addDays(startOfDay(date), index - count + 1))

export const addDays = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS)

/** The UTC day, such as 2026-11-15. */
export const toIsoDay = (date: Date): string => date.toISOString().slice(0, 10)
