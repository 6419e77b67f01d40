import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { MembershipStatus, Role } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import {
  activateInvited,
  deleteInvited,
  extendInvited,
  findMembershipOf,
  insertMembershipIfNew,
} from './invited-store.ts'

/**
 * INVITED members: they have an open invitation and become ACTIVE when they accept it.
 *
 * Until then the tenant must not learn whether the account already existed. The user id would reveal it: it is the same
 * in every invitation and contains the time of its creation. The API therefore returns the id of the membership, which
 * exists only as long as the invitation, as the `userId` of an INVITED member.
 */

interface MembershipKey {
  tenantId: string
  userId: string
}

/** The `userId` of a member in API responses. */
export const toVisibleUserId = (member: { id: string; user_id: string; status: MembershipStatus }): string =>
  member.status === 'INVITED' ? member.id : member.user_id

/** Throws ALREADY_MEMBER for an ACTIVE or SUSPENDED member. */
export async function requireNotMember(tx: Tx, key: MembershipKey): Promise<void> {
  const membership = await findMembershipOf(tx, key)
  if (membership && membership.status !== 'INVITED') throw new AppError('ALREADY_MEMBER')
}

/** Returns the visible `userId` of the member, as do the next two functions. */
export async function createInvitedMember(
  ctx: Ctx,
  tx: Tx,
  { tenantId, userId, role, until }: MembershipKey & { role: Role; until: Date },
): Promise<string> {
  const now = ctx.now()
  const added = await insertMembershipIfNew(tx, {
    id: newId(),
    tenant_id: tenantId,
    user_id: userId,
    role,
    status: 'INVITED',
    joined_at: null,
    invited_until: until,
    created_at: now,
    updated_at: now,
  })
  if (!added) throw new AppError('ALREADY_MEMBER')
  return added.id
}

/** Extends an invitation. */
export const extendInvitedMember = async (tx: Tx, key: MembershipKey & { until: Date }): Promise<string | undefined> =>
  (await extendInvited(tx, key))?.id

/** After the invitation has ended without acceptance. */
export const deleteInvitedMember = async (tx: Tx, key: MembershipKey): Promise<string | undefined> =>
  (await deleteInvited(tx, key))?.id

/** Throws ALREADY_MEMBER for an ACTIVE or SUSPENDED member, who stays unchanged. */
export async function activateMembership(
  ctx: Ctx,
  tx: Tx,
  { tenantId, userId, role }: MembershipKey & { role: Role },
): Promise<void> {
  const now = ctx.now()
  const isActivated = await activateInvited(tx, {
    id: newId(),
    tenant_id: tenantId,
    user_id: userId,
    role,
    status: 'ACTIVE',
    joined_at: now,
    created_at: now,
    updated_at: now,
  })
  if (!isActivated) throw new AppError('ALREADY_MEMBER')
}
