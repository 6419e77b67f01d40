import type { Tx } from '../db/open.ts'

/** Locks the users until the transaction ends, in one order, so that nobody gains or loses a right meanwhile. */
export const lockUsers = (tx: Tx, ids: string[]) =>
  tx
    .selectFrom('users')
    .select(['id', 'email', 'email_verified', 'display_name', 'given_name', 'family_name'])
    .select(['is_super_admin', 'disabled', 'deletion_requested_at'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

export type LockedUser = Awaited<ReturnType<typeof lockUsers>>[number]

/** Locks the session, so that what ends it also ends what is started now. */
export const lockSession = (tx: Tx, { id, userId }: { id: string; userId: string }) =>
  tx
    .selectFrom('sessions')
    .select(['auth_time', 'auth_time_assumed', 'amr'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('operator_id', 'is', null)
    .forKeyShare()
    .executeTakeFirst()

export const findMembership = (tx: Tx, { tenantId, userId }: { tenantId: string; userId: string }) =>
  tx
    .selectFrom('memberships')
    .select(['status', 'role'])
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
