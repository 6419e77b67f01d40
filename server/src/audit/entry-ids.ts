import { firstIdAt } from '../lib/ids.ts'

/** By how much the time in an id may differ from that of the entry. */
const SKEW_MS = 3_600_000

/** No entry from this moment on has an id before this one. */
export const firstIdSince = (moment: Date): string => firstIdAt(new Date(moment.getTime() - SKEW_MS))

/** No entry from before this moment has this id or a later one. */
export const lastIdUntil = (moment: Date): string => firstIdAt(new Date(moment.getTime() + SKEW_MS))
