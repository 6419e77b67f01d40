import { sql } from 'kysely'
import { MAX_TOKEN_LIFETIME_SECONDS } from '../config/lifetimes.ts'
import type { Db } from '../db/open.ts'
import { RESOURCE_ALLOWS_CLIENT, RESOURCE_COLUMNS } from './resource-columns-store.ts'
import { CLAIM_COLUMNS } from './user-claims.ts'

/** Everything that the validity of a user's access token depends on, with the userinfo columns. */
export const findLiveGrant = (
  db: Db,
  { grantId, tenantId, jtis, issuedAt }: { grantId: string; tenantId: string | null; jtis: string[]; issuedAt: Date },
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
        // A member who left and rejoined has a new membership, which does not revive old tokens.
        .on('memberships.created_at', '<', issuedAt),
    )
    .leftJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .leftJoin('resources', 'resources.id', 'grants.resource_id')
    .leftJoin('revoked_tokens', (join) => join.on('revoked_tokens.jti', 'in', jtis))
    .select([
      'grants.session_id',
      'grants.auth_time',
      'grants.amr',
      'grants.requested_claims',
      'tenants.slug as tenant_slug',
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
      'clients.origin as client_origin',
      'memberships.role',
      'revoked_tokens.jti as revoked',
    ])
    .select(sql<boolean>`applications.trusted and clients.origin = 'ADMIN'`.as('trusted'))
    .select(['users.id as user_id', 'users.is_super_admin', 'users.disabled'])
    .select(RESOURCE_COLUMNS)
    .select(RESOURCE_ALLOWS_CLIENT)
    .select(CLAIM_COLUMNS)
    .where('grants.id', '=', grantId)
    .executeTakeFirst()

export type LiveGrantRow = NonNullable<Awaited<ReturnType<typeof findLiveGrant>>>

export async function isRevoked(db: Db, jti: string): Promise<boolean> {
  return (await db.selectFrom('revoked_tokens').select('jti').where('jti', '=', jti).executeTakeFirst()) !== undefined
}

/** Returns false if it was already revoked. */
export async function insertRevokedToken(db: Db, token: { jti: string; expires_at: Date }): Promise<boolean> {
  const revoked = await db
    .insertInto('revoked_tokens')
    .values(token)
    .onConflict((conflict) => conflict.doNothing())
    .returning('jti')
    .executeTakeFirst()
  return revoked !== undefined
}

/** The tenants of which a user is an active member, including suspended ones. */
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

/** Whether the user has consented to anything in the tenant with this slug, or, without a slug, at all. */
export async function hasConsentIn(
  db: Db,
  {
    userId,
    applicationId,
    tenantSlug,
    toSomeScope = false,
  }: Omit<ConsentKey, 'tenantId'> & { tenantSlug: string | undefined; toSomeScope?: boolean },
): Promise<boolean> {
  const consent = await db
    .selectFrom('consents')
    .leftJoin('tenants', 'tenants.id', 'consents.tenant_id')
    .select('consents.granted_at')
    .where('consents.user_id', '=', userId)
    .where('consents.application_id', '=', applicationId)
    .$if(tenantSlug !== undefined, (query) => query.where('tenants.slug', '=', tenantSlug ?? ''))
    .$if(toSomeScope, (query) => query.where('consents.scopes', '<>', sql<string[]>`'{}'`))
    .limit(1)
    .executeTakeFirst()
  return consent !== undefined
}

export async function upsertConsent(
  db: Db,
  { userId, applicationId, tenantId }: ConsentKey,
  consent: { scopes: string[]; granted_at: Date },
): Promise<void> {
  await db
    .insertInto('consents')
    .values({ user_id: userId, application_id: applicationId, tenant_id: tenantId ?? null, ...consent })
    // Scopes allowed earlier, perhaps through another client of the application, stay allowed.
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'application_id', 'tenant_id']).doUpdateSet({
        scopes: sql`array(select distinct unnest(consents.scopes || excluded.scopes))`,
        granted_at: consent.granted_at,
      }),
    )
    .execute()
}

/** Deletes up to `limit` expired rows per table, so that locks are short. Returns how many were deleted. */
export async function deleteExpiredTokens(db: Db, { now, limit }: { now: Date; limit: number }): Promise<number> {
  // The last access token of a grant may outlive its refresh tokens.
  const expiredBefore = new Date(now.getTime() - MAX_TOKEN_LIFETIME_SECONDS * 1000)
  const grants = await db
    .deleteFrom('grants')
    .where('id', 'in', (query) =>
      query.selectFrom('grants').select('id').where('expires_at', '<', expiredBefore).limit(limit),
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
  const assertions = await db
    .deleteFrom('used_assertions')
    .where('hash', 'in', (query) =>
      query.selectFrom('used_assertions').select('hash').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirst()
  const results = [grants, tokens, revoked, assertions]
  return results.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0)
}
