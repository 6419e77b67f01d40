import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { cacheFor } from '../lib/concurrency/cache-for.ts'
import type { Db } from './open.ts'

const TIMEOUT_MS = 2_000
const CACHE_MS = 250

const pings = new WeakMap<Db, () => Promise<boolean>>()

/** True if the database answers within the timeout. Concurrent callers share one query. */
export function isReachable(db: Db): Promise<boolean> {
  const cachedPing = pings.get(db) ?? cacheFor(CACHE_MS, () => ping(db))
  pings.set(db, cachedPing)
  return cachedPing()
}

async function ping(db: Db): Promise<boolean> {
  const timer = new AbortController()
  const query = sql`select 1`.execute(db).then(
    () => true,
    () => false,
  )
  const timeout = sleep(TIMEOUT_MS, false, { ref: false, signal: timer.signal }).catch(() => false)
  return Promise.race([query, timeout]).finally(() => timer.abort())
}
