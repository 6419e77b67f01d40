import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { AuditChainTable } from '../../db/tables.ts'
import type { EntryText } from './link.ts'

/** The end of the chain. Whoever else would make it longer waits until the transaction ends. */
export const lockHead = (tx: Tx) =>
  tx.selectFrom('audit_head').selectAll().forUpdate().executeTakeFirstOrThrow()

export const findHead = (db: Db) => db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow()

export async function updateHead(
  tx: Tx,
  head: { position: number; hash: Buffer; head_proof: Buffer; sealed_key: Buffer },
): Promise<void> {
  await tx.updateTable('audit_head').set(head).execute()
}

/** Whether anything waits; asked often, so it takes no lock and no transaction. */
export async function hasPending(db: Db): Promise<boolean> {
  const first = await db
    .selectFrom('audit_pending')
    .select('sequence')
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return first !== undefined
}

/** Every column of an entry as text. */
export const asText = sql.raw(`
  id::text, to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US') as occurred_at, action, actor_kind,
  actor_id, client_id, user_id::text, audit_entries.tenant_id::text, request_id, details::text, personal::text`)

/** The oldest entries that are in no chain yet, and takes them off the list. */
export async function takePending(tx: Tx, limit: number): Promise<EntryText[]> {
  const { rows } = await sql<EntryText>`
    with taken as (
      delete from audit_pending where sequence in (select sequence from audit_pending order by sequence limit ${limit})
      returning sequence, entry_id
    )
    select ${asText} from taken join audit_entries on audit_entries.id = taken.entry_id order by taken.sequence
  `.execute(tx)
  return rows
}

/** One text, however many they are, so that the database plans it once. */
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

/** Nobody needs to know exactly how many more there are. */
const MOST_COUNTED = 10_000

/** How much waits to be linked, and since when the oldest of it does. */
export const chainPending = sql<{ pending: number; oldest: number }>`
  select
    (select count(*) from (select from audit_pending limit ${sql.lit(MOST_COUNTED)}) as counted) as pending,
    coalesce((
      select extract(epoch from now() - occurred_at) from audit_entries
      where id = (select entry_id from audit_pending order by sequence limit 1)
    ), 0) as oldest`
