import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { ClientOrigin, DeliveryStatus, LogoutDeliveriesTable } from '../../db/tables.ts'

// A trigger on sessions inserts the deliveries, in the transaction that ends the session.

/** A logout token to send. */
export interface DueLogout {
  id: string
  /** The id of the client in the database, and its client_id. */
  clientRowId: string
  clientId: string
  origin: ClientOrigin
  sessionId: string
  userId: string
  attempts: number
  firstAttemptAt: Date | null
  /** Identifies this attempt. */
  holder: string
}

interface Claim {
  holder: string
  /** Clients for which no further attempt may start now. */
  fullClients: string[]
  /** Also those that no administrator registered. */
  toOutsideClients: boolean
  now: Date
  /** When another node may make the attempt instead. */
  until: Date
}

/**
 * Takes a due delivery that no other node is sending; undefined if there is none. The client that has waited longest is
 * first. Each client is a lookup in the index, however many of its deliveries wait.
 */
export async function claimLogout(db: Db, claim: Claim): Promise<DueLogout | undefined> {
  const { rows } = await claimQuery(claim).execute(db)
  return rows[0]
}

/** Materialized, because a plan that evaluates the subquery repeatedly would lock another row each time. */
export const claimQuery = ({
  holder,
  fullClients,
  toOutsideClients,
  now,
  until,
}: Claim): RawBuilder<DueLogout> => sql<DueLogout>`
  with recursive waiting (client_id) as (
    (select client_id from logout_deliveries where status = 'PENDING' order by client_id limit 1)
    union all
    select (
      select client_id from logout_deliveries
      where status = 'PENDING' and client_id > waiting.client_id order by client_id limit 1
    ) from waiting where client_id is not null
  ), due as materialized (
    select found.id from (
      select client_id, (
        select due_at from logout_deliveries
        where status = 'PENDING' and client_id = waiting.client_id order by due_at limit 1
      ) as waits_since
      from waiting where client_id <> all(${fullClients}::uuid[]) and (
        ${toOutsideClients} or exists (select from clients where id = waiting.client_id and origin = 'ADMIN')
      )
      order by waits_since
    ) as queue
    cross join lateral (
      select id from logout_deliveries
      where status = 'PENDING' and client_id = queue.client_id and due_at <= ${now}
      order by due_at limit 1
      for no key update skip locked
    ) as found
    where waits_since <= ${now}
    limit 1
  )
  update logout_deliveries as claimed set due_at = ${until}, holder = ${holder}
  from due, clients where claimed.id = due.id and clients.id = claimed.client_id
  returning claimed.id, claimed.client_id as "clientRowId", clients.client_id as "clientId", clients.origin,
    claimed.session_id as "sessionId", claimed.user_id as "userId", claimed.attempts,
    claimed.first_attempt_at as "firstAttemptAt", ${holder}::text as holder`

/** Gives up an attempt that was not made, so that another node makes it. */
export async function releaseLogout(db: Db, { id, holder }: DueLogout, dueAt: Date): Promise<void> {
  await db
    .updateTable('logout_deliveries')
    .set({ due_at: dueAt, holder: null })
    .where('id', '=', id)
    .where('holder', '=', holder)
    .execute()
}

interface LogoutResult {
  startedAt: Date
  now: Date
  status: number | undefined
  error: string | undefined
  /** The next attempt; undefined: there is none. */
  next: Date | undefined
}

/** Saves the result of an attempt, unless the attempt took so long that another node makes it again. */
export async function saveLogoutResult(
  db: Db,
  { id, holder }: DueLogout,
  { startedAt, now, status, error, next }: LogoutResult,
): Promise<void> {
  const outcome: DeliveryStatus = next ? 'PENDING' : error === undefined ? 'DELIVERED' : 'FAILED'
  await db
    .updateTable('logout_deliveries')
    .set(({ eb, fn, val }) => ({
      status: outcome,
      attempts: eb('attempts', '+', 1),
      first_attempt_at: fn.coalesce('first_attempt_at', val(startedAt)),
      due_at: next ?? null,
      holder: null,
      last_status: status ?? null,
      last_error: error ?? null,
      finished_at: next ? null : now,
    }))
    .where('id', '=', id)
    .where('holder', '=', holder)
    .execute()
}

export type LogoutDelivery = Selectable<LogoutDeliveriesTable>

/** Newest first. */
export function listLogouts(
  db: Db,
  {
    clientRowId,
    status,
    after,
    limit,
  }: { clientRowId: string; status?: DeliveryStatus | undefined; after?: number | undefined; limit: number },
): Promise<LogoutDelivery[]> {
  let deliveries = db.selectFrom('logout_deliveries').selectAll().where('client_id', '=', clientRowId)
  if (status !== undefined) deliveries = deliveries.where('status', '=', status)
  if (after !== undefined) deliveries = deliveries.where('position', '<', String(after))
  return deliveries.orderBy('position', 'desc').limit(limit).execute()
}

/** Resets a delivery, so that it is sent now. Returns false if the client has no such delivery. */
export async function requeueLogout(
  db: Db,
  { id, clientRowId, now }: { id: string; clientRowId: string; now: Date },
): Promise<boolean> {
  const { rows } = await sql`
    with requeued as (
      update logout_deliveries set status = 'PENDING', attempts = 0, first_attempt_at = null, due_at = ${now},
        holder = null, last_status = null, last_error = null, finished_at = null
      where id = ${id} and client_id = ${clientRowId} returning id
    )
    select pg_notify('latchkey_changes', 'logout_deliveries') from requeued
  `.execute(db)
  return rows.length > 0
}

/** Deletes a batch of deliveries finished before the given time and returns their number. */
export async function deleteFinishedLogouts(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from logout_deliveries where id in (
      select id from logout_deliveries where finished_at < ${before} order by finished_at limit ${limit}
      for update skip locked
    ) and finished_at < ${before}
  `.execute(db)
  return Number(numAffectedRows)
}

const MAX_COUNTED = 10_000

/**
 * The number of logout tokens that are not delivered yet, and since how many seconds the oldest of them is tried. One that
 * was not tried yet counts from when it was due.
 */
export const pendingLogoutsQuery = sql<{ waiting: number; oldest: number }>`
  select count(*) as waiting, coalesce(extract(epoch from now() - min(since)), 0) as oldest from (
    select coalesce(first_attempt_at, due_at) as since
    from logout_deliveries where status = 'PENDING' limit ${sql.lit(MAX_COUNTED)}
  ) as counted`
