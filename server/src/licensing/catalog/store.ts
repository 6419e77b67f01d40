import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { LicenseTypesTable } from '../../db/tables.ts'

export type LicenseType = Selectable<LicenseTypesTable>

export const listLicenseTypes = (db: Db, applicationId: string): Promise<LicenseType[]> =>
  db
    .selectFrom('license_types')
    .selectAll()
    .where('application_id', '=', applicationId)
    .orderBy('display_order')
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findLicenseType = (db: Db, id: string): Promise<LicenseType | undefined> =>
  db.selectFrom('license_types').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns undefined if the application already has a type with this slug. */
export const insertLicenseType = (tx: Tx, type: Insertable<LicenseTypesTable>): Promise<LicenseType | undefined> =>
  tx
    .insertInto('license_types')
    .values(type)
    .onConflict((conflict) => conflict.constraint('license_types_slug_key').doNothing())
    .returningAll()
    .executeTakeFirst()

export const updateLicenseType = (tx: Tx, id: string, change: Updateable<LicenseTypesTable>): Promise<LicenseType> =>
  tx.updateTable('license_types').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

/** Locks the type until the transaction ends. */
export const lockLicenseType = (tx: Tx, id: string): Promise<LicenseType | undefined> =>
  tx.selectFrom('license_types').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** Locks every tenant with a subscription to the type, in the order of their ids to avoid deadlocks. */
export async function lockSubscribedTenants(tx: Tx, id: string): Promise<void> {
  await sql`
    select from tenants where id in (select tenant_id from subscriptions where license_type_id = ${id})
    order by id for no key update
  `.execute(tx)
}

export const listSubscriptionIds = async (db: Db, id: string): Promise<string[]> => {
  const subscriptions = db.selectFrom('subscriptions').select('id').where('license_type_id', '=', id)
  return (await subscriptions.orderBy('tenant_id').execute()).map((subscription) => subscription.id)
}

export async function deleteLicenseType(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('license_types').where('id', '=', id).execute()
}

/** Built-in applications have no license types. */
export async function isLicensableApplication(db: Db, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('applications')
    .select('id')
    .where('id', '=', id)
    .where('built_in', '=', false)
    .executeTakeFirst()
  return found !== undefined
}
