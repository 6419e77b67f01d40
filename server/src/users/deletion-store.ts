import type { Db, Tx } from '../db/open.ts'

/** Cancels a scheduled deletion; returns whether there was one. */
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

/** Accounts whose deletion was requested up to then, oldest request first. */
export const listDeletionRequests = (
  db: Db,
  { requestedBefore, limit }: { requestedBefore: Date; limit: number },
): Promise<{ id: string }[]> =>
  db
    .selectFrom('users')
    .select('id')
    .where('deletion_requested_at', '<=', requestedBefore)
    .orderBy('deletion_requested_at')
    .limit(limit)
    .execute()

/** Deletes the user and all rows that reference it, unless the deletion was canceled. Returns the address. */
export async function deleteUser(
  tx: Tx,
  { id, requestedBefore }: { id: string; requestedBefore: Date },
): Promise<string | undefined> {
  const deleted = await tx
    .deleteFrom('users')
    .where('id', '=', id)
    .where('deletion_requested_at', '<=', requestedBefore)
    .returning('email')
    .executeTakeFirst()
  return deleted?.email
}

/** The memberships that are ACTIVE or SUSPENDED. */
export const listJoinedMemberships = (tx: Tx, userId: string) =>
  tx
    .selectFrom('memberships')
    .select(['tenant_id', 'role', 'status'])
    .where('user_id', '=', userId)
    .where('status', '<>', 'INVITED')
    .orderBy('tenant_id')
    .execute()
