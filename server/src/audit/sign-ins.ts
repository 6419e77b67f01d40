import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import { addDays, dayOf, daysUpTo } from '../lib/days.ts'
import { countSignIns } from './sign-ins/store.ts'

export interface DayOfSignIns {
  day: string
  succeeded: number
  failed: number
}

/** How often people signed in, and could not, on each of so many days up to today; the oldest first. */
export async function signInsByDay(ctx: Ctx, db: Db, days: number): Promise<DayOfSignIns[]> {
  const starts = daysUpTo(ctx.now(), days)
  const counted = await countSignIns(
    db,
    starts.map((from) => ({ from, to: addDays(from, 1) })),
  )
  return starts.map((start, index) => ({ day: dayOf(start), ...(counted[index] ?? NONE) }))
}

const NONE = { succeeded: 0, failed: 0 }
