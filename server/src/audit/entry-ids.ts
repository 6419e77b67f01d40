import { firstIdAt } from '../lib/ids.ts'

/** The maximum difference between the time in an id and `occurred_at`. */
const MAX_SKEW_MS = 3_600_000

/** A lower bound for the ids of entries at or after this time. */
export const firstIdSince = (time: Date): string => firstIdAt(new Date(time.getTime() - MAX_SKEW_MS))

/** An exclusive upper bound for the ids of entries before this time. */
export const lastIdUntil = (time: Date): string => firstIdAt(new Date(time.getTime() + MAX_SKEW_MS))
