import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { RegistrationTokensTable } from '../../db/tables.ts'
import type { Range } from '../../http/routing/pagination.ts'

export interface RegistrationToken {
  id: string
  name: string
  /** The hosts that redirect URIs may have; null for any. */
  redirectHosts: string[] | null
  maxUses: number
  uses: number
  expiresAt: Date
  createdAt: Date
}

const COLUMNS = [
  'id',
  'name',
  'redirect_hosts as redirectHosts',
  'max_uses as maxUses',
  'uses',
  'expires_at as expiresAt',
  'created_at as createdAt',
] as const

export const insertRegistrationToken = (
  tx: Tx,
  token: Insertable<RegistrationTokensTable>,
): Promise<RegistrationToken> =>
  tx.insertInto('registration_tokens').values(token).returning(COLUMNS).executeTakeFirstOrThrow()

/** The newest first. */
export const listRegistrationTokens = (db: Db, { offset, limit }: Range): Promise<RegistrationToken[]> =>
  db
    .selectFrom('registration_tokens')
    .select(COLUMNS)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countRegistrationTokens(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('registration_tokens')
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}

export const deleteRegistrationToken = (tx: Tx, id: string): Promise<RegistrationToken | undefined> =>
  tx.deleteFrom('registration_tokens').where('id', '=', id).returning(COLUMNS).executeTakeFirst()

interface Presented {
  hash: Buffer
  now: Date
}

export const findUsableToken = (db: Db, { hash, now }: Presented): Promise<RegistrationToken | undefined> =>
  db
    .selectFrom('registration_tokens')
    .select(COLUMNS)
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .whereRef('uses', '<', 'max_uses')
    .executeTakeFirst()

/** Counts a use; false when none is left, or the token has expired or was revoked. */
export async function countUse(tx: Tx, { hash, now }: Presented): Promise<boolean> {
  const used = await tx
    .updateTable('registration_tokens')
    .set({ uses: sql`uses + 1` })
    .where('hash', '=', hash)
    .where('expires_at', '>', now)
    .whereRef('uses', '<', 'max_uses')
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

export async function deleteTokensExpiredBefore(db: Db, time: Date): Promise<void> {
  await db.deleteFrom('registration_tokens').where('expires_at', '<', time).execute()
}
