import { type Insertable, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { GrantsTable } from '../../db/tables.ts'
import { isOrphan } from '../../db/violations.ts'

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
      'tenants.suspended_at as tenant_suspended_at',
      'memberships.role as role',
    ])

export type GrantRow = NonNullable<Awaited<ReturnType<typeof findGrantByCode>>>

/** Says whether the grant was made: the session, or whatever else it hangs on, may be gone by now. */
export async function insertGrant(db: Db, grant: Insertable<GrantsTable>): Promise<boolean> {
  try {
    await db.insertInto('grants').values(grant).execute()
    return true
  } catch (error) {
    if (isOrphan(error)) return false
    throw error
  }
}

export const findGrantByCode = (db: Db, codeHash: Buffer) =>
  grantsWithSubject(db).where('grants.code_hash', '=', codeHash).executeTakeFirst()

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
  const { rows } = await sql`
    with used as (
      update grants set code_used_at = ${now}, expires_at = ${expiresAt}
      where id = ${grantId} and code_used_at is null
      returning id
    ), added as (
      insert into refresh_tokens (hash, grant_id, created_at, expires_at)
      select ${refreshToken?.hash}::bytea, id, ${now}::timestamptz, ${refreshToken?.expiresAt}::timestamptz
      from used
      where ${refreshToken !== undefined}
    )
    select id from used
  `.execute(db)
  return rows.length > 0
}

/** A token that is to be used up, and the one that follows it. */
interface Succession {
  hash: Buffer
  now: Date
  successor: NewRefreshToken
}

/** The end of a statement that has `held` a grant: uses its token up, if that is still good, and adds the next. */
const succession = ({ hash, now, successor }: Succession) => sql`
  used as (
    update refresh_tokens set used_at = ${now} from held
    where hash = ${hash} and grant_id = held.id and used_at is null and expires_at > ${now}
    returning grant_id
  ), added as (
    insert into refresh_tokens (hash, grant_id, created_at, expires_at)
    select ${successor.hash}::bytea, grant_id, ${now}::timestamptz, ${successor.expiresAt}::timestamptz
    from used
  )
  select grant_id from used`

interface Rotation extends Succession {
  grantId: string
  /** The tenant it is for from now on. */
  tenantId: string | null
}

/**
 * Uses a refresh token up and adds its successor, in one statement: of several that try, one succeeds. The grant is
 * locked first, as by whoever ends it, so that the two cannot wait for each other in a circle.
 */
export async function rotateRefreshToken(db: Db, rotation: Rotation): Promise<boolean> {
  const { grantId, tenantId } = rotation
  try {
    const { rows } = await sql`
      with held as (
        select id, tenant_id from grants where id = ${grantId} for no key update
      ), moved as (
        update grants set tenant_id = ${tenantId} from held
        where grants.id = held.id and held.tenant_id is distinct from ${tenantId}
      ), ${succession(rotation)}
    `.execute(db)
    return rows.length > 0
  } catch (error) {
    // The tenant is gone by now, and the grant with it.
    if (isOrphan(error)) return false
    throw error
  }
}

interface Renewal extends Succession {
  /** As it was when the token was given out. */
  grant: GrantRow
}

/**
 * The same where all that hangs on the grant is known from before: it is done only if each of it is still so. What
 * a grant itself holds never changes, but for its tenant and by what its person is known.
 */
export async function renewRefreshToken(db: Db, renewal: Renewal): Promise<boolean> {
  const { id, amr, tenant_id, tenant_slug, mfa_policy, role } = renewal.grant
  const { rows } = await sql`
    with held as (
      select grants.id from grants join users on users.id = grants.user_id
      where grants.id = ${id} and not users.disabled and grants.amr = ${amr}
        and grants.tenant_id is not distinct from ${tenant_id}
        and (${tenant_id}::uuid is null or exists (
          select from memberships join tenants on tenants.id = memberships.tenant_id
          where memberships.tenant_id = ${tenant_id} and memberships.user_id = grants.user_id
            and memberships.status = 'ACTIVE' and memberships.role = ${role}
            and tenants.slug = ${tenant_slug} and tenants.mfa_policy = ${mfa_policy}
            and tenants.suspended_at is null))
      for no key update of grants
    ), ${succession(renewal)}
  `.execute(db)
  return rows.length > 0
}

/** Ends an authorization and every token of it; false when it had ended before. */
export async function deleteGrant(db: Db, grantId: string): Promise<boolean> {
  const ended = await db.deleteFrom('grants').where('id', '=', grantId).returning('id').executeTakeFirst()
  return ended !== undefined
}
