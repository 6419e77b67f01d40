import { sql } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { ChainEnd } from './link.ts'

/** The oldest links. `occurred_at` is null when the entry of a link is missing. */
export const listOldestLinks = (tx: Tx, { after, limit }: { after: number; limit: number }) =>
  tx
    .selectFrom('audit_chain')
    .leftJoin('audit_entries', 'audit_entries.id', 'audit_chain.entry_id')
    .select(['position', 'hash', 'occurred_at'])
    .where('position', '>', String(after))
    .orderBy('position')
    .limit(limit)
    .execute()

/** Deletes links and entries up to a position. The setting lifts the triggers that otherwise forbid deletion. */
export async function deleteLinksUpTo(tx: Tx, position: number): Promise<void> {
  await sql`select set_config('latchkey.retention', 'on', true)`.execute(tx)
  await sql`
    with gone as (delete from audit_chain where position <= ${position} returning entry_id)
    delete from audit_entries where id in (select entry_id from gone)
  `.execute(tx)
  await sql`select set_config('latchkey.retention', '', true)`.execute(tx)
}

export async function updateAnchor(tx: Tx, { position, hash }: ChainEnd, proof: Buffer): Promise<void> {
  await tx
    .updateTable('audit_head')
    .set({ anchor_position: position, anchor_hash: hash, anchor_proof: proof })
    .execute()
}
