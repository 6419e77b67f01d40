import { sql } from 'kysely'
import { LONGEST_TOKEN } from '../config/lifetimes.ts'
import type { Db } from '../db/open.ts'

/** What userinfo may tell of a person, and what decides over them. */
const PERSON = [
  'users.id',
  'users.email',
  'users.email_verified',
  'users.display_name',
  'users.given_name',
  'users.family_name',
  'users.middle_name',
  'users.nickname',
  'users.picture_url',
  'users.website',
  'users.gender',
  'users.birthdate',
  'users.zoneinfo',
  'users.locale',
  'users.updated_at',
  'users.is_super_admin',
  'users.disabled',
] as const

/** Everything on which a person's access token depends, with what userinfo tells about them. */
export const findLiveGrant = (
  db: Db,
  {
    grantId,
    tenantId,
    jti,
    issuedAt,
  }: { grantId: string; tenantId: string | null; jti: string; issuedAt: Date },
) =>
  db
    .selectFrom('grants')
    .innerJoin('users', 'users.id', 'grants.user_id')
    .innerJoin('clients', 'clients.id', 'grants.client_id')
    .innerJoin('applications', 'applications.id', 'clients.application_id')
    .leftJoin('memberships', (join) =>
      join
        .on('memberships.tenant_id', '=', tenantId)
        .onRef('memberships.user_id', '=', 'grants.user_id')
        .on('memberships.status', '=', 'ACTIVE')
        // Who has left and returned since has another membership.
        .on('memberships.created_at', '<', issuedAt),
    )
    .leftJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .leftJoin('revoked_tokens', (join) => join.on('revoked_tokens.jti', '=', jti))
    .select([
      'grants.session_id',
      'grants.amr',
      'tenants.mfa_policy',
      'tenants.mfa_grace_session_id',
      'tenants.mfa_grace_until',
      'tenants.suspended_at as tenant_suspended_at',
      'tenants.reactivated_at as tenant_reactivated_at',
      'grants.client_id as client_uuid',
      'clients.client_id',
      'clients.application_id',
      'clients.disabled as client_disabled',
      'clients.scopes as client_scopes',
      'applications.trusted',
      'memberships.role',
      'revoked_tokens.jti as revoked',
    ])
    .select(PERSON)
    .where('grants.id', '=', grantId)
    .executeTakeFirst()

export type LiveGrantRow = NonNullable<Awaited<ReturnType<typeof findLiveGrant>>>

export async function isRevoked(db: Db, jti: string): Promise<boolean> {
  return (
    (await db.selectFrom('revoked_tokens').select('jti').where('jti', '=', jti).executeTakeFirst()) !==
    undefined
  )
}

/** False when it was revoked before. */
export async function insertRevokedToken(db: Db, token: { jti: string; expires_at: Date }): Promise<boolean> {
  const revoked = await db
    .insertInto('revoked_tokens')
    .values(token)
    .onConflict((conflict) => conflict.doNothing())
    .returning('jti')
    .executeTakeFirst()
  return revoked !== undefined
}

/** The tenants of which a person is an active member, also those that are suspended. */
export const listActiveMemberships = (db: Db, userId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.slug', 'tenants.name', 'tenants.mfa_policy', 'memberships.role'])
    .select('tenants.suspended_at')
    .where('memberships.user_id', '=', userId)
    .where('memberships.status', '=', 'ACTIVE')
    .orderBy(({ fn }) => fn('lower', ['tenants.name']))
    .orderBy('tenants.id')
    .execute()

export type ActiveMembership = Awaited<ReturnType<typeof listActiveMemberships>>[number]

/** For which application, and in which tenant, somebody may consent. */
interface ConsentKey {
  userId: string
  applicationId: string
  tenantId: string | undefined
}

export const findConsent = (db: Db, { userId, applicationId, tenantId }: ConsentKey) =>
  db
    .selectFrom('consents')
    .select(['scopes', 'granted_at'])
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .where('tenant_id', 'is not distinct from', tenantId ?? null)
    .executeTakeFirst()

export async function putConsent(
  db: Db,
  { userId, applicationId, tenantId }: ConsentKey,
  given: { scopes: string[]; granted_at: Date },
): Promise<void> {
  await db
    .insertInto('consents')
    .values({ user_id: userId, application_id: applicationId, tenant_id: tenantId ?? null, ...given })
    // What was allowed before, through another client of the application perhaps, stays so.
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'application_id', 'tenant_id']).doUpdateSet({
        scopes: sql`array(select distinct unnest(consents.scopes || excluded.scopes))`,
        granted_at: given.granted_at,
      }),
    )
    .execute()
}

/** Removes what has run out, some at a time, so that no lock is held for long. Says how much there was. */
export async function sweep(db: Db, { now, limit }: { now: Date; limit: number }): Promise<number> {
  // The last access token of a grant may outlive its refresh tokens.
  const lastToken = new Date(now.getTime() - LONGEST_TOKEN * 1000)
  const grants = await db
    .deleteFrom('grants')
    .where('id', 'in', (query) =>
      query.selectFrom('grants').select('id').where('expires_at', '<', lastToken).limit(limit),
    )
    .executeTakeFirst()
  const tokens = await db
    .deleteFrom('refresh_tokens')
    .where('hash', 'in', (query) =>
      query.selectFrom('refresh_tokens').select('hash').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirst()
  const revoked = await db
    .deleteFrom('revoked_tokens')
    .where('jti', 'in', (query) =>
      query.selectFrom('revoked_tokens').select('jti').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirst()
  return Number(grants.numDeletedRows + tokens.numDeletedRows + revoked.numDeletedRows)
}
