import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** Creates the row of a new target. Nodes that start at the same time create it once. */
export async function insertStream(
  db: Db,
  { name, from, now }: { name: string; from: 'now' | 'beginning'; now: Date },
): Promise<void> {
  const start = sql.ref(from === 'beginning' ? 'anchor_position' : 'position')
  await sql`
    insert into audit_streams (name, position, created_at) select ${name}, ${start}, ${now}::timestamptz from audit_head
    on conflict (name) do nothing
  `.execute(db)
}

/** The state of a target and of the log. */
export interface StreamState {
  position: number
  batchEnd: number | null
  lockedUntil: Date | null
  retryAt: Date | null
  failures: number
  lastError: string | null
  /** The last position of the log. */
  head: number
  /** The last position that retention has deleted. */
  anchor: number
  /** When the first event happened that was not sent yet; null: all were sent. */
  oldest: Date | null
}

const FIRST_UNSENT = sql`(
  select occurred_at from audit_chain join audit_entries on audit_entries.id = audit_chain.entry_id
  where audit_chain.position > audit_streams.position order by audit_chain.position limit 1
)`

const STATE = sql`
  audit_streams.position, batch_end as "batchEnd", locked_until as "lockedUntil", retry_at as "retryAt", failures,
  last_error as "lastError", audit_head.position as head, anchor_position as anchor, ${FIRST_UNSENT} as oldest`

export async function findStream(db: Db, name: string): Promise<StreamState | undefined> {
  const { rows } = await sql<StreamState>`
    select ${STATE} from audit_streams cross join audit_head where name = ${name}
  `.execute(db)
  return rows[0]
}

/** All targets that were ever configured and not forgotten. */
export async function listStreams(db: Db): Promise<(StreamState & { name: string; confirmedAt: Date | null })[]> {
  const { rows } = await sql<StreamState & { name: string; confirmedAt: Date | null }>`
    select name, confirmed_at as "confirmedAt", ${STATE} from audit_streams cross join audit_head order by name
  `.execute(db)
  return rows
}

/** Returns false if there is no such target. */
export async function deleteStream(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('audit_streams').where('name', '=', name).executeTakeFirst()
  return numDeletedRows > 0n
}

/** A claim on a target. */
export interface Claim {
  name: string
  /** Identifies the claim. */
  holder: string
}

/** Leases a target unless another process holds it or it has to wait. */
export async function claimStream(
  db: Db,
  { name, holder }: Claim,
  { now, until }: { now: Date; until: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update audit_streams set holder = ${holder}, locked_until = ${until}
    where name = ${name} and (locked_until is null or locked_until <= ${now}) and (retry_at is null or retry_at <= ${now})
    returning name
  `.execute(db)
  return rows.length > 0
}

const updateHeld = async (db: Db, { name, holder }: Claim, set: ReturnType<typeof sql>): Promise<boolean> => {
  const { rows } = await sql`
    update audit_streams set ${set} where name = ${name} and holder = ${holder} returning name
  `.execute(db)
  return rows.length > 0
}

// The following functions return false if the claim was lost.

export const renewClaim = (db: Db, claim: Claim, until: Date): Promise<boolean> =>
  updateHeld(db, claim, sql`locked_until = ${until}`)

export const releaseClaim = (db: Db, claim: Claim): Promise<boolean> =>
  updateHeld(db, claim, sql`holder = null, locked_until = null`)

/** Fixes the positions of the next batch before it is sent. */
export const updateBatch = (db: Db, claim: Claim, { after, upTo }: { after: number; upTo: number }): Promise<boolean> =>
  updateHeld(db, claim, sql`position = ${after}, batch_end = ${upTo}`)

/** Moves the position after the target has confirmed the batch. */
export const confirmBatch = (db: Db, claim: Claim, { upTo, now }: { upTo: number; now: Date }): Promise<boolean> =>
  updateHeld(
    db,
    claim,
    sql`position = ${upTo}, batch_end = null, failures = 0, retry_at = null, last_error = null, confirmed_at = ${now}`,
  )

/** Saves a failed attempt and releases the claim. */
export const markFailed = (
  db: Db,
  claim: Claim,
  { failures, retryAt, error }: { failures: number; retryAt: Date; error: string },
): Promise<boolean> =>
  updateHeld(
    db,
    claim,
    sql`failures = ${failures}, retry_at = ${retryAt}, last_error = ${error}, holder = null, locked_until = null`,
  )

/** The last position of a batch within the limits; undefined if there are no events. A batch has at least one event. */
export async function findBatchEnd(
  db: Db,
  { after, maxEvents, maxBytes }: { after: number; maxEvents: number; maxBytes: number },
): Promise<number | undefined> {
  const { rows } = await sql<{ end: number | null }>`
    select max(position) as end from (
      select position, sum(octet_length(details::text) + octet_length(personal::text)) over (order by position) as bytes,
        row_number() over (order by position) as number
      from (
        select position, details, personal
        from audit_chain join audit_entries on audit_entries.id = audit_chain.entry_id
        where position > ${after} order by position limit ${maxEvents}
      ) as next
    ) as measured where bytes <= ${maxBytes} or number = 1
  `.execute(db)
  return rows[0]?.end ?? undefined
}

/** All events between two positions, in order. */
export const listStreamEntries = (db: Db, { after, upTo }: { after: number; upTo: number }) =>
  db
    .selectFrom('audit_chain')
    .innerJoin('audit_entries', 'audit_entries.id', 'audit_chain.entry_id')
    .select(['audit_chain.position', 'audit_chain.hash'])
    .selectAll('audit_entries')
    .where('audit_chain.position', '>', String(after))
    .where('audit_chain.position', '<=', String(upTo))
    .orderBy('audit_chain.position')
    .execute()
export type StreamEntry = Awaited<ReturnType<typeof listStreamEntries>>[number]

/** How far each of the targets is behind. */
export const streamLagQuery = (names: string[]) => sql<{ name: string; events: number; seconds: number }>`
  select name, audit_head.position - greatest(audit_streams.position, anchor_position) as events,
    coalesce(extract(epoch from now() - ${FIRST_UNSENT}), 0) as seconds
  from audit_streams cross join audit_head where name = any(${names}::text[])`
