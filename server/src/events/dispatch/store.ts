import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'

const MOST_COUNTED = 10_000

/** For a webhook: whether its tenant, if it has one, is suspended. Nothing is sent then, and what waits is kept. */
const SUSPENDED = sql`exists (
  select from tenants where tenants.id = webhooks.tenant_id and tenants.suspended_at is not null
)`

/** How much has not reached its webhook; for those that are disabled, or of a suspended tenant, nothing waits. */
export const deliveriesWaiting = sql<{ waiting: number }>`
  select (
    select count(*) from (
      select from webhook_deliveries join webhooks on webhooks.id = webhook_id
      where status = 'PENDING' and disabled_at is null and not ${SUSPENDED} limit ${sql.lit(MOST_COUNTED)}
    ) as counted
  ) as waiting`

export interface Lane {
  webhookId: string
  /** A tenant, or NO_ID for what happened in none. */
  lane: string
  /** Among whose lanes it counts: those of a webhook of the instance, or of all webhooks of a tenant. */
  share: string
  /** Names whoever works on it. */
  holder: string
}

/** A lane with something to do that nobody works on, now taken until a moment; undefined: there is none. */
export async function claimLane(
  db: Db,
  { holder, busy, now, until }: { holder: string; busy: string[]; now: Date; until: Date },
): Promise<Lane | undefined> {
  // Looked for once, whatever the plan: a look that is repeated would take another lane each time.
  const { rows } = await sql<Lane>`
    with free as materialized (
      select due.webhook_id, due.lane from webhook_lanes as due join webhooks on webhooks.id = due.webhook_id
      where due.due_at <= ${now} and (due.locked_until is null or due.locked_until <= ${now})
        and webhooks.disabled_at is null and not ${SUSPENDED}
        and coalesce(due.tenant_id, due.webhook_id) <> all(${busy}::uuid[])
      order by due.due_at limit 1
      for no key update of due skip locked
    )
    update webhook_lanes set holder = ${holder}, locked_until = ${until} from free
    where webhook_lanes.webhook_id = free.webhook_id and webhook_lanes.lane = free.lane
    returning webhook_lanes.webhook_id as "webhookId", webhook_lanes.lane, ${holder}::text as holder,
      coalesce(webhook_lanes.tenant_id, webhook_lanes.webhook_id) as share
  `.execute(db)
  return rows[0]
}

/** The next of a lane, with what it takes to send it. */
export interface Waiting {
  id: string
  /** Whose webhook it is; null: the instance's. */
  tenantId: string | null
  position: number
  eventId: string
  attempts: number
  /** From when its time counts: the first attempt, or the end of a suspension after it. */
  firstAttemptAt: Date | null
  url: string
  sealed_secret: Buffer
  sealed_previous_secret: Buffer | null
  previous_secret_until: Date | null
}

/** What is next in a lane, which is kept for longer; undefined: nothing is, or somebody else has taken the lane. */
export async function takeNext(
  db: Db,
  { webhookId, lane, holder }: Lane,
  until: Date,
): Promise<Waiting | undefined> {
  const { rows } = await sql<Omit<Waiting, 'position'> & { position: string }>`
    with held as (
      update webhook_lanes set locked_until = ${until}
      where webhook_id = ${webhookId} and lane = ${lane} and holder = ${holder} returning webhook_id, lane
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

/** Extends the lease of a lane. False: another node has taken the lane. */
export async function renewLease(db: Db, { webhookId, lane, holder }: Lane, until: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_lanes set locked_until = greatest(locked_until, ${until})
    where webhook_id = ${webhookId} and lane = ${lane} and holder = ${holder}
  `.execute(db)
  return numAffectedRows === 1n
}

/**
 * Gives a lane back. Whether anything waits is asked once the lane is held, so that what is handed to it at this very
 * moment is either seen here or wakes the lane afterwards.
 */
export const releaseLane = (db: Db, { webhookId, lane, holder }: Lane, now: Date): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      select from webhook_lanes where webhook_id = ${webhookId} and lane = ${lane} and holder = ${holder}
      for no key update
    `.execute(tx)
    if (rows.length === 0) return
    await sql`
      update webhook_lanes set holder = null, locked_until = null, due_at = (
        select ${now}::timestamptz from webhook_deliveries
        where webhook_id = ${webhookId} and lane = ${lane} and status = 'PENDING' limit 1
      )
      where webhook_id = ${webhookId} and lane = ${lane}
    `.execute(tx)
  })

/** Gives a lane back, to whoever looks after a moment. */
export async function postponeLane(db: Db, { webhookId, lane, holder }: Lane, until: Date): Promise<void> {
  await sql`
    update webhook_lanes set due_at = ${until}, holder = null, locked_until = null
    where webhook_id = ${webhookId} and lane = ${lane} and holder = ${holder}
  `.execute(db)
}

export interface Outcome {
  status: number | undefined
  error: string | undefined
}

export async function noteDelivered(
  db: Db,
  { id }: Waiting,
  { status, startedAt, now }: { status: number; startedAt: Date; now: Date },
): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'DELIVERED', attempts = attempts + 1, next_attempt_at = null,
      first_attempt_at = coalesce(first_attempt_at, ${startedAt}), last_status = ${status}, last_error = null,
      finished_at = ${now}
    where id = ${id} and status = 'PENDING'
  `.execute(db)
}

/** Nothing else in the lane is sent before the next attempt. */
export async function noteFailure(
  tx: Tx,
  lane: Lane,
  { id }: Waiting,
  { status, error, startedAt, next }: Outcome & { startedAt: Date; next: Date },
): Promise<void> {
  await postponeLane(tx, lane, next)
  await sql`
    update webhook_deliveries set attempts = attempts + 1, next_attempt_at = ${next},
      first_attempt_at = coalesce(first_attempt_at, ${startedAt}), last_status = ${status ?? null},
      last_error = ${error ?? null}
    where id = ${id} and status = 'PENDING'
  `.execute(tx)
}

export async function noteGivenUp(
  tx: Tx,
  { id }: Waiting,
  { status, error, startedAt, now }: Outcome & { startedAt: Date; now: Date },
): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'FAILED', attempts = attempts + 1, next_attempt_at = null,
      first_attempt_at = coalesce(first_attempt_at, ${startedAt}), last_status = ${status ?? null},
      last_error = ${error ?? null}, finished_at = ${now}
    where id = ${id} and status = 'PENDING'
  `.execute(tx)
}

/** Whether what came before in a lane was given up. */
export async function isBehindFailure(
  db: Db,
  { webhookId, lane }: Lane,
  { position }: Waiting,
): Promise<boolean> {
  const { rows } = await sql<{ failed: boolean }>`
    select status = 'FAILED' as failed from webhook_deliveries
    where webhook_id = ${webhookId} and lane = ${lane} and position < ${position}
    order by position desc limit 1
  `.execute(db)
  return rows[0]?.failed === true
}

/** Whether anything has reached a webhook since a moment. */
export async function hasArrivedSince(db: Db, webhookId: string, since: Date): Promise<boolean> {
  const { rows } = await sql`
    select from webhook_deliveries
    where webhook_id = ${webhookId} and status = 'DELIVERED' and finished_at >= ${since} limit 1
  `.execute(db)
  return rows.length > 0
}
