import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { AuditChainTable } from '../../db/tables.ts'
import type { EntryText } from './link.ts'

/** Locks the head of the chain until the transaction ends, so that only one node extends the chain. */
export const lockHead = (tx: Tx) => tx.selectFrom('audit_head').selectAll().forUpdate().executeTakeFirstOrThrow()

export const findHead = (db: Db) => db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow()

export async function updateHead(
  tx: Tx,
  head: { position: number; hash: Buffer; head_proof: Buffer; sealed_key: Buffer },
): Promise<void> {
  await tx.updateTable('audit_head').set(head).execute()
}

/** Called often, so it takes no lock and no transaction. */
export async function hasPending(db: Db): Promise<boolean> {
  const first = await db.selectFrom('audit_pending').select('sequence').orderBy('sequence').limit(1).executeTakeFirst()
  return first !== undefined
}

/** Selects every column of an entry as text. */
export const ENTRY_AS_TEXT = sql.raw(`
  id::text, to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US') as occurred_at, action, actor_kind,
  actor_id, client_id, user_id::text, audit_entries.tenant_id::text, request_id, details::text, personal::text`)

/** Removes the oldest pending entries from the queue and returns them. */
export async function takePending(tx: Tx, limit: number): Promise<EntryText[]> {
  const { rows } = await sql<EntryText>`
    with taken as (
      delete from audit_pending where sequence in (select sequence from audit_pending order by sequence limit ${limit})
      returning sequence, entry_id
    )
    select ${ENTRY_AS_TEXT} from taken join audit_entries on audit_entries.id = taken.entry_id order by taken.sequence
  `.execute(tx)
  return rows
}

/** The statement text does not depend on the number of links, so that the database can reuse its plan. */
export async function insertLinks(tx: Tx, links: Insertable<AuditChainTable>[]): Promise<void> {
  await sql`
    insert into audit_chain (position, entry_id, tenant_id, personal_digest, hash)
    select * from unnest(
      ${links.map(({ position }) => position)}::bigint[], ${links.map(({ entry_id }) => entry_id)}::uuid[],
      ${links.map(({ tenant_id }) => tenant_id)}::uuid[],
      ${links.map(({ personal_digest }) => personal_digest)}::bytea[], ${links.map(({ hash }) => hash)}::bytea[]
    )
  `.execute(tx)
}

/** Bounds the cost of counting a long queue. */
const MAX_COUNTED = 10_000

/** The number of pending entries and the age of the oldest one in seconds. */
export const pendingEntriesQuery = sql<{ pending: number; oldest: number }>`
  select
    (select count(*) from (select from audit_pending limit ${sql.lit(MAX_COUNTED)}) as counted) as pending,
    coalesce((
      select extract(epoch from now() - occurred_at) from audit_entries
      where id = (select entry_id from audit_pending order by sequence limit 1)
    ), 0) as oldest`
