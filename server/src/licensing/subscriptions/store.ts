import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { Features, LicensingMode, SubscriptionsTable } from '../../db/tables.ts'
import { usableAt } from '../periods/store.ts'

export type Subscription = Selectable<SubscriptionsTable>

/** A subscription with what it is called, and how many of its seats wait for somebody whose invitation is still open. */
export interface ShownSubscription extends Subscription {
  application_name: string
  application_slug: string
  licensing_mode: LicensingMode
  license_type_name: string
  license_type_slug: string
  description: string | null
  features: Features
  reserved: number
}

/** How many seats are kept for people who may still come. */
export const openReservations = (now: Date, table = 'subscriptions') => sql<number>`(
  select count(*)::int from seats
  join memberships on memberships.tenant_id = seats.tenant_id and memberships.user_id = seats.user_id
  where seats.subscription_id = ${sql.ref(`${table}.id`)} and seats.status = 'RESERVED'
    and memberships.invited_until > ${now}
)`

const shown = (db: Db, now: Date) =>
  db
    .selectFrom('subscriptions')
    .innerJoin('license_types', 'license_types.id', 'subscriptions.license_type_id')
    .innerJoin('applications', 'applications.id', 'subscriptions.application_id')
    .selectAll('subscriptions')
    .select(['applications.name as application_name', 'license_types.name as license_type_name'])
    .select(['applications.slug as application_slug', 'applications.licensing_mode'])
    .select([
      'license_types.slug as license_type_slug',
      'license_types.description',
      'license_types.features',
    ])
    .select(openReservations(now).as('reserved'))

export const listSubscriptions = (db: Db, tenantId: string, now: Date): Promise<ShownSubscription[]> =>
  shown(db, now)
    .where('subscriptions.tenant_id', '=', tenantId)
    .orderBy('applications.name')
    .orderBy('applications.id')
    .orderBy('license_types.display_order')
    .orderBy('subscriptions.id')
    .execute()

export const findShownSubscription = (
  db: Db,
  id: string,
  now: Date,
): Promise<ShownSubscription | undefined> =>
  shown(db, now).where('subscriptions.id', '=', id).executeTakeFirst()

/** The tenant whose subscription it is. */
export const findBuyer = async (db: Db, id: string): Promise<string | undefined> =>
  (await db.selectFrom('subscriptions').select('tenant_id').where('id', '=', id).executeTakeFirst())
    ?.tenant_id

/** Undefined when the tenant has a subscription of this type. */
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

/** The subscription, of which nobody else takes or gives back a seat until the transaction ends. */
export const lockSubscription = (tx: Tx, id: string): Promise<Subscription | undefined> =>
  tx.selectFrom('subscriptions').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

export async function updateSubscription(
  tx: Tx,
  id: string,
  change: Updateable<SubscriptionsTable>,
): Promise<void> {
  await tx.updateTable('subscriptions').set(change).where('id', '=', id).execute()
}

/** The tenant whose subscription it is, which nobody else changes until the transaction ends. */
export async function lockBuyer(tx: Tx, id: string): Promise<void> {
  await sql`
    select from tenants where id = (select tenant_id from subscriptions where id = ${id}) for no key update
  `.execute(tx)
}

/** Its seats go with it. */
export async function deleteSubscription(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('subscriptions').where('id', '=', id).execute()
}

export const findTenantName = (db: Db, id: string): Promise<{ id: string; name: string } | undefined> =>
  db.selectFrom('tenants').select(['id', 'name']).where('id', '=', id).executeTakeFirst()

/** Some of those whose end has come without being noted. */
export const lockLapsed = (tx: Tx, now: Date, limit: number): Promise<Subscription[]> =>
  tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('lapse_noted_at', 'is', null)
    .where('current_period_end', '<=', now)
    .where(({ not }) => not(usableAt(now)))
    .orderBy('current_period_end')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute()

/** What is kept for people whose invitation is overdue is free. */
export async function releaseOverdueOf(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`select release_overdue(${id}::uuid, ${now})`.execute(tx)
}
