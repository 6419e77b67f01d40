import type { Insertable } from 'kysely'
import type { Db } from '../db/open.ts'
import type { GrantsTable } from '../db/tables.ts'

/** A grant with what decides whether its person may still act for its tenant. */
const grantsWithSubject = (db: Db) =>
  db
    .selectFrom('grants')
    .innerJoin('users', 'users.id', 'grants.user_id')
    .innerJoin('sessions', 'sessions.id', 'grants.session_id')
    .leftJoin('tenants', 'tenants.id', 'grants.tenant_id')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.tenant_id', '=', 'grants.tenant_id')
        .onRef('memberships.user_id', '=', 'grants.user_id')
        .on('memberships.status', '=', 'ACTIVE'),
    )
    .selectAll('grants')
    .select([
      'users.disabled as user_disabled',
      'sessions.last_active_at as session_active_at',
      'tenants.slug as tenant_slug',
      'tenants.mfa_policy as mfa_policy',
      'memberships.role as role',
    ])

export type GrantRow = NonNullable<Awaited<ReturnType<typeof findGrantByCode>>>

export async function insertGrant(db: Db, grant: Insertable<GrantsTable>): Promise<void> {
  await db.insertInto('grants').values(grant).execute()
}

export const findGrantByCode = (db: Db, codeHash: Buffer) =>
  grantsWithSubject(db).where('grants.code_hash', '=', codeHash).executeTakeFirst()

/** A refresh token as it is to be kept. */
export interface NewRefreshToken {
  hash: Buffer
  expiresAt: Date
}

interface Redemption {
  grantId: string
  now: Date
  expiresAt: Date
  refreshToken: NewRefreshToken | undefined
}

/** Uses a code up and adds the first refresh token, in one statement: of several that try, one succeeds. */
export async function redeemCode(
  db: Db,
  { grantId, now, expiresAt, refreshToken }: Redemption,
): Promise<boolean> {
  const used = db.with('used', (query) =>
    query
      .updateTable('grants')
      .set({ code_used_at: now, expires_at: expiresAt })
      .where('id', '=', grantId)
      .where('code_used_at', 'is', null)
      .returning('id'),
  )
  if (!refreshToken) return (await used.selectFrom('used').select('id').executeTakeFirst()) !== undefined
  const row = await used
    .with('added', (query) =>
      query
        .insertInto('refresh_tokens')
        .columns(['hash', 'grant_id', 'created_at', 'expires_at'])
        .expression(({ selectFrom, val, cast }) =>
          selectFrom('used').select((at) => [
            cast<Buffer>(val(refreshToken.hash), 'bytea').as('hash'),
            at.ref('used.id').as('grant_id'),
            cast<Date>(val(now), 'timestamptz').as('created_at'),
            cast<Date>(val(refreshToken.expiresAt), 'timestamptz').as('expires_at'),
          ]),
        ),
    )
    .selectFrom('used')
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}

export const findGrantByRefreshToken = (db: Db, hash: Buffer) =>
  grantsWithSubject(db)
    .innerJoin('refresh_tokens', 'refresh_tokens.grant_id', 'grants.id')
    .innerJoin('clients', 'clients.id', 'grants.client_id')
    .select([
      'clients.client_id as client_name',
      'refresh_tokens.used_at as token_used_at',
      'refresh_tokens.expires_at as token_expires_at',
      'refresh_tokens.created_at as token_created_at',
    ])
    .where('refresh_tokens.hash', '=', hash)
    .executeTakeFirst()

interface Rotation {
  grantId: string
  hash: Buffer
  now: Date
  successor: NewRefreshToken
}

/**
 * Uses a refresh token up and adds its successor, in one statement: of several that try, one succeeds. The grant is
 * held first, as whoever ends it does, so that neither waits for the other in a circle.
 */
export async function rotateRefreshToken(
  db: Db,
  { grantId, hash, now, successor }: Rotation,
): Promise<boolean> {
  const row = await db
    .with('held', (query) => query.selectFrom('grants').select('id').where('id', '=', grantId).forKeyShare())
    .with('used', (query) =>
      query
        .updateTable('refresh_tokens')
        .from('held')
        .set({ used_at: now })
        .whereRef('refresh_tokens.grant_id', '=', 'held.id')
        .where('refresh_tokens.hash', '=', hash)
        .where('refresh_tokens.used_at', 'is', null)
        .returning('refresh_tokens.grant_id'),
    )
    .with('added', (query) =>
      query
        .insertInto('refresh_tokens')
        .columns(['hash', 'grant_id', 'created_at', 'expires_at'])
        .expression(({ selectFrom, val, cast }) =>
          selectFrom('used').select((at) => [
            cast<Buffer>(val(successor.hash), 'bytea').as('hash'),
            at.ref('used.grant_id').as('grant_id'),
            cast<Date>(val(now), 'timestamptz').as('created_at'),
            cast<Date>(val(successor.expiresAt), 'timestamptz').as('expires_at'),
          ]),
        ),
    )
    .selectFrom('used')
    .select('grant_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function updateGrantTenant(db: Db, grantId: string, tenantId: string): Promise<void> {
  await db.updateTable('grants').set({ tenant_id: tenantId }).where('id', '=', grantId).execute()
}

/** Ends an authorization and every token of it. */
export async function deleteGrant(db: Db, grantId: string): Promise<void> {
  await db.deleteFrom('grants').where('id', '=', grantId).execute()
}

export async function touchSession(db: Db, sessionId: string, now: Date): Promise<void> {
  await db.updateTable('sessions').set({ last_active_at: now }).where('id', '=', sessionId).execute()
}

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
  'users.username',
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
  { grantId, tenantId, jti }: { grantId: string; tenantId: string | null; jti: string },
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
        .on('memberships.status', '=', 'ACTIVE'),
    )
    .leftJoin('revoked_tokens', (join) => join.on('revoked_tokens.jti', '=', jti))
    .select([
      'grants.session_id',
      'grants.client_id as client_uuid',
      'clients.client_id',
      'clients.application_id',
      'clients.disabled as client_disabled',
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

export async function insertRevokedToken(db: Db, token: { jti: string; expires_at: Date }): Promise<void> {
  await db
    .insertInto('revoked_tokens')
    .values(token)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The tenants a person may act for. */
export const listActiveMemberships = (db: Db, userId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.slug', 'tenants.name', 'tenants.mfa_policy', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
    .where('memberships.status', '=', 'ACTIVE')
    .orderBy('tenants.name')
    .orderBy('tenants.id')
    .execute()

export type ActiveMembership = Awaited<ReturnType<typeof listActiveMemberships>>[number]

export const findConsent = (db: Db, userId: string, applicationId: string) =>
  db
    .selectFrom('consents')
    .select(['scopes', 'granted_at'])
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .executeTakeFirst()

interface NewConsent {
  user_id: string
  application_id: string
  scopes: string[]
  granted_at: Date
}

export async function upsertConsent(db: Db, consent: NewConsent): Promise<void> {
  const { scopes, granted_at } = consent
  await db
    .insertInto('consents')
    .values(consent)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'application_id']).doUpdateSet({ scopes, granted_at }),
    )
    .execute()
}

/** Removes what has run out, some at a time, so that no lock is held for long. Says how much there was. */
export async function sweep(db: Db, { now, limit }: { now: Date; limit: number }): Promise<number> {
  const grants = await db
    .deleteFrom('grants')
    .where('id', 'in', (query) =>
      query.selectFrom('grants').select('id').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirst()
  const tokens = await db
    .deleteFrom('refresh_tokens')
    .where('hash', 'in', (query) =>
      query.selectFrom('refresh_tokens').select('hash').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirst()
  const revoked = await db.deleteFrom('revoked_tokens').where('expires_at', '<', now).executeTakeFirst()
  return Number(grants.numDeletedRows + tokens.numDeletedRows + revoked.numDeletedRows)
}
