import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import { NIL_ID } from '../../lib/ids.ts'

/** The cursor, the head of the audit chain, and the lowest start position of all active webhooks. */
export interface FanOutProgress {
  position: number
  head: number
  earliest: number | null
}

export async function findProgress(db: Db): Promise<FanOutProgress> {
  const { rows } = await sql<Record<'position' | 'head', string> & { earliest: string | null }>`
    select webhook_cursor.position, audit_head.position as head,
      (select min(after_position) from webhooks where disabled_at is null) as earliest
    from webhook_cursor cross join audit_head
  `.execute(db)
  const { position = '0', head = '0', earliest = null } = rows[0] ?? {}
  return {
    position: Number(position),
    head: Number(head),
    earliest: earliest === null ? null : Number(earliest),
  }
}

/** Returns false if another node holds the cursor. */
export async function tryLockCursor(tx: Tx): Promise<boolean> {
  const cursor = await tx.selectFrom('webhook_cursor').select('position').forUpdate().skipLocked().executeTakeFirst()
  return cursor !== undefined
}

export async function updateCursor(tx: Tx, position: number): Promise<void> {
  await tx.updateTable('webhook_cursor').set({ position }).execute()
}

export interface Batch {
  after: number
  upTo: number
  types: string[]
  now: Date
}

/**
 * Queues events for every matching webhook. The partitions are locked and made due before the deliveries are inserted.
 * Webhooks and events are read in one snapshot. Events from more than a minute before a webhook was created are
 * skipped, even if they were linked to the chain later.
 */
export async function insertDeliveries(tx: Tx, { after, upTo, types, now }: Batch): Promise<void> {
  await sql`
    with wanted as materialized (
      select webhooks.id as webhook_id, webhooks.tenant_id, position, entry_id, action,
        coalesce(audit_chain.tenant_id, ${NIL_ID}::uuid) as lane
      from audit_chain
      join audit_entries on audit_entries.id = audit_chain.entry_id
      join webhooks on webhooks.disabled_at is null and webhooks.after_position < audit_chain.position
        and (webhooks.tenant_id is null or webhooks.tenant_id = audit_chain.tenant_id)
        and occurred_at >= webhooks.created_at - interval '1 minute'
        and webhooks.events && array['*', split_part(action, '.', 1) || '.*', action]
      where position > ${after} and position <= ${upTo} and action = any(${types})
    ), woken as (
      insert into webhook_lanes (webhook_id, lane, tenant_id, due_at)
      select distinct webhook_id, lane, tenant_id, ${now}::timestamptz from wanted order by webhook_id, lane
      on conflict (webhook_id, lane) do update set due_at = coalesce(webhook_lanes.due_at, excluded.due_at)
      returning webhook_id, lane
    )
    insert into webhook_deliveries (webhook_id, tenant_id, lane, position, event_id, event_type, created_at)
      select webhook_id, tenant_id, lane, position, entry_id, action, ${now}::timestamptz
      from wanted join woken using (webhook_id, lane) order by webhook_id, lane, position
      on conflict (webhook_id, position) do nothing
  `.execute(tx)
}
