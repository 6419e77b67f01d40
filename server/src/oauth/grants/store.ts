import { type Insertable, sql } from 'kysely'
import type { Client } from '../../applications/clients.ts'
import { falseIfReferenceGone } from '../../db/errors.ts'
import type { Db } from '../../db/open.ts'
import type { GrantsTable } from '../../db/tables.ts'
import { RESOURCE_ALLOWS_CLIENT, RESOURCE_COLUMNS } from '../resource-columns-store.ts'
import { CLAIM_COLUMNS } from '../user-claims.ts'

/** A grant with the data that decides whether its user may still act for its tenant. */
const grantsWithSubject = (db: Db) =>
  db
    .selectFrom('grants')
    .innerJoin('users', 'users.id', 'grants.user_id')
    .innerJoin('sessions', 'sessions.id', 'grants.session_id')
    .leftJoin('tenants', 'tenants.id', 'grants.tenant_id')
    .leftJoin('resources', 'resources.id', 'grants.resource_id')
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
      'sessions.operator_id',
      'sessions.ends_at as session_ends_at',
      'tenants.slug as tenant_slug',
      'tenants.mfa_policy as mfa_policy',
      'tenants.suspended_at as tenant_suspended_at',
      'memberships.role as role',
    ])
    .select(RESOURCE_COLUMNS)
    .select(RESOURCE_ALLOWS_CLIENT)
    .select(CLAIM_COLUMNS)

export type GrantRow = NonNullable<Awaited<ReturnType<typeof findGrantByCode>>>

/** The client of a grant. One with a back-channel logout is stored with the session, so that it is told of its end. */
type GrantedClient = Pick<Client, 'applicationId' | 'backchannelLogoutUri'>

/** Returns false if the session or another referenced row was deleted concurrently. */
export const insertGrant = (db: Db, grant: Insertable<GrantsTable>, client: GrantedClient): Promise<boolean> =>
  falseIfReferenceGone(async () => {
    const insert = (db: Db) => db.insertInto('grants').values(grant)
    if (client.backchannelLogoutUri === null) await insert(db).execute()
    else
      await db
        .with('granted', () => insert(db).returning(['session_id', 'client_id']))
        .insertInto('session_clients')
        .columns(['session_id', 'client_id'])
        .expression((query) => query.selectFrom('granted').select(['session_id', 'client_id']))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    return true
  })

/** Like `insertGrant`. Returns false also if the user has withdrawn the consent for the application concurrently. */
export const insertConsentedGrant = (
  db: Db,
  grant: Insertable<GrantsTable>,
  { applicationId, backchannelLogoutUri }: GrantedClient,
): Promise<boolean> =>
  falseIfReferenceGone(async () => {
    const fields = Object.entries(grant).filter(([, value]) => value !== undefined)
    const { rows } = await sql`
      with consented as (
        select from consents
        where user_id = ${grant.user_id} and application_id = ${applicationId}
          and tenant_id is not distinct from ${grant.tenant_id}
        for key share
      ), granted as (
        insert into grants (${sql.join(fields.map(([column]) => sql.ref(column)))})
        select ${sql.join(fields.map(([, value]) => value))} from consented
        returning session_id, client_id
      ), remembered as (
        insert into session_clients (session_id, client_id)
        select session_id, client_id from granted where ${backchannelLogoutUri !== null}::boolean
        on conflict do nothing
      )
      select from granted
    `.execute(db)
    return rows.length === 1
  })

export const findGrantByCode = (db: Db, codeHash: Buffer) =>
  grantsWithSubject(db).where('grants.code_hash', '=', codeHash).executeTakeFirst()

export const findGrant = (db: Db, id: string) => grantsWithSubject(db).where('grants.id', '=', id).executeTakeFirst()

export const findGrantByRefreshToken = (db: Db, hash: Buffer) =>
  grantsWithSubject(db)
    .innerJoin('refresh_tokens', 'refresh_tokens.grant_id', 'grants.id')
    .innerJoin('clients', 'clients.id', 'grants.client_id')
    .leftJoin('consents', (join) =>
      join
        .onRef('consents.user_id', '=', 'grants.user_id')
        .onRef('consents.application_id', '=', 'clients.application_id')
        .onRef('consents.tenant_id', 'is not distinct from', 'grants.tenant_id'),
    )
    .select([
      'clients.client_id as client_identifier',
      'consents.scopes as consented_scopes',
      'refresh_tokens.hash as token_hash',
      'refresh_tokens.used_at as token_used_at',
      'refresh_tokens.expires_at as token_expires_at',
      'refresh_tokens.created_at as token_created_at',
    ])
    .where('refresh_tokens.hash', '=', hash)
    .executeTakeFirst()

export type TokenRow = NonNullable<Awaited<ReturnType<typeof findGrantByRefreshToken>>>

/** A refresh token to be stored. */
export interface NewRefreshToken {
  hash: Buffer
  expiresAt: Date
}

interface Redemption {
  grantId: string
  now: Date
  expiresAt: Date
  refreshToken: NewRefreshToken | undefined
  /** The key that the grant is bound to from now on; undefined: no change. */
  jkt: string | undefined
}

/**
 * Uses up a code and inserts the first refresh token in one statement, so that only one of several attempts succeeds.
 */
export async function redeemCode(db: Db, { grantId, now, expiresAt, refreshToken, jkt }: Redemption): Promise<boolean> {
  const { rows } = await sql`
    with used as (
      update grants
      set code_used_at = ${now}, expires_at = ${expiresAt}, dpop_jkt = coalesce(${jkt}, dpop_jkt)
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

/** The use of a refresh token, and its successor. */
export interface Rotation {
  hash: Buffer
  grantId: string
  /** The tenant of the grant after the rotation. */
  tenantId: string | null
  /** The key that the grant is bound to from now on; undefined: no change. */
  jkt: string | undefined
  now: Date
  successor: NewRefreshToken
}

interface RotationOptions {
  /** The number of the process that serves the request. */
  process: number | undefined
  /** Skips grants that another transaction has locked, instead of waiting. */
  skipLocked: boolean
}

/**
 * Uses up refresh tokens and inserts their successors in one statement. Returns for each whether it was done: used and
 * expired tokens are skipped. Each grant is locked first, as in every transaction that revokes one, so that the two
 * cannot deadlock.
 *
 * `(select …)` hides the length of the list from the planner, so that one generic plan serves all lengths. `is true`
 * makes the planner look up a token by its hash and not among all tokens of the grant.
 */
export async function rotateRefreshTokens(
  db: Db,
  rotations: Rotation[],
  { process, skipLocked }: RotationOptions,
): Promise<boolean[]> {
  const successors = rotations.map(({ successor }) => successor)
  const { rows } = await sql<{ next_hash: Buffer }>`
    with requested as (
      select * from unnest(
        (select ${rotations.map(({ hash }) => hash)}::bytea[]), ${rotations.map(({ grantId }) => grantId)}::uuid[],
        ${rotations.map(({ tenantId }) => tenantId)}::uuid[], ${rotations.map(({ now }) => now)}::timestamptz[],
        ${rotations.map(({ jkt }) => jkt ?? null)}::text[], ${successors.map(({ hash }) => hash)}::bytea[], ${successors.map(({ expiresAt }) => expiresAt)}::timestamptz[]
      ) as requested (hash, grant_id, tenant_id, now, jkt, next_hash, next_expires_at)
    ), locked as (
      select requested.*, grants.tenant_id as old_tenant_id, grants.dpop_jkt as old_jkt
      from requested join grants on grants.id = requested.grant_id
      for no key update of grants ${skipLocked ? sql`skip locked` : sql``}
    ), used as (
      update refresh_tokens set used_at = locked.now from locked
      where refresh_tokens.hash = locked.hash and (refresh_tokens.grant_id = locked.grant_id) is true
        and used_at is null and refresh_tokens.expires_at > locked.now
      returning locked.*
    ), moved as (
      update grants set
        tenant_id = used.tenant_id,
        dpop_jkt = coalesce(used.jkt, grants.dpop_jkt),
        earlier_tenant_ids = case
          when used.tenant_id is distinct from used.old_tenant_id
            and array_position(grants.earlier_tenant_ids, used.old_tenant_id) is null
          then array_append(grants.earlier_tenant_ids, used.old_tenant_id)
          else grants.earlier_tenant_ids
        end
      from used
      where grants.id = used.grant_id
        and (used.tenant_id is distinct from used.old_tenant_id or used.jkt <> coalesce(used.old_jkt, ''))
    ), added as (
      insert into refresh_tokens (hash, grant_id, created_at, expires_at, process)
      select next_hash, grant_id, now, next_expires_at, ${process}::integer from used
    )
    select next_hash from used
  `.execute(db)
  // Matched by successor, because the same token may be in the list twice.
  const rotated = new Set(rows.map(({ next_hash }) => next_hash.toString('base64url')))
  return successors.map(({ hash }) => rotated.has(hash.toString('base64url')))
}

/** Deletes a grant with all its tokens; false if it no longer existed. */
export async function deleteGrant(db: Db, grantId: string): Promise<boolean> {
  const ended = await db.deleteFrom('grants').where('id', '=', grantId).returning('id').executeTakeFirst()
  return ended !== undefined
}

/** Deletes all grants of a client from this session; false if there was none. */
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
