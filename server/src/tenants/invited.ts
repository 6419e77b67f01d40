import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { MembershipStatus, Role } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import {
  activateInvited,
  deleteInvited,
  findMembershipOf,
  insertMembershipIfNew,
  renewInvited,
} from './invited/store.ts'

/**
 * Members to be: they are INVITED as long as their invitation is open, and become ACTIVE by accepting it.
 *
 * Until then the tenant must not learn whether there is an account, and an account's id would tell: it stays the same
 * from invitation to invitation, and holds the time at which it was made. So what tenants see as the `userId` of an
 * INVITED member is the id of the membership, which comes and goes with the invitation.
 */

interface Place {
  tenantId: string
  userId: string
}

/** The `userId` of a member, as everybody may see it. */
export const shownUserId = (member: { id: string; user_id: string; status: MembershipStatus }): string =>
  member.status === 'INVITED' ? member.id : member.user_id

/** Throws ALREADY_MEMBER for whoever needs no invitation. */
export async function requireNoMember(tx: Tx, place: Place): Promise<void> {
  const membership = await findMembershipOf(tx, place)
  if (membership && membership.status !== 'INVITED') throw new AppError('ALREADY_MEMBER')
}

/** The answer is the `userId` that is shown of them; so it is below. */
export async function addInvited(
  ctx: Ctx,
  tx: Tx,
  { tenantId, userId, role, until }: Place & { role: Role; until: Date },
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

/** The invitation is open for longer. */
export const keepInvited = async (tx: Tx, place: Place & { until: Date }): Promise<string | undefined> =>
  (await renewInvited(tx, place))?.id

/** The invitation is settled without them. */
export const dropInvited = async (tx: Tx, place: Place): Promise<string | undefined> =>
  (await deleteInvited(tx, place))?.id

/** They have accepted. Whoever is a member by other ways, and may be suspended, stays what they are: ALREADY_MEMBER. */
export async function join(
  ctx: Ctx,
  tx: Tx,
  { tenantId, userId, role }: Place & { role: Role },
): Promise<void> {
  const now = ctx.now()
  const common = { tenant_id: tenantId, user_id: userId, role, status: 'ACTIVE', joined_at: now } as const
  const membership = { id: newId(), ...common, created_at: now, updated_at: now }
  if (!(await activateInvited(tx, membership))) throw new AppError('ALREADY_MEMBER')
}
