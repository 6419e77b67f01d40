import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { SigningKeysTable } from '../db/tables.ts'

export type StoredKey = Selectable<SigningKeysTable>

/** The advisory lock number. No other lock of this database uses it. */
const ADVISORY_LOCK = 5_284_417_391

/** Serializes key changes until the transaction ends. Reads are not blocked. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx)
}

/** All keys, the latest activation first. */
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

export async function deletePrivateKeys(tx: Tx, kids: string[]): Promise<void> {
  if (kids.length === 0) return
  await tx.updateTable('signing_keys').set({ sealed_private_key: null }).where('kid', 'in', kids).execute()
}

export async function deleteSigningKeys(tx: Tx, kids: string[]): Promise<void> {
  if (kids.length === 0) return
  await tx.deleteFrom('signing_keys').where('kid', 'in', kids).execute()
}

/** Creation and activation times as text, the latest activation first. */
export const keyTimesQuery = sql<{ created_at: string; activates_at: string }>`
  select created_at, activates_at from signing_keys order by activates_at desc, created_at desc, kid`
