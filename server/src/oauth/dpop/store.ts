import type { Db } from '../../db/open.ts'

export interface UsedProof {
  hash: Buffer
  expires_at: Date
}

/** Returns for each proof whether it was not used before. Of equal ones, only the first was not. */
export async function insertProofs(db: Db, proofs: UsedProof[]): Promise<boolean[]> {
  const inserted = await db
    .insertInto('dpop_proofs')
    // In one order everywhere, so that statements with the same proofs do not wait for each other in a circle.
    .values(proofs.toSorted((a, b) => a.hash.compare(b.hash)))
    .onConflict((conflict) => conflict.doNothing())
    .returning('hash')
    .execute()
  const hashes = new Set(inserted.map(({ hash }) => hash.toString('hex')))
  return proofs.map(({ hash }) => hashes.delete(hash.toString('hex')))
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
