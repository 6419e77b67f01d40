import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { Features, LicensingMode, SubscriptionsTable } from '../../db/tables.ts'
import { isUsableAt } from '../periods-store.ts'

export type Subscription = Selectable<SubscriptionsTable>

/** A subscription with its application and license type, and the number of seats reserved by open invitations. */
export interface SubscriptionDetails extends Subscription {
  application_name: string
  application_slug: string
  licensing_mode: LicensingMode
  license_type_name: string
  license_type_slug: string
  description: string | null
  features: Features
  reserved: number
}

/** Counts the seats that are reserved for invitations that have not expired. */
export const countOpenReservations = (now: Date, table = 'subscriptions') => sql<number>`(
  select count(*)::int from seats
  join memberships on memberships.tenant_id = seats.tenant_id and memberships.user_id = seats.user_id
  where seats.subscription_id = ${sql.ref(`${table}.id`)} and seats.status = 'RESERVED'
    and memberships.invited_until > ${now}
)`

const selectDetails = (db: Db, now: Date) =>
  db
    .selectFrom('subscriptions')
    .innerJoin('license_types', 'license_types.id', 'subscriptions.license_type_id')
    .innerJoin('applications', 'applications.id', 'subscriptions.application_id')
    .selectAll('subscriptions')
    .select(['applications.name as application_name', 'license_types.name as license_type_name'])
    .select(['applications.slug as application_slug', 'applications.licensing_mode'])
    .select(['license_types.slug as license_type_slug', 'license_types.description', 'license_types.features'])
    .select(countOpenReservations(now).as('reserved'))

export const listSubscriptions = (db: Db, tenantId: string, now: Date): Promise<SubscriptionDetails[]> =>
  selectDetails(db, now)
    .where('subscriptions.tenant_id', '=', tenantId)
    .orderBy('applications.name')
    .orderBy('applications.id')
    .orderBy('license_types.display_order')
    .orderBy('subscriptions.id')
    .execute()

export const findSubscriptionDetails = (db: Db, id: string, now: Date): Promise<SubscriptionDetails | undefined> =>
  selectDetails(db, now).where('subscriptions.id', '=', id).executeTakeFirst()

/** Finds the tenant that owns a subscription. */
export const findSubscribedTenantId = async (db: Db, id: string): Promise<string | undefined> =>
  (await db.selectFrom('subscriptions').select('tenant_id').where('id', '=', id).executeTakeFirst())?.tenant_id

/** Returns undefined if the tenant already has a subscription of this type. */
export const insertSubscription = (
  tx: Tx,
  subscription: Insertable<SubscriptionsTable>,
): Promise<Subscription | undefined> =>
  tx
    .insertInto('subscriptions')
    .values(subscription)
    .onConflict((conflict) => conflict.constraint('subscriptions_type_key').doNothing())
    .returningAll()
    .executeTakeFirst()

/** Locks the subscription until the transaction ends. GrantContext and revoking its seats take the same lock. */
export const lockSubscription = (tx: Tx, id: string): Promise<Subscription | undefined> =>
  tx.selectFrom('subscriptions').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

export async function updateSubscription(tx: Tx, id: string, change: Updateable<SubscriptionsTable>): Promise<void> {
  await tx.updateTable('subscriptions').set(change).where('id', '=', id).execute()
}

/** Locks the tenant that owns a subscription until the transaction ends. */
export async function lockSubscribedTenant(tx: Tx, id: string): Promise<void> {
  await sql`
    select from tenants where id = (select tenant_id from subscriptions where id = ${id}) for no key update
  `.execute(tx)
}

/** Deletes its seats too, by a foreign key. */
export async function deleteSubscription(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('subscriptions').where('id', '=', id).execute()
}

export const findTenantName = (db: Db, id: string): Promise<{ id: string; name: string } | undefined> =>
  db.selectFrom('tenants').select(['id', 'name']).where('id', '=', id).executeTakeFirst()

/** Locks up to `limit` lapsed subscriptions whose lapse is not recorded yet. */
export const lockLapsedSubscriptions = (tx: Tx, now: Date, limit: number): Promise<Subscription[]> =>
  tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('lapse_noted_at', 'is', null)
    .where('current_period_end', '<=', now)
    .where(({ not }) => not(isUsableAt(now)))
    .orderBy('current_period_end')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute()

/** Releases the seats that are reserved for expired invitations. */
export async function releaseOverdueReservations(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`select release_overdue(${id}::uuid, ${now})`.execute(tx)
}
