import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { shareFor } from '../lib/share-for.ts'
import type { Db } from './open.ts'

const PATIENCE_MS = 2_000
const SHARED_MS = 250

const pings = new WeakMap<Db, () => Promise<boolean>>()

/** Whether the database answers within a moment. Many who ask at once share one question. */
export function isReachable(db: Db): Promise<boolean> {
  const ping = pings.get(db) ?? shareFor(SHARED_MS, () => ask(db))
  pings.set(db, ping)
  return ping()
}

async function ask(db: Db): Promise<boolean> {
  const answered = new AbortController()
  const answer = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  const tooLate = sleep(PATIENCE_MS, false, { ref: false, signal: answered.signal }).catch(() => false)
  return Promise.race([answer, tooLate]).finally(() => answered.abort())
}
