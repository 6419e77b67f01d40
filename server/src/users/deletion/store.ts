import type { Db, Tx } from '../../db/open.ts'

/** Takes the wish to be forgotten back; says whether there was one. */
export async function clearDeletion(tx: Tx, id: string, now: Date): Promise<boolean> {
  const restored = await tx
    .updateTable('users')
    .set({ deletion_requested_at: null, updated_at: now })
    .where('id', '=', id)
    .where('deletion_requested_at', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  return restored !== undefined
}

/** People who asked to be forgotten before, those who have waited longest first. */
export const listAwaitingErasure = (
  db: Db,
  { askedBefore, limit }: { askedBefore: Date; limit: number },
): Promise<{ id: string }[]> =>
  db
    .selectFrom('users')
    .select('id')
    .where('deletion_requested_at', '<=', askedBefore)
    .orderBy('deletion_requested_at')
    .limit(limit)
    .execute()

/** Deletes the person, with all that hangs on them, unless they have changed their mind. Returns their address. */
export async function deleteUser(
  tx: Tx,
  { id, askedBefore }: { id: string; askedBefore: Date },
): Promise<string | undefined> {
  const deleted = await tx
    .deleteFrom('users')
    .where('id', '=', id)
    .where('deletion_requested_at', '<=', askedBefore)
    .returning('email')
    .executeTakeFirst()
  return deleted?.email
}

/** Where somebody is a member, ACTIVE or SUSPENDED. */
export const listTenancies = (tx: Tx, userId: string) =>
  tx
    .selectFrom('memberships')
    .select(['tenant_id', 'role', 'status'])
    .where('user_id', '=', userId)
    .where('status', '<>', 'INVITED')
    .orderBy('tenant_id')
    .execute()
