import { type RawBuilder, sql } from 'kysely'
import type { Db } from './open.ts'

/**
 * Transactions that announce something commit one after the other, and each holds up the next for as long as the disk
 * takes. Those that must not do so commit without the disk, and wait for it afterwards, all together: whatever is
 * written to the log of the database is on the disk as soon as anything later is. Nothing may be answered before.
 */

/** A column that has the transaction commit at once. Whoever asks for it waits with `untilDurable` afterwards. */
export const WITHOUT_DISK: RawBuilder<unknown> = sql`set_config('synchronous_commit', 'off', true)`

const disks = new WeakMap<Db, () => Promise<void>>()

/** Waits until all that was committed so far is on the disk; fails when that is not known. */
export function untilDurable(db: Db): Promise<void> {
  const wait = disks.get(db) ?? createWait(() => write(db))
  disks.set(db, wait)
  return wait()
}

/** A commit that waits for the disk, of a word in the log that means nothing to anybody. */
async function write(db: Db): Promise<void> {
  await sql`select from pg_logical_emit_message(true, 'latchkey', '')`.execute(db)
}

/** One at a time. One that has not begun yet serves everybody who asks before it does. */
function createWait(once: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  const begin = () => {
    next = undefined
    return once()
  }
  return () => {
    if (!next) {
      next = running.then(begin)
      running = next.catch(() => {})
    }
    return next
  }
}
