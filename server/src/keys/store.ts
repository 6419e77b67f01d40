import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { TokenKeysTable } from '../db/tables.ts'
import type { SigningAlgorithm } from '../lib/signer.ts'

export type StoredKey = Selectable<TokenKeysTable>

/** The advisory lock number. No other lock of this database uses it. */
const ADVISORY_LOCK = 5_284_417_391

/** Serializes key changes until the transaction ends. Reads are not blocked. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx)
}

/** All keys, the latest activation first. */
export const listSigningKeys = (db: Db): Promise<StoredKey[]> =>
  db
    .selectFrom('token_keys')
    .selectAll()
    .orderBy('activates_at', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('kid')
    .execute()

export async function insertSigningKey(tx: Tx, { public_jwk, ...key }: StoredKey): Promise<void> {
  await tx
    .insertInto('token_keys')
    .values({ ...key, public_jwk: JSON.stringify(public_jwk) })
    .execute()
}

export async function updateActivation(tx: Tx, kid: string, activatesAt: Date): Promise<void> {
  await tx.updateTable('token_keys').set({ activates_at: activatesAt }).where('kid', '=', kid).execute()
}

export async function deletePrivateKeys(tx: Tx, kids: string[]): Promise<void> {
  if (kids.length === 0) return
  await tx.updateTable('token_keys').set({ sealed_private_key: null }).where('kid', 'in', kids).execute()
}

export async function deleteSigningKeys(tx: Tx, kids: string[]): Promise<void> {
  if (kids.length === 0) return
  await tx.deleteFrom('token_keys').where('kid', 'in', kids).execute()
}

/** RS256, and the algorithms of applications. */
const usedAlgorithms = sql`
  select 'RS256' union select signing_algorithm from applications
  union select previous_signing_algorithm from applications where previous_signing_algorithm is not null`

export async function listUsedAlgorithms(db: Db): Promise<SigningAlgorithm[]> {
  const { rows } = await sql<{ algorithm: SigningAlgorithm }>`
    select algorithm from (${usedAlgorithms}) as used (algorithm) order by algorithm`.execute(db)
  return rows.map(({ algorithm }) => algorithm)
}

/** Creation and activation times as text, the latest activation first. */
export const keyTimesQuery = sql<{
  created_at: string
  activates_at: string
  algorithm: SigningAlgorithm
  used: boolean
}>`
  select created_at, activates_at, algorithm, algorithm in (${usedAlgorithms}) as used
  from token_keys order by activates_at desc, created_at desc, kid`
