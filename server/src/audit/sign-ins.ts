import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import { addDays, listDaysUpTo, toIsoDay } from '../lib/days.ts'
import { countSignIns } from './sign-ins-store.ts'

export interface DailySignIns {
  day: string
  succeeded: number
  failed: number
}

/** Successful and failed sign-ins of the last days including today, oldest first. */
export async function listSignInsByDay(ctx: Ctx, db: Db, days: number): Promise<DailySignIns[]> {
  const starts = listDaysUpTo(ctx.now(), days)
  const counted = await countSignIns(
    db,
    starts.map((from) => ({ from, to: addDays(from, 1) })),
  )
  return starts.map((start, index) => ({ day: toIsoDay(start), ...(counted[index] ?? NONE) }))
}

const NONE = { succeeded: 0, failed: 0 }
