import { type RawBuilder, sql } from 'kysely'
import { ASYNC_COMMIT } from '../../db/durable.ts'
import type { Db, Tx } from '../../db/open.ts'
import { hasShownUserId } from '../../db/shown-user-id.ts'
import type { LicensingMode, MembershipStatus, SubscriptionStatus } from '../../db/tables.ts'
import { NIL_ID, toId } from '../../lib/ids.ts'
import { isUsableAt } from '../periods-store.ts'
import type { NewSeat, SeatKey } from './grant-store.ts'

/**
 * Locks the tenant, and limits the transaction to its rows. Other transactions that change the tenant, its members or its
 * seats wait. Triggers name the actor in the ledger. The commit does not wait for the disk. Undefined if there is no such
 * tenant.
 */
export async function lockTenant(
  tx: Tx,
  tenantId: string,
  actor: string | undefined,
): Promise<{ suspended: boolean } | undefined> {
  const { rows } = await sql<{ suspended: boolean }>`
    select suspended_at is not null as suspended, enter_tenant(id, ${actor ?? null}), ${ASYNC_COMMIT}
    from tenants where id = ${tenantId} for no key update
  `.execute(tx)
  return rows[0]
}

/** Whether this person may manage seats. Called under the lock, so that it stays true until the commit. */
export async function managesSeats(tx: Tx, tenantId: string, userId: string | undefined): Promise<boolean> {
  const { rows } = await sql`
    select from memberships join users on users.id = memberships.user_id
    where memberships.tenant_id = ${tenantId} and memberships.user_id = ${userId ?? NIL_ID}
      and memberships.status = 'ACTIVE' and memberships.role in ('owner', 'admin') and not users.disabled
  `.execute(tx)
  return rows.length > 0
}

/** Locks everything that a bulk change touches, in the order of all other transactions. */
export async function lockForBulk(
  tx: Tx,
  tenantId: string,
  requests: { userId: string; applicationId?: unknown }[],
): Promise<void> {
  const people = requests.map(({ userId }) => toId(userId) ?? NIL_ID)
  const applications = requests.map(({ applicationId }) => toId(applicationId) ?? NIL_ID)
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

/** Releases a seat; undefined if there is none. */
export async function releaseSeat(
  tx: Tx,
  { tenantId, userId, applicationId }: SeatKey,
): Promise<{ id: string; licenseTypeId: string } | undefined> {
  const { rows } = await sql<{ id: string; licenseTypeId: string }>`
    with held as (
      -- The subscription first, as when a seat is granted.
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

/** A seat that is asked for. */
type RequestedSeat = Omit<NewSeat, 'id' | 'kind'>

/** Releases seats reserved for invitations that have expired; tells whether there were any. */
export async function releaseOverdue(tx: Tx, { tenantId, licenseTypeId, now }: RequestedSeat): Promise<boolean> {
  const { rows } = await sql<{ released: number }>`
    select release_overdue(id, ${now}) as released from subscriptions
    where tenant_id = ${tenantId} and license_type_id = ${licenseTypeId}
  `.execute(tx)
  return (rows[0]?.released ?? 0) > 0
}

/** Moves a seat to another subscription of the same tenant and application, if that has a free seat. */
export async function moveSeat(
  tx: Tx,
  { tenantId, userId, applicationId, licenseTypeId, now }: RequestedSeat,
): Promise<boolean> {
  // Always in the same order, so that two moves in opposite directions cannot deadlock.
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
      and ${isUsableAt(now)}
    returning seats.id
  `.execute(tx)
  return rows.length > 0
}

/** Everything that decides whether a seat can be granted, read in one statement. */
export interface SeatFacts {
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

export async function readSeatFacts(
  db: Db,
  { tenantId, userId, applicationId, licenseTypeId, now }: RequestedSeat,
): Promise<SeatFacts> {
  const { rows } = await sql<SeatFacts>`
    select applications.licensing_mode as mode, license_types.name as "typeName", memberships.status as member,
      users.disabled, seats.id as "seatId", seats.license_type_id as "seatTypeId", seats.assigned_at as "seatAssignedAt",
      ${isUsableAt(now, 'theirs')} as "seatUsable",
      subscriptions.status as subscription, ${isUsableAt(now)} as "subscriptionUsable",
      subscriptions.quantity_purchased - subscriptions.quantity_assigned - subscriptions.quantity_reserved as free
    from (select) as nothing
    left join applications on applications.id = ${applicationId}
    left join license_types on license_types.id = ${licenseTypeId} and license_types.application_id = applications.id
    left join memberships on memberships.tenant_id = ${tenantId} and ${hasShownUserId(userId, now)}
    left join users on users.id = memberships.user_id
    left join seats on seats.tenant_id = memberships.tenant_id and seats.user_id = memberships.user_id
      and seats.application_id = applications.id and seats.status = 'ASSIGNED'
    left join subscriptions as theirs on theirs.id = seats.subscription_id
    left join subscriptions on subscriptions.tenant_id = ${tenantId}
      and subscriptions.license_type_id = license_types.id
  `.execute(db)
  const [facts] = rows
  if (!facts) throw new Error('the statement returns one row')
  return facts
}

/** The revision of the tenant's ledger, as part of another statement. */
export const selectRevision = (tenantId: string): RawBuilder<{ revision: string }> =>
  sql`select revision from license_revisions where tenant_id = ${tenantId}`

export async function findRevision(db: Db, tenantId: string): Promise<string> {
  const { rows } = await selectRevision(tenantId).execute(db)
  return rows[0]?.revision ?? '0'
}
