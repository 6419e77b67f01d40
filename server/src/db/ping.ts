import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from './open.ts'

const PATIENCE_MS = 2_000

/** Whether the database answers within a moment. */
export async function isReachable(db: Db): Promise<boolean> {
  const answer = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  return Promise.race([answer, sleep(PATIENCE_MS, false, { ref: false })])
}
