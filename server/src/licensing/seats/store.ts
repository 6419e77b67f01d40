import { type RawBuilder, sql } from 'kysely'
import type { Noting } from '../../audit/record.ts'
import { WITHOUT_DISK } from '../../db/durable.ts'
import { asWrite, type Db, type Tx } from '../../db/open.ts'
import { isShownAs } from '../../db/shown-members.ts'
import type { LicensingMode, MembershipStatus, SubscriptionStatus } from '../../db/tables.ts'
import { NO_ID, toId } from '../../lib/ids.ts'
import { usableAt } from '../periods/store.ts'

/**
 * From here on the transaction sees this tenant alone. Others who would change it, its members or its seats wait, and
 * what is written down of itself names the actor. It commits without the disk. Undefined when there is no such tenant.
 */
export async function lockAndEnter(
  tx: Tx,
  tenantId: string,
  actor: string | undefined,
): Promise<{ suspended: boolean } | undefined> {
  const { rows } = await sql<{ suspended: boolean }>`
    select suspended_at is not null as suspended, enter_tenant(id, ${actor ?? null}), ${WITHOUT_DISK}
    from tenants where id = ${tenantId} for no key update
  `.execute(tx)
  return rows[0]
}

/** Whether they look after the tenant, now that nobody else can change that. */
export async function mayGiveSeats(tx: Tx, tenantId: string, userId: string | undefined): Promise<boolean> {
  const { rows } = await sql`
    select from memberships join users on users.id = memberships.user_id
    where memberships.tenant_id = ${tenantId} and memberships.user_id = ${userId ?? NO_ID}
      and memberships.status = 'ACTIVE' and memberships.role in ('owner', 'admin') and not users.disabled
  `.execute(tx)
  return rows.length > 0
}

export interface SeatKey {
  tenantId: string
  userId: string
  applicationId: string
}

export interface NewSeat extends SeatKey {
  id: string
  licenseTypeId: string
  now: Date
  /** For an ACTIVE member, or kept for one who is INVITED. */
  kind: 'ASSIGNED' | 'RESERVED'
}

export interface TakenSeat {
  id: string
  licenseTypeName: string
}

/**
 * Takes a seat, if the person is a member without one and one is free: of several who try for the last, one gets it,
 * and the others find none. What they hold of a subscription that is not good any more is given up for it.
 */
export async function takeSeat(
  tx: Tx,
  { id, tenantId, userId, applicationId, licenseTypeId, now, kind }: NewSeat,
): Promise<TakenSeat | undefined> {
  const { rows } = await sql<TakenSeat>`
    with holder as (
      -- Whoever suspends, removes or disables them waits, or is waited for: the person first, as who is deleted goes.
      select memberships.user_id from users join memberships on memberships.user_id = users.id
      where memberships.tenant_id = ${tenantId} and memberships.user_id = ${userId}
        and memberships.status = ${kind === 'ASSIGNED' ? 'ACTIVE' : 'INVITED'}
        and (${kind === 'RESERVED'} or not users.disabled)
      -- Who invites somebody holds that person already.
      ${kind === 'RESERVED' ? sql`for share of memberships` : sql`for share`}
    ), free as (
      select subscriptions.id, license_types.name
      from subscriptions
      join license_types on license_types.id = subscriptions.license_type_id
      join applications on applications.id = subscriptions.application_id
      where exists (select from holder)
        and subscriptions.tenant_id = ${tenantId} and subscriptions.license_type_id = ${licenseTypeId}
        and subscriptions.application_id = ${applicationId} and applications.licensing_mode = 'PER_SEAT'
        and subscriptions.quantity_assigned + subscriptions.quantity_reserved < subscriptions.quantity_purchased
        and ${usableAt(now)}
      for no key update of subscriptions
    ), taken as (
      insert into seats
        (id, tenant_id, user_id, application_id, license_type_id, subscription_id, status, assigned_at)
      select ${id}::uuid, ${tenantId}::uuid, ${userId}::uuid, ${applicationId}::uuid, ${licenseTypeId}::uuid, id,
        ${kind}, ${now}::timestamptz
      from free
      on conflict (tenant_id, user_id, application_id) do update set
        license_type_id = excluded.license_type_id, subscription_id = excluded.subscription_id,
        assigned_at = excluded.assigned_at, status = excluded.status
        where seats.status = 'PARKED' or seats.subscription_id <> excluded.subscription_id and not exists (
          select from subscriptions as before
          where before.id = seats.subscription_id and ${usableAt(now, 'before')}
        )
      returning id
    )
    select taken.id, free.name as "licenseTypeName" from taken, free
  `.execute(tx)
  return rows[0]
}

/** All that work on many seats touches, in the order in which everybody takes hold of things. */
export async function holdAll(
  tx: Tx,
  tenantId: string,
  wishes: { userId: string; applicationId?: unknown }[],
): Promise<void> {
  const people = wishes.map(({ userId }) => toId(userId) ?? NO_ID)
  const applications = wishes.map(({ applicationId }) => toId(applicationId) ?? NO_ID)
  await sql`select from users where id = any(${people}::uuid[]) order by id for share`.execute(tx)
  await sql`
    select from memberships where tenant_id = ${tenantId} and user_id = any(${people}::uuid[])
    order by user_id for share
  `.execute(tx)
  await sql`
    select from subscriptions where tenant_id = ${tenantId} and application_id = any(${applications}::uuid[])
    order by id for no key update
  `.execute(tx)
}

/** Gives a seat back; undefined when there is none. */
export async function releaseSeat(
  tx: Tx,
  { tenantId, userId, applicationId }: SeatKey,
): Promise<{ id: string; licenseTypeId: string } | undefined> {
  const { rows } = await sql<{ id: string; licenseTypeId: string }>`
    with held as (
      -- The subscription first: whoever takes a seat of it does so too.
      select seats.id from seats join subscriptions on subscriptions.id = seats.subscription_id
      where seats.tenant_id = ${tenantId} and seats.user_id = ${userId}
        and seats.application_id = ${applicationId} and seats.status = 'ASSIGNED'
      for no key update of subscriptions
    )
    delete from seats using held where seats.id = held.id
    returning seats.id, seats.license_type_id as "licenseTypeId"
  `.execute(tx)
  return rows[0]
}

/** A seat that is to be granted or revoked, and by whom. */
export interface Exchange {
  kind: 'grant' | 'revoke'
  seat: Omit<NewSeat, 'kind'>
  by: string | undefined
}

export interface Exchanged {
  /** Which of those that were asked for. */
  index: number
  /** Its tenant was held by somebody else, or is suspended or gone: nothing was done. */
  isLeftOut: boolean
  licenseTypeName: string
  /** How far the tenant's ledger came by all of them. */
  revision: string
}

interface Exchanging {
  now: Date
  noting: Noting
  /** Their one tenant is waited for. */
  waits: boolean
}

/**
 * Grants and revokes seats for many at once, whatever their tenants, as `takeSeat` and `releaseSeat` do for one, and
 * writes it down; says for which it was done. All in one statement, which commits without the disk. It waits for nobody,
 * so that no two wait for each other in a circle: who is held by somebody else is left out, and so is whoever cannot be
 * served for another reason, which is looked for elsewhere. Where all are of one tenant, that may be waited for: nothing
 * else is held by then. No two may be about the same person in the same tenant.
 */
export async function exchangeSeats(
  db: Db,
  exchanges: Exchange[],
  { now, noting, waits }: Exchanging,
): Promise<Exchanged[]> {
  const seats = exchanges.map(({ seat }) => seat)
  const actors = exchanges.map(({ seat, by }) => [`${seat.tenantId}:${seat.userId}`, by])
  const exchanging = sql<Omit<Exchanged, 'index'> & { place: string }>`
    with wish as (
      select * from unnest(
        ${exchanges.map(({ kind }) => kind)}::text[], ${seats.map(({ id }) => id)}::uuid[],
        ${seats.map(({ tenantId }) => tenantId)}::uuid[], ${seats.map(({ userId }) => userId)}::uuid[],
        ${seats.map(({ applicationId }) => applicationId)}::uuid[],
        ${seats.map(({ licenseTypeId }) => licenseTypeId)}::uuid[], ${seats.map((seat) => seat.now)}::timestamptz[]
      ) with ordinality as wish (kind, id, tenant_id, user_id, application_id, license_type_id, assigned_at, place)
    ), open as (
      -- Whoever else would change them, their members or their seats waits.
      select id from tenants where id in (select tenant_id from wish) and suspended_at is null
      for no key update ${waits ? sql`` : sql`skip locked`}
    ), numbered as (
      select tenant_id, revision from license_revisions where tenant_id in (select id from open)
      for no key update skip locked
    ), holder as (
      select wish.* from wish
      join numbered on numbered.tenant_id = wish.tenant_id
      join memberships on memberships.tenant_id = wish.tenant_id and memberships.user_id = wish.user_id
      join users on users.id = memberships.user_id
      where wish.kind = 'grant' and memberships.status = 'ACTIVE' and not users.disabled
      for share of users, memberships skip locked
    ), free as (
      select subscriptions.id, subscriptions.tenant_id, subscriptions.application_id, subscriptions.license_type_id,
        subscriptions.quantity_purchased - subscriptions.quantity_assigned - subscriptions.quantity_reserved as count,
        license_types.name
      from (select distinct tenant_id, application_id, license_type_id from holder) as wanted
      join subscriptions on subscriptions.tenant_id = wanted.tenant_id
        and subscriptions.license_type_id = wanted.license_type_id
        and subscriptions.application_id = wanted.application_id
      join license_types on license_types.id = subscriptions.license_type_id
      join applications on applications.id = subscriptions.application_id
      where applications.licensing_mode = 'PER_SEAT' and ${usableAt(now)}
      for no key update of subscriptions skip locked
    ), queue as (
      select holder.*, free.id as subscription_id, free.name, free.count,
        row_number() over (partition by free.id order by holder.place) as turn
      from holder join free on free.tenant_id = holder.tenant_id and free.license_type_id = holder.license_type_id
        and free.application_id = holder.application_id
    ), taken as (
      insert into seats
        (id, tenant_id, user_id, application_id, license_type_id, subscription_id, status, assigned_at)
      select id, tenant_id, user_id, application_id, license_type_id, subscription_id, 'ASSIGNED', assigned_at
      from queue where turn <= count
      on conflict (tenant_id, user_id, application_id) do nothing
      returning id
    ), held as (
      select seats.id, wish.place
      from wish join numbered on numbered.tenant_id = wish.tenant_id
      join seats on seats.tenant_id = wish.tenant_id and seats.user_id = wish.user_id
        and seats.application_id = wish.application_id
      join subscriptions on subscriptions.id = seats.subscription_id
      where wish.kind = 'revoke' and seats.status = 'ASSIGNED'
      for no key update of subscriptions skip locked for update of seats skip locked
    ), released as (
      delete from seats using held where seats.id = held.id
      returning held.place, seats.tenant_id, seats.license_type_id
    ), done as (
      select queue.place, queue.tenant_id, queue.license_type_id, queue.name
      from taken join queue on queue.id = taken.id
      union all select place, tenant_id, license_type_id, '' from released
    ), noted as (${noting(
      sql`select place, jsonb_build_object('licenseTypeId', license_type_id) as details from done`,
    )})
    select done.place, false as "isLeftOut", done.name as "licenseTypeName",
      -- Each of them is one entry.
      numbered.revision + count(*) over (partition by done.tenant_id) as revision,
      (select ${WITHOUT_DISK}),
      -- Each of what the database writes down of itself names who did it.
      (select set_config('latchkey.actors', ${JSON.stringify(Object.fromEntries(actors))}, true))
    from done join numbered on numbered.tenant_id = done.tenant_id
    union all
    select place, true, '', null, null, null from wish where tenant_id not in (select tenant_id from numbered)
  `
  const { rows } = await asWrite(db, () => exchanging.execute(db))
  return rows.map(({ place, ...done }) => ({ ...done, index: Number(place) - 1 }))
}

/** A seat that somebody wants. */
type Asked = Omit<NewSeat, 'id' | 'kind'>

/** Takes back what was kept for people whose invitation is overdue; says whether there was any. */
export async function releaseOverdue(tx: Tx, { tenantId, licenseTypeId, now }: Asked): Promise<boolean> {
  const { rows } = await sql<{ released: number }>`
    select release_overdue(id, ${now}) as released from subscriptions
    where tenant_id = ${tenantId} and license_type_id = ${licenseTypeId}
  `.execute(tx)
  return (rows[0]?.released ?? 0) > 0
}

/** Moves a seat to another subscription of the same tenant and application, if one is free there. */
export async function moveSeat(
  tx: Tx,
  { tenantId, userId, applicationId, licenseTypeId, now }: Asked,
): Promise<boolean> {
  // In one order: of two who swap their seats neither waits for the other in a circle.
  await sql`
    select from subscriptions
    where tenant_id = ${tenantId} and application_id = ${applicationId} and (
      license_type_id = ${licenseTypeId} or id in (
        select subscription_id from seats
        where tenant_id = ${tenantId} and user_id = ${userId} and application_id = ${applicationId}
      )
    ) order by id for no key update
  `.execute(tx)
  const { rows } = await sql`
    update seats set license_type_id = ${licenseTypeId}, subscription_id = subscriptions.id
    from subscriptions
    where seats.tenant_id = ${tenantId} and seats.user_id = ${userId} and seats.application_id = ${applicationId}
      and seats.status = 'ASSIGNED' and subscriptions.tenant_id = ${tenantId}
      and subscriptions.license_type_id = ${licenseTypeId} and subscriptions.application_id = ${applicationId}
      and subscriptions.quantity_assigned + subscriptions.quantity_reserved < subscriptions.quantity_purchased
      and ${usableAt(now)}
    returning seats.id
  `.execute(tx)
  return rows.length > 0
}

/** What stands in the way of a seat, of one moment. */
export interface Obstacles {
  mode: LicensingMode | null
  typeName: string | null
  member: MembershipStatus | null
  disabled: boolean | null
  seatId: string | null
  seatTypeId: string | null
  seatAssignedAt: Date | null
  seatUsable: boolean | null
  subscription: SubscriptionStatus | null
  subscriptionUsable: boolean | null
  free: number | null
}

export async function findObstacles(
  db: Db,
  { tenantId, userId, applicationId, licenseTypeId, now }: Asked,
): Promise<Obstacles> {
  const { rows } = await sql<Obstacles>`
    select applications.licensing_mode as mode, license_types.name as "typeName", memberships.status as member,
      users.disabled, seats.id as "seatId", seats.license_type_id as "seatTypeId", seats.assigned_at as "seatAssignedAt",
      ${usableAt(now, 'theirs')} as "seatUsable",
      subscriptions.status as subscription, ${usableAt(now)} as "subscriptionUsable",
      subscriptions.quantity_purchased - subscriptions.quantity_assigned - subscriptions.quantity_reserved as free
    from (select) as nothing
    left join applications on applications.id = ${applicationId}
    left join license_types on license_types.id = ${licenseTypeId} and license_types.application_id = applications.id
    left join memberships on memberships.tenant_id = ${tenantId} and ${isShownAs(userId, now)}
    left join users on users.id = memberships.user_id
    left join seats on seats.tenant_id = memberships.tenant_id and seats.user_id = memberships.user_id
      and seats.application_id = applications.id and seats.status = 'ASSIGNED'
    left join subscriptions as theirs on theirs.id = seats.subscription_id
    left join subscriptions on subscriptions.tenant_id = ${tenantId}
      and subscriptions.license_type_id = license_types.id
  `.execute(db)
  const [obstacles] = rows
  if (!obstacles) throw new Error('one row was asked for')
  return obstacles
}

/** How far the tenant's ledger has come, to be asked along with something else. */
export const askRevision = (tenantId: string): RawBuilder<{ revision: string }> =>
  sql`select revision from license_revisions where tenant_id = ${tenantId}`

export async function findRevision(db: Db, tenantId: string): Promise<string> {
  const { rows } = await askRevision(tenantId).execute(db)
  return rows[0]?.revision ?? '0'
}
