import { type ExpressionBuilder, sql } from 'kysely'
import type { Tx } from '../../../db/open.ts'
import type { Tables } from '../../../db/tables.ts'
import type { EntryText } from '../link.ts'
import { ENTRY_AS_TEXT } from '../store.ts'

export interface Link {
  position: number
  entry_id: string
  /** The tenant id stored with the link, which the event feed filters by. */
  linked_tenant_id: string | null
  personal_digest: Buffer
  hash: Buffer
  entry: EntryText | undefined
}

type LinkRow = Omit<Link, 'entry'> & { [K in keyof EntryText]: EntryText[K] | null }

/** Links after a position in order. `entry` is undefined when the entry of a link is missing. */
export async function listLinks(tx: Tx, { after, limit }: { after: number; limit: number }): Promise<Link[]> {
  const { rows } = await sql<LinkRow>`
    select position, entry_id::text, audit_chain.tenant_id::text as linked_tenant_id, personal_digest, hash, ${ENTRY_AS_TEXT}
    from audit_chain left join audit_entries on audit_entries.id = audit_chain.entry_id
    where position > ${after} order by position limit ${limit}
  `.execute(tx)
  return rows.map(({ position, entry_id, linked_tenant_id, personal_digest, hash, ...entry }) => ({
    position,
    entry_id,
    linked_tenant_id,
    personal_digest,
    hash,
    entry: entry.id === null ? undefined : (entry as EntryText),
  }))
}

/** Links at or before the anchor, which should have been pruned. */
export const listLinksBeforeAnchor = (tx: Tx, { anchor, limit }: { anchor: number; limit: number }) =>
  tx
    .selectFrom('audit_chain')
    .select(['position', 'entry_id'])
    .where('position', '<=', String(anchor))
    .orderBy('position')
    .limit(limit)
    .execute()

/** Entries that are neither in the chain nor pending. */
export const listUnlinkedEntries = (tx: Tx, { after, limit }: { after: string; limit: number }) =>
  tx
    .selectFrom('audit_entries')
    .select(['id', 'occurred_at'])
    .where('id', '>', after)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('audit_chain').select('entry_id').whereRef('entry_id', '=', 'audit_entries.id'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('audit_pending').select('entry_id').whereRef('entry_id', '=', 'audit_entries.id'))),
    )
    .orderBy('id')
    .limit(limit)
    .execute()

/** The number of pending entries, and the ids of those whose entry is missing. */
export async function findPending(tx: Tx): Promise<{ count: number; missing: string[] }> {
  const { rows } = await sql<{ count: number; missing: string[] }>`
    select count(*) as count,
      coalesce((array_agg(entry_id::text) filter (where audit_entries.id is null))[1:100], '{}') as missing
    from audit_pending left join audit_entries on audit_entries.id = entry_id
  `.execute(tx)
  return rows[0] ?? { count: 0, missing: [] }
}

/** Those of the users that the audit log records as erased. A user that still exists does not count as erased. */
export async function listErasedUsers(tx: Tx, userIds: string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const erased = await tx
    .selectFrom('audit_entries')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .where('action', '=', 'user.erased')
    .where(isUserDeleted)
    .execute()
  return erased.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]))
}

const isUserDeleted = ({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'audit_entries'>) =>
  not(exists(selectFrom('users').select('users.id').whereRef('users.id', '=', 'audit_entries.user_id')))

/** Those of the entries that an `audit.emptied` entry lists. */
export async function listErasedEntries(tx: Tx, entryIds: string[]): Promise<string[]> {
  if (entryIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select jsonb_array_elements_text(details -> 'entries') as id from audit_entries
    where action = 'audit.emptied' and details -> 'entries' ?| ${entryIds}::text[]
      and not exists (select from users where users.id = audit_entries.user_id)
  `.execute(tx)
  return rows.map(({ id }) => id)
}
