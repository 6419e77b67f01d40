import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'

const MAX_COUNTED = 10_000

/** The tenant of the webhook is suspended. Its deliveries stay pending and are not sent. */
const SUSPENDED = sql`exists (
  select from tenants where tenants.id = webhooks.tenant_id and tenants.suspended_at is not null
)`

/** The number of pending deliveries, without those of disabled webhooks and suspended tenants. */
export const pendingDeliveriesQuery = sql<{ waiting: number }>`
  select (
    select count(*) from (
      select from webhook_deliveries join webhooks on webhooks.id = webhook_id
      where status = 'PENDING' and disabled_at is null and not ${SUSPENDED} limit ${sql.lit(MAX_COUNTED)}
    ) as counted
  ) as waiting`

export interface Partition {
  webhookId: string
  /** The tenant of the events, or NO_ID for events without a tenant. */
  key: string
  /** The id of the tenant or instance webhook whose concurrency limit applies. */
  share: string
  /** Identifies the claim. */
  holder: string
}

/** Leases a due partition that no node holds; undefined if there is none. */
export async function claimPartition(
  db: Db,
  { holder, fullShares, now, until }: { holder: string; fullShares: string[]; now: Date; until: Date },
): Promise<Partition | undefined> {
  // Materialized, because a plan that evaluates the subquery repeatedly would lock another row each time.
  const { rows } = await sql<Partition>`
    with free as materialized (
      select due.webhook_id, due.lane from webhook_lanes as due join webhooks on webhooks.id = due.webhook_id
      where due.due_at <= ${now} and (due.locked_until is null or due.locked_until <= ${now})
        and webhooks.disabled_at is null and not ${SUSPENDED}
        and coalesce(due.tenant_id, due.webhook_id) <> all(${fullShares}::uuid[])
      order by due.due_at limit 1
      for no key update of due skip locked
    )
    update webhook_lanes set holder = ${holder}, locked_until = ${until} from free
    where webhook_lanes.webhook_id = free.webhook_id and webhook_lanes.lane = free.lane
    returning webhook_lanes.webhook_id as "webhookId", webhook_lanes.lane as key, ${holder}::text as holder,
      coalesce(webhook_lanes.tenant_id, webhook_lanes.webhook_id) as share
  `.execute(db)
  return rows[0]
}

/** A pending delivery with everything needed to send it. */
export interface PendingDelivery {
  id: string
  /** The owner of the webhook; null: the instance. */
  tenantId: string | null
  position: number
  eventId: string
  attempts: number
  /** The start of the retry period: the first attempt, or the end of a later suspension of the tenant. */
  firstAttemptAt: Date | null
  url: string
  sealed_secret: Buffer
  sealed_previous_secret: Buffer | null
  previous_secret_until: Date | null
}

/** Extends the lease and returns the next delivery; undefined if none is pending or another node holds the partition. */
export async function findNextDelivery(
  db: Db,
  { webhookId, key, holder }: Partition,
  until: Date,
): Promise<PendingDelivery | undefined> {
  const { rows } = await sql<Omit<PendingDelivery, 'position'> & { position: string }>`
    with held as (
      update webhook_lanes set locked_until = ${until}
      where webhook_id = ${webhookId} and lane = ${key} and holder = ${holder} returning webhook_id, lane
    )
    select waiting.id, webhooks.tenant_id as "tenantId", waiting.position, waiting.event_id as "eventId",
      waiting.attempts, case when waiting.first_attempt_at is not null then
        greatest(waiting.first_attempt_at, tenants.reactivated_at) end as "firstAttemptAt", webhooks.url, webhooks.sealed_secret,
      webhooks.sealed_previous_secret, webhooks.previous_secret_until
    from held
    join webhooks on webhooks.id = held.webhook_id and webhooks.disabled_at is null
    left join tenants on tenants.id = webhooks.tenant_id
    join webhook_deliveries as waiting on waiting.webhook_id = held.webhook_id and waiting.lane = held.lane
    where waiting.status = 'PENDING' and tenants.suspended_at is null
    order by waiting.position limit 1
  `.execute(db)
  const [row] = rows
  return row && { ...row, position: Number(row.position) }
}

/** Extends the lease. Returns false if another node holds the partition. */
export async function renewLease(db: Db, { webhookId, key, holder }: Partition, until: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_lanes set locked_until = greatest(locked_until, ${until})
    where webhook_id = ${webhookId} and lane = ${key} and holder = ${holder}
  `.execute(db)
  return numAffectedRows === 1n
}

/**
 * Releases a partition. The row is locked before pending deliveries are checked, so that a concurrently queued delivery
 * is either seen here or makes the partition due afterwards.
 */
export const releasePartition = (db: Db, { webhookId, key, holder }: Partition, now: Date): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      select from webhook_lanes where webhook_id = ${webhookId} and lane = ${key} and holder = ${holder}
      for no key update
    `.execute(tx)
    if (rows.length === 0) return
    await sql`
      update webhook_lanes set holder = null, locked_until = null, due_at = (
        select ${now}::timestamptz from webhook_deliveries
        where webhook_id = ${webhookId} and lane = ${key} and status = 'PENDING' limit 1
      )
      where webhook_id = ${webhookId} and lane = ${key}
    `.execute(tx)
  })

/** Releases a partition that becomes due at `until`. */
export async function postponePartition(db: Db, { webhookId, key, holder }: Partition, until: Date): Promise<void> {
  await sql`
    update webhook_lanes set due_at = ${until}, holder = null, locked_until = null
    where webhook_id = ${webhookId} and lane = ${key} and holder = ${holder}
  `.execute(db)
}

export interface Outcome {
  status: number | undefined
  error: string | undefined
}

export async function markDelivered(
  db: Db,
  { id }: PendingDelivery,
  { status, startedAt, now }: { status: number; startedAt: Date; now: Date },
): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'DELIVERED', attempts = attempts + 1, next_attempt_at = null,
      first_attempt_at = coalesce(first_attempt_at, ${startedAt}), last_status = ${status}, last_error = null,
      finished_at = ${now}
    where id = ${id} and status = 'PENDING'
  `.execute(db)
}

/** Saves a failed attempt. The whole partition waits for the next one. */
export async function markRetry(
  tx: Tx,
  partition: Partition,
  { id }: PendingDelivery,
  { status, error, startedAt, next }: Outcome & { startedAt: Date; next: Date },
): Promise<void> {
  await postponePartition(tx, partition, next)
  await sql`
    update webhook_deliveries set attempts = attempts + 1, next_attempt_at = ${next},
      first_attempt_at = coalesce(first_attempt_at, ${startedAt}), last_status = ${status ?? null},
      last_error = ${error ?? null}
    where id = ${id} and status = 'PENDING'
  `.execute(tx)
}

export async function markFailed(
  tx: Tx,
  { id }: PendingDelivery,
  { status, error, startedAt, now }: Outcome & { startedAt: Date; now: Date },
): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'FAILED', attempts = attempts + 1, next_attempt_at = null,
      first_attempt_at = coalesce(first_attempt_at, ${startedAt}), last_status = ${status ?? null},
      last_error = ${error ?? null}, finished_at = ${now}
    where id = ${id} and status = 'PENDING'
  `.execute(tx)
}

/** The previous delivery of the partition was abandoned. */
export async function isPreviousDeliveryFailed(
  db: Db,
  { webhookId, key }: Partition,
  { position }: PendingDelivery,
): Promise<boolean> {
  const { rows } = await sql<{ failed: boolean }>`
    select status = 'FAILED' as failed from webhook_deliveries
    where webhook_id = ${webhookId} and lane = ${key} and position < ${position}
    order by position desc limit 1
  `.execute(db)
  return rows[0]?.failed === true
}

/** A delivery to the webhook succeeded since the given time. */
export async function hasDeliveredSince(db: Db, webhookId: string, since: Date): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_deliveries
    where webhook_id = ${webhookId} and status = 'DELIVERED' and finished_at >= ${since} limit 1
  `.execute(db)
  return rows.length > 0
}
