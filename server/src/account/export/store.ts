import type { Db } from '../../db/open.ts'

/** Includes expired sessions that are not swept yet. */
export const listAllSessions = (db: Db, userId: string) =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'ip_address', 'created_at', 'last_active_at', 'auth_time', 'amr'])
    .where('user_id', '=', userId)
    .where('operator_id', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const listSsoLinks = (db: Db, userId: string) =>
  db.selectFrom('sso_links').selectAll().where('user_id', '=', userId).orderBy('linked_at').execute()

export const listPasskeys = (db: Db, userId: string) =>
  db
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/** The seats of a person in all tenants. */
export const listSeats = (db: Db, userId: string) =>
  db
    .selectFrom('seats')
    .innerJoin('tenants', 'tenants.id', 'seats.tenant_id')
    .innerJoin('applications', 'applications.id', 'seats.application_id')
    .innerJoin('license_types', 'license_types.id', 'seats.license_type_id')
    .select(['tenants.slug as tenant', 'applications.slug as application', 'license_types.slug as licenseType'])
    .select(['seats.status', 'seats.assigned_at'])
    .where('seats.user_id', '=', userId)
    .orderBy('seats.assigned_at')
    .execute()
