import { type Kysely, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { openClient } from './connections.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/**
 * Transactions that announce something commit one after the other, and each holds up the next for as long as the disk
 * takes. Those that must not do so commit without the disk, and wait for it afterwards, all together: whatever is
 * written to the log of the database is on the disk as soon as anything later is. Nothing may be answered before.
 *
 * After a crash or a failover such a commit may be lost, and a connection that was opened since then knows nothing of
 * it: what it writes is on the disk of a server that never had the commit, or has forgotten it. So the disk is waited
 * for on a connection that was open before. It does not survive either, and then nobody can say that it is kept.
 */

/** A column that has the transaction commit at once. Whoever asks for it calls a witness before. */
export const WITHOUT_DISK: RawBuilder<unknown> = sql`set_config('synchronous_commit', 'off', true)`

/** Knows what is on the disk. */
export interface Witness {
  /** Waits until all that was committed since the witness was called is on the disk; fails when that is not known. */
  untilDurable(): Promise<void>
}

/** Longer than any disk takes. A server that is cut off would not say so. */
const LONGEST_MS = 10_000

interface Witnesses {
  call(): Promise<Witness>
  close(): Promise<void>
}

const witnesses = new WeakMap<Db, Witnesses>()

/** Gives a database its witness, which is opened when it is first called. */
export function provideWitness(db: Db, direct: pg.ClientConfig): void {
  const provided = createWitnesses(direct)
  witnesses.set(db, provided)
  const destroy = db.destroy.bind(db)
  db.destroy = async () => {
    await provided.close()
    await destroy()
  }
}

/** To be called before the transaction begins. */
export function callWitness(db: Db): Promise<Witness> {
  const provided = witnesses.get(db)
  if (!provided) throw new Error('this database has no witness')
  return provided.call()
}

function createWitnesses(direct: pg.ClientConfig): Witnesses {
  let current: Promise<OpenWitness> | undefined
  const open = async () => {
    const opening = openWitness(direct)
    current = opening
    const forget = () => {
      if (current === opening) current = undefined
    }
    // Whoever comes after it was lost calls another.
    opening.then(({ lost }) => lost.then(forget), forget)
    return opening
  }
  return {
    call: () => current ?? open(),
    async close() {
      const witness = await current?.catch(() => undefined)
      await witness?.close()
    },
  }
}

interface OpenWitness extends Witness {
  /** Settles when its connection has ended. */
  lost: Promise<void>
  close(): Promise<void>
}

async function openWitness(direct: pg.ClientConfig): Promise<OpenWitness> {
  // A connection that was cut off is given up by the time limit.
  const client = openClient({ ...direct, query_timeout: LONGEST_MS })
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  await client.connect()
  // A commit that waits for the disk, of a word in the log that means nothing to anybody.
  const write = () => client.query(`select from pg_logical_emit_message(true, 'latchkey', '')`)
  const giveUp = (cause: unknown) => {
    void client.end().catch(() => {})
    throw new Error('Connection terminated before the disk had everything', { cause })
  }
  return {
    untilDurable: createWait(async () => void (await write().catch(giveUp))),
    lost,
    close: () => client.end().catch(() => {}),
  }
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
