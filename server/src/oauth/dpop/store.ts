import type { Db } from '../../db/open.ts'

/** Returns false if this proof was used before. */
export async function insertProof(db: Db, proof: { hash: Buffer; expires_at: Date }): Promise<boolean> {
  const inserted = await db
    .insertInto('dpop_proofs')
    .values(proof)
    .onConflict((conflict) => conflict.doNothing())
    .returning('hash')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Deletes up to `limit` proofs that are too old to be accepted again. Returns how many were deleted. */
export async function deleteExpiredProofs(db: Db, { now, limit }: { now: Date; limit: number }): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('dpop_proofs')
    .where('hash', 'in', (query) =>
      query.selectFrom('dpop_proofs').select('hash').where('expires_at', '<', now).limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
