import { type Insertable, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { isConnected } from '../../db/processes.ts'
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

export type TokenRow = NonNullable<Awaited<ReturnType<typeof findGrantByRefreshToken>>>

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

/** The number of the process that answers. */
type Answering = number | undefined

/**
 * The end of a statement that has `held` grants with such tokens: uses up those that are still good, and adds the
 * next. Of several statements that try, one succeeds. A token is found by its hash and not among all that its grant ever
 * had, which the database may take for as quick: `is true` keeps it from that.
 */
const successionBy = (process: Answering) => sql<{ hash: Buffer }>`
  used as (
    update refresh_tokens set used_at = held.now from held
    where refresh_tokens.hash = held.hash and (refresh_tokens.grant_id = held.id) is true
      and used_at is null and refresh_tokens.expires_at > held.now
    returning refresh_tokens.hash, refresh_tokens.grant_id, held.now, held.next_hash, held.next_expires_at
  ), added as (
    insert into refresh_tokens (hash, grant_id, created_at, expires_at, process)
    select next_hash, grant_id, now, next_expires_at, ${process}::integer from used
  )
  select hash from used`

interface Rotation extends Succession {
  grantId: string
  /** The tenant it is for from now on. */
  tenantId: string | null
  process: Answering
}

/**
 * Uses a refresh token up and adds its successor, in one statement. The grant is locked first, as by whoever ends it,
 * so that the two cannot wait for each other in a circle.
 */
export async function rotateRefreshToken(db: Db, rotation: Rotation): Promise<boolean> {
  const { grantId, tenantId, hash, now, successor, process } = rotation
  try {
    const { rows } = await sql`
      with held as (
        select id, tenant_id, ${hash}::bytea as hash, ${now}::timestamptz as now,
          ${successor.hash}::bytea as next_hash, ${successor.expiresAt}::timestamptz as next_expires_at
        from grants where id = ${grantId} for no key update
      ), moved as (
        update grants set tenant_id = ${tenantId} from held
        where grants.id = held.id and held.tenant_id is distinct from ${tenantId}
      ), ${successionBy(process)}
    `.execute(db)
    return rows.length > 0
  } catch (error) {
    // The tenant is gone by now, and the grant with it.
    if (isOrphan(error)) return false
    throw error
  }
}

export interface Renewal extends Succession {
  /** As it was when the token was given out. */
  grant: GrantRow
}

/**
 * The same for several where all that hangs on the grants is known from before, and says for which it was done: those
 * of which each of it is still so. What a grant itself holds never changes, but for its tenant and by what its person
 * is known. One that somebody holds is left out, so that the others do not have to wait.
 */
export async function renewRefreshTokens(
  db: Db,
  renewals: Renewal[],
  process: Answering,
): Promise<boolean[]> {
  const grants = renewals.map(({ grant }) => grant)
  const { rows } = await sql<{ hash: Buffer }>`
    with asked as (
      select * from unnest(
        -- Asked for by itself, so that one plan serves however many there are: to plan takes longer than to carry out.
        (select ${grants.map(({ id }) => id)}::uuid[]), ${grants.map(({ amr }) => amr.join(' '))}::text[],
        ${grants.map(({ tenant_id }) => tenant_id)}::uuid[], ${grants.map(({ tenant_slug }) => tenant_slug)}::text[],
        ${grants.map(({ mfa_policy }) => mfa_policy)}::text[], ${grants.map(({ role }) => role)}::text[],
        ${renewals.map(({ hash }) => hash)}::bytea[], ${renewals.map(({ now }) => now)}::timestamptz[],
        ${renewals.map(({ successor }) => successor.hash)}::bytea[],
        ${renewals.map(({ successor }) => successor.expiresAt)}::timestamptz[]
      ) as asked (id, amr, tenant_id, tenant_slug, mfa_policy, role, hash, now, next_hash, next_expires_at)
    ), held as (
      select asked.id, asked.hash, asked.now, asked.next_hash, asked.next_expires_at
      from asked join grants on grants.id = asked.id join users on users.id = grants.user_id
      where not users.disabled and grants.amr = string_to_array(asked.amr, ' ')
        and grants.tenant_id is not distinct from asked.tenant_id
        and (asked.tenant_id is null or exists (
          select from memberships join tenants on tenants.id = memberships.tenant_id
          where memberships.tenant_id = asked.tenant_id and memberships.user_id = grants.user_id
            and memberships.status = 'ACTIVE' and memberships.role = asked.role
            and tenants.slug = asked.tenant_slug and tenants.mfa_policy = asked.mfa_policy
            and tenants.suspended_at is null))
      for no key update of grants skip locked
    ), ${successionBy(process)}
  `.execute(db)
  const done = new Set(rows.map(({ hash }) => hash.toString('base64url')))
  return renewals.map(({ hash }) => done.has(hash.toString('base64url')))
}

/**
 * Undoes a rotation, if it was done: the successor goes, and the token is good again. One that was used already stays, and
 * then nothing is undone.
 */
export async function takeBackSuccessor(
  db: Db,
  { hash, successor }: { hash: Buffer; successor: Buffer },
): Promise<void> {
  await sql`
    with held as (
      select grants.id from grants join refresh_tokens on refresh_tokens.grant_id = grants.id
      where refresh_tokens.hash = ${hash} for no key update of grants
    ), gone as (
      delete from refresh_tokens using held
      where refresh_tokens.hash = ${successor} and (refresh_tokens.grant_id = held.id) is true and used_at is null
      returning grant_id
    )
    update refresh_tokens set used_at = null from gone
    where refresh_tokens.hash = ${hash} and (refresh_tokens.grant_id = gone.grant_id) is true
  `.execute(db)
}

/**
 * Makes a token good again that a process used up and that was killed before it may have answered. Only while nobody has
 * used the successor: that counts as used from now on, so that whoever has it after all ends the family with it.
 */
export async function takeBackFromKilled(
  db: Db,
  { hash, now, usedAfter }: { hash: Buffer; now: Date; usedAfter: Date },
): Promise<boolean> {
  const { rows } = await sql`
    with shown as (
      select grant_id, used_at from refresh_tokens where hash = ${hash} and used_at > ${usedAfter}
    ), held as (
      select id from grants where id = (select grant_id from shown) for no key update
    ), withdrawn as (
      update refresh_tokens set used_at = ${now} from held, shown
      where refresh_tokens.grant_id = held.id and refresh_tokens.created_at = shown.used_at
        and refresh_tokens.used_at is null
        and exists (
          select from processes
          where number = refresh_tokens.process and not ${isConnected(sql.ref('processes.number'))})
      returning refresh_tokens.grant_id
    )
    update refresh_tokens set used_at = null from withdrawn
    where refresh_tokens.hash = ${hash} and (refresh_tokens.grant_id = withdrawn.grant_id) is true
    returning hash
  `.execute(db)
  return rows.length > 0
}

/** Ends an authorization and every token of it; false when it had ended before. */
export async function deleteGrant(db: Db, grantId: string): Promise<boolean> {
  const ended = await db.deleteFrom('grants').where('id', '=', grantId).returning('id').executeTakeFirst()
  return ended !== undefined
}

/** Ends every authorization of a client that came from this session; false when there was none. */
export async function deleteGrantsOfSession(
  db: Db,
  { sessionId, clientId }: { sessionId: string; clientId: string },
): Promise<boolean> {
  const ended = await db
    .deleteFrom('grants')
    .where('session_id', '=', sessionId)
    .where('client_id', '=', clientId)
    .returning('id')
    .execute()
  return ended.length > 0
}
