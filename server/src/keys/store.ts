import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { SigningKeysTable } from '../db/tables.ts'

export type StoredKey = Selectable<SigningKeysTable>

/** Any number that no other lock of this database uses. */
const LOCK = 5_284_417_391

/** Lets those who make and retire keys in one by one, until the end of the transaction. Reading stays free. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
}

/** All keys, the one that signs last first. */
export const listSigningKeys = (db: Db): Promise<StoredKey[]> =>
  db
    .selectFrom('signing_keys')
    .selectAll()
    .orderBy('activates_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .execute()

export async function insertSigningKey(tx: Tx, { public_jwk, ...key }: StoredKey): Promise<void> {
  await tx
    .insertInto('signing_keys')
    .values({ ...key, public_jwk: JSON.stringify(public_jwk) })
    .execute()
}

export async function updateActivation(tx: Tx, kid: string, activatesAt: Date): Promise<void> {
  await tx.updateTable('signing_keys').set({ activates_at: activatesAt }).where('kid', '=', kid).execute()
}

export async function updateToPublicHalf(tx: Tx, kids: string[]): Promise<void> {
  if (kids.length === 0) return
  await tx.updateTable('signing_keys').set({ sealed_private_key: null }).where('kid', 'in', kids).execute()
}

export async function deleteSigningKeys(tx: Tx, kids: string[]): Promise<void> {
  if (kids.length === 0) return
  await tx.deleteFrom('signing_keys').where('kid', 'in', kids).execute()
}

/** When each key was made and signs, the one that signs last first. Moments as text. */
export const keyTimes = sql<{ created_at: string; activates_at: string }>`
  select created_at, activates_at from signing_keys order by activates_at desc, created_at desc, kid`
