import { type RawBuilder, sql } from 'kysely'
import type { AuditInsert } from '../../audit/record.ts'
import { ASYNC_COMMIT } from '../../db/durable.ts'
import { type Db, runWrite, type Tx } from '../../db/open.ts'
import { isUsableAt } from '../periods-store.ts'

/** Who gets a seat: decided by one part of SQL, for a single seat in a transaction and for batches of many tenants. */

export interface SeatKey {
  tenantId: string
  userId: string
  applicationId: string
}

export interface NewSeat extends SeatKey {
  id: string
  licenseTypeId: string
  now: Date
  /** For an ACTIVE member, or reserved for an INVITED one. */
  kind: 'ASSIGNED' | 'RESERVED'
}

export interface GrantedSeat {
  id: string
  licenseTypeName: string
}

interface Decision {
  now: Date
  kind: NewSeat['kind']
  /** Rows that another transaction has locked are left out. Otherwise they are waited for. */
  skipLocked: boolean
  /** A seat that is not good any more is given up for the new one. Otherwise its holder gets none. */
  replacesLapsed: boolean
}

/**
 * The common table expressions that grant seats to the rows of `asked`. A row gets a seat if the person is a member without
 * one and one is free; if too few are free, the first rows get them. The result is `granted`, with the columns of `asked`,
 * `seat_id` and `name`.
 *
 * The order of locks is user, membership, subscription, as in every other transaction.
 */
function grantAsked({ now, kind, skipLocked, replacesLapsed }: Decision): RawBuilder<unknown> {
  const skip = skipLocked ? sql`skip locked` : sql``
  const isEligible =
    kind === 'ASSIGNED'
      ? sql`memberships.status = 'ACTIVE' and not users.disabled`
      : sql`memberships.status = 'INVITED'`
  // Whoever reserves a seat invites the person, and has locked that row already.
  const locked = kind === 'ASSIGNED' ? sql`users, memberships` : sql`memberships`
  return sql`
    eligible as (
      select asked.* from asked
      join memberships on memberships.tenant_id = asked.tenant_id and memberships.user_id = asked.user_id
      join users on users.id = memberships.user_id
      where ${isEligible}
      for share of ${locked} ${skip}
    ), free as (
      select subscriptions.id, subscriptions.tenant_id, subscriptions.application_id, subscriptions.license_type_id,
        subscriptions.quantity_purchased - subscriptions.quantity_assigned - subscriptions.quantity_reserved as count,
        license_types.name
      from (select distinct tenant_id, application_id, license_type_id from eligible) as wanted
      join subscriptions on subscriptions.tenant_id = wanted.tenant_id
        and subscriptions.license_type_id = wanted.license_type_id
        and subscriptions.application_id = wanted.application_id
      join license_types on license_types.id = subscriptions.license_type_id
      join applications on applications.id = subscriptions.application_id
      where applications.licensing_mode = 'PER_SEAT' and ${isUsableAt(now)}
      for no key update of subscriptions ${skip}
    ), queue as (
      select eligible.*, free.id as subscription_id, free.name, free.count,
        row_number() over (partition by free.id order by eligible.position) as turn
      from eligible join free on free.tenant_id = eligible.tenant_id
        and free.license_type_id = eligible.license_type_id and free.application_id = eligible.application_id
    ), inserted as (
      insert into seats
        (id, tenant_id, user_id, application_id, license_type_id, subscription_id, status, assigned_at)
      select id, tenant_id, user_id, application_id, license_type_id, subscription_id, ${kind}, assigned_at
      from queue where turn <= count
      on conflict (tenant_id, user_id, application_id) ${replacesLapsed ? replaceLapsed(now) : sql`do nothing`}
      returning id, tenant_id, user_id, application_id
    ), granted as (
      select queue.*, inserted.id as seat_id from inserted join queue on queue.tenant_id = inserted.tenant_id
        and queue.user_id = inserted.user_id and queue.application_id = inserted.application_id
    )`
}

const replaceLapsed = (now: Date) => sql`do update set
        license_type_id = excluded.license_type_id, subscription_id = excluded.subscription_id,
        assigned_at = excluded.assigned_at, status = excluded.status
        where seats.status = 'PARKED' or seats.subscription_id <> excluded.subscription_id and not exists (
          select from subscriptions as before
          where before.id = seats.subscription_id and ${isUsableAt(now, 'before')}
        )`

/** Grants one seat in a transaction that has locked the tenant; undefined if there is none for this person. */
export async function grantSeatTo(tx: Tx, seat: NewSeat): Promise<GrantedSeat | undefined> {
  const { id, tenantId, userId, applicationId, licenseTypeId, now, kind } = seat
  const { rows } = await sql<GrantedSeat>`
    with asked as (
      select ${id}::uuid as id, ${tenantId}::uuid as tenant_id, ${userId}::uuid as user_id,
        ${applicationId}::uuid as application_id, ${licenseTypeId}::uuid as license_type_id,
        ${now}::timestamptz as assigned_at, 1 as position
    ), ${grantAsked({ now, kind, skipLocked: false, replacesLapsed: true })}
    select seat_id as id, name as "licenseTypeName" from granted
  `.execute(tx)
  return rows[0]
}

/** A seat that is to be granted or revoked, and by whom. */
export interface SeatChange {
  action: 'grant' | 'revoke'
  seat: Omit<NewSeat, 'kind'>
  actor: string | undefined
}

export interface ChangedSeat {
  /** The index of the change in the batch. */
  index: number
  /** The tenant was locked by another transaction, or is suspended or gone: nothing was done. */
  isTenantSkipped: boolean
  seatId: string
  licenseTypeName: string
  /** The revision of the tenant's ledger after the whole batch. */
  revision: string
}

interface BatchOptions {
  now: Date
  auditInsert: AuditInsert
  /** All changes are of one tenant, and its lock is waited for. */
  waitForTenant: boolean
}

/**
 * Grants and revokes seats of many tenants in one statement, writes the audit events, and tells which changes were made.
 *
 * - It waits for no lock, so it cannot deadlock: what another transaction has locked is left out. The reason of a refusal
 *   is found out elsewhere. The lock of a single tenant may be waited for, because nothing else is locked by then.
 * - It runs outside row-level security, because it has many tenants. Every join carries the tenant, and foreign keys
 *   tie a seat, its member and its subscription to one tenant.
 * - No two changes may be about the same person in the same tenant.
 */
export async function changeSeats(
  db: Db,
  changes: SeatChange[],
  { now, auditInsert, waitForTenant }: BatchOptions,
): Promise<ChangedSeat[]> {
  const seats = changes.map(({ seat }) => seat)
  const actors = changes.map(({ seat, actor }) => [`${seat.tenantId}:${seat.userId}`, actor])
  const statement = sql<Omit<ChangedSeat, 'index'> & { position: string }>`
    with requested as (
      select * from unnest(
        ${changes.map(({ action }) => action)}::text[], ${seats.map(({ id }) => id)}::uuid[],
        ${seats.map(({ tenantId }) => tenantId)}::uuid[], ${seats.map(({ userId }) => userId)}::uuid[],
        ${seats.map(({ applicationId }) => applicationId)}::uuid[],
        ${seats.map(({ licenseTypeId }) => licenseTypeId)}::uuid[], ${seats.map((seat) => seat.now)}::timestamptz[]
      ) with ordinality
        as requested (action, id, tenant_id, user_id, application_id, license_type_id, assigned_at, position)
    ), locked as (
      select id from tenants where id in (select tenant_id from requested) and suspended_at is null
      for no key update ${waitForTenant ? sql`` : sql`skip locked`}
    ), ledger as (
      select tenant_id, revision from license_revisions where tenant_id in (select id from locked)
      for no key update skip locked
    ), asked as (
      select requested.* from requested join ledger on ledger.tenant_id = requested.tenant_id
      where requested.action = 'grant'
    ), ${grantAsked({ now, kind: 'ASSIGNED', skipLocked: true, replacesLapsed: false })}, held as (
      select seats.id, requested.position
      from requested join ledger on ledger.tenant_id = requested.tenant_id
      join seats on seats.tenant_id = requested.tenant_id and seats.user_id = requested.user_id
        and seats.application_id = requested.application_id
      join subscriptions on subscriptions.id = seats.subscription_id
      where requested.action = 'revoke' and seats.status = 'ASSIGNED'
      for no key update of subscriptions skip locked for update of seats skip locked
    ), revoked as (
      delete from seats using held where seats.id = held.id
      returning held.position, seats.id, seats.tenant_id, seats.license_type_id
    ), changed as (
      select position, seat_id, tenant_id, license_type_id, name from granted
      union all select position, id, tenant_id, license_type_id, '' from revoked
    ), audited as (${auditInsert(
      sql`select position as index, jsonb_build_object('licenseTypeId', license_type_id) as details from changed`,
    )})
    select changed.position, false as "isTenantSkipped", changed.seat_id as "seatId",
      changed.name as "licenseTypeName",
      -- Each change is one entry of the ledger.
      ledger.revision + count(*) over (partition by changed.tenant_id) as revision,
      (select ${ASYNC_COMMIT}),
      -- The triggers that write the ledger name the actor of each person's entry.
      (select set_config('latchkey.actors', ${JSON.stringify(Object.fromEntries(actors))}, true))
    from changed join ledger on ledger.tenant_id = changed.tenant_id
    union all
    select position, true, null, '', null, null, null from requested
    where tenant_id not in (select tenant_id from ledger)
  `
  const { rows } = await runWrite(db, () => statement.execute(db))
  return rows.map(({ position, ...changed }) => ({ ...changed, index: Number(position) - 1 }))
}
