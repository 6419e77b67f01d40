import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { User } from '../store.ts'

export interface Factors {
  totp: boolean
  passkeys: number
  recoveryCodes: number
}

export async function findFactors(db: Db, userId: string): Promise<Factors> {
  const counted = await db
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom('totp_secrets')
        .select(fn.countAll().as('count'))
        .where('user_id', '=', userId)
        .where('confirmed_at', 'is not', null)
        .as('totp'),
      selectFrom('passkeys').select(fn.countAll().as('count')).where('user_id', '=', userId).as('passkeys'),
      selectFrom('recovery_codes').select(fn.countAll().as('count')).where('user_id', '=', userId).as('codes'),
    ])
    .executeTakeFirstOrThrow()
  const { totp, passkeys, codes } = counted
  return { totp: Number(totp) > 0, passkeys: Number(passkeys), recoveryCodes: Number(codes) }
}

/**
 * A subquery that locks the user row, and returns it only if it is not locked, the account is active, the credentials are
 * unchanged since they were verified, and there is no second factor (see `hasSecondFactor`).
 */
export const selectUnchangedUserForUpdate = (
  { id, password_hash }: User,
  { byPassword }: { byPassword: boolean },
): RawBuilder<{ id: string }> => sql`
  select id from users
  where id = ${id} and not disabled and deletion_requested_at is null
    and password_hash is not distinct from ${password_hash} and (password_sign_in or not ${byPassword})
    and not exists (select from totp_secrets where user_id = ${id} and confirmed_at is not null)
    and not exists (select from passkeys where user_id = ${id})
  for no key update skip locked`

export const findTotp = (db: Db, userId: string) =>
  db.selectFrom('totp_secrets').selectAll().where('user_id', '=', userId).executeTakeFirst()

interface NewTotpSecret {
  userId: string
  sessionId: string
  sealedSecret: Buffer
  now: Date
}

/** Stores a secret to confirm, or replaces an unconfirmed one; false when there is a confirmed one. */
export async function upsertUnconfirmedTotp(
  db: Db,
  { userId, sessionId, sealedSecret, now }: NewTotpSecret,
): Promise<boolean> {
  const columns = { sealed_secret: sealedSecret, session_id: sessionId, created_at: now }
  const stored = await db
    .insertInto('totp_secrets')
    .values({ user_id: userId, confirmed_at: null, ...columns })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(columns).where('totp_secrets.confirmed_at', 'is', null),
    )
    .returning('user_id')
    .executeTakeFirst()
  return stored !== undefined
}

/** Stores secrets that need no confirmation. */
export async function upsertConfirmedTotp(tx: Tx, secrets: StoredTotp[], now: Date): Promise<void> {
  await tx
    .insertInto('totp_secrets')
    .values(
      secrets.map(({ userId, sealedSecret }) => ({
        user_id: userId,
        sealed_secret: sealedSecret,
        session_id: null,
        created_at: now,
        confirmed_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        sealed_secret: sql`excluded.sealed_secret`,
        session_id: null,
        created_at: now,
        confirmed_at: now,
      }),
    )
    .execute()
}

/** Confirms the secret, unless it was replaced since the code was checked. */
export async function confirmTotp(
  tx: Tx,
  { userId, sealedSecret, step, now }: { userId: string; sealedSecret: Buffer; step: number; now: Date },
): Promise<boolean> {
  const confirmed = await tx
    .updateTable('totp_secrets')
    .set({ confirmed_at: now, last_step: step })
    .where('user_id', '=', userId)
    .where('sealed_secret', '=', sealedSecret)
    .where('confirmed_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
  return confirmed !== undefined
}

/** Consumes a time step; false when it or a later one was used before. */
export async function useTotpStep(db: Db, { userId, step }: { userId: string; step: number }): Promise<boolean> {
  const used = await db
    .updateTable('totp_secrets')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', String(step))
    .returning('user_id')
    .executeTakeFirst()
  return used !== undefined
}

/** Deletes a confirmed secret; returns whether there was one. */
export async function deleteTotp(tx: Tx, userId: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('totp_secrets')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .returning('user_id')
    .executeTakeFirst()
  return deleted !== undefined
}

export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: Buffer[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash })))
    .execute()
}

/** Returns whether the code existed. */
export async function deleteRecoveryCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const used = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst()
  return used !== undefined
}

export async function deleteFactors(tx: Tx, userId: string): Promise<void> {
  for (const table of ['totp_secrets', 'passkeys', 'recovery_codes', 'passkey_challenges'] as const) {
    await tx.deleteFrom(table).where('user_id', '=', userId).execute()
  }
}

export interface StoredTotp {
  userId: string
  sealedSecret: Buffer
}

/**
 * Secrets of apps in use that were not encrypted with the key of this mark, in the order of the users' ids. An app that is
 * still being set up is left alone: its confirmation compares the stored secret.
 */
export async function listTotpOfOlderKeys(
  db: Db,
  { mark, after, limit }: { mark: Buffer; after: string; limit: number },
): Promise<StoredTotp[]> {
  const { rows } = await sql<StoredTotp>`
    select user_id as "userId", sealed_secret as "sealedSecret" from totp_secrets
    where user_id > ${after} and confirmed_at is not null
      and substring(sealed_secret from 1 for ${mark.length}::int) <> ${mark}
    order by user_id limit ${limit}
  `.execute(db)
  return rows
}

/** Changes nothing if the user has set up another authenticator app meanwhile. */
export async function replaceTotpSecret(
  db: Db,
  { userId, sealedSecret }: StoredTotp,
  replacement: Buffer,
): Promise<void> {
  await db
    .updateTable('totp_secrets')
    .set({ sealed_secret: replacement })
    .where('user_id', '=', userId)
    .where('sealed_secret', '=', sealedSecret)
    .execute()
}
