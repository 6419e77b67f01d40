import type { Db } from '../../db/open.ts'

/** Returns false if it was used before. One statement, so that of simultaneous uses exactly one succeeds. */
export async function insertUsedAssertion(db: Db, assertion: { hash: Buffer; expires_at: Date }): Promise<boolean> {
  const used = await db
    .insertInto('used_assertions')
    .values(assertion)
    .onConflict((conflict) => conflict.doNothing())
    .returning('hash')
    .executeTakeFirst()
  return used !== undefined
}
