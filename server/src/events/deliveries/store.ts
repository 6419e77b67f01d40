import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { DeliveryStatus, WebhookDeliveriesTable } from '../../db/tables.ts'
import { NIL_ID } from '../../lib/ids.ts'

export type Delivery = Selectable<WebhookDeliveriesTable>

export function listDeliveries(
  db: Db,
  {
    webhookId,
    status,
    after,
    limit,
  }: { webhookId: string; status?: DeliveryStatus | undefined; after?: number | undefined; limit: number },
): Promise<Delivery[]> {
  let deliveries = db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', webhookId)
  if (status !== undefined) deliveries = deliveries.where('status', '=', status)
  if (after !== undefined) deliveries = deliveries.where('position', '<', String(after))
  return deliveries.orderBy('position', 'desc').limit(limit).execute()
}

/** Resets a delivery to its initial state. */
const RESET = sql.raw(`status = 'PENDING', attempts = 0, first_attempt_at = null, next_attempt_at = null,
  last_status = null, last_error = null, finished_at = null`)

/** Resets a delivery and makes its partition due now. Returns false if there is no such delivery. */
export async function requeueDelivery(
  tx: Tx,
  { id, webhookId, now }: { id: string; webhookId: string; now: Date },
): Promise<boolean> {
  await sql`
    insert into webhook_lanes (webhook_id, lane, tenant_id, due_at)
      select webhook_id, lane, tenant_id, ${now}::timestamptz from webhook_deliveries
      where id = ${id} and webhook_id = ${webhookId}
      on conflict (webhook_id, lane) do update set due_at = excluded.due_at
  `.execute(tx)
  const { rows } = await sql`
    update webhook_deliveries set ${RESET} where id = ${id} and webhook_id = ${webhookId} returning id
  `.execute(tx)
  return rows.length > 0
}

export interface ReplayRange {
  webhook: { id: string; tenantId: string | null }
  after: number
  from: Date | undefined
  to: Date | undefined
  types: string[]
  limit: number
  now: Date
}

/** Queues events for a webhook again. An existing delivery of an event is reset; there is never a second one. */
export async function requeueEvents(
  tx: Tx,
  { webhook, after, from, to, types, limit, now }: ReplayRange,
): Promise<{ count: number; last: number | undefined }> {
  const { rows } = await sql<{ count: number; last: string | null }>`
    with wanted as (
      select position, entry_id, action, coalesce(audit_chain.tenant_id, ${NIL_ID}::uuid) as lane
      from audit_chain join audit_entries on audit_entries.id = audit_chain.entry_id
      where position > ${after} and action = any(${types})
        and (${webhook.tenantId}::uuid is null or audit_chain.tenant_id = ${webhook.tenantId}::uuid)
        and occurred_at >= ${from ?? '-infinity'}::timestamptz and occurred_at < ${to ?? 'infinity'}::timestamptz
      order by position limit ${limit}
    ), woken as (
      insert into webhook_lanes (webhook_id, lane, tenant_id, due_at)
      select distinct ${webhook.id}::uuid, lane, ${webhook.tenantId}::uuid, ${now}::timestamptz from wanted order by lane
      on conflict (webhook_id, lane) do update set due_at = coalesce(webhook_lanes.due_at, excluded.due_at)
      returning lane
    ), queued as (
      insert into webhook_deliveries (webhook_id, tenant_id, lane, position, event_id, event_type, created_at)
      select ${webhook.id}::uuid, ${webhook.tenantId}::uuid, lane, position, entry_id, action, ${now}::timestamptz
      from wanted join woken using (lane) order by position
      on conflict (webhook_id, position) do update set ${RESET} where webhook_deliveries.status <> 'PENDING'
    )
    select count(*)::int, max(position) as last from wanted
  `.execute(tx)
  const { count = 0, last } = rows[0] ?? {}
  return { count, last: last ? Number(last) : undefined }
}
