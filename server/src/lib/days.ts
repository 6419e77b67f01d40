const DAY_MS = 86_400_000

/** The beginning of the day a moment lies in, as it is counted everywhere: by UTC. */
export const startOfDay = (moment: Date): Date => new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS)

/** The beginnings of so many days up to the one a moment lies in, the oldest first. */
export const daysUpTo = (moment: Date, many: number): Date[] =>
  Array.from({ length: many }, (_, index) => addDays(startOfDay(moment), index - many + 1))

export const addDays = (moment: Date, days: number): Date => new Date(moment.getTime() + days * DAY_MS)

/** The day a moment lies in, such as 2026-11-15. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)
