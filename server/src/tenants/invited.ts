import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import {
  activateInvited,
  deleteInvited,
  findMembershipOf,
  insertMembershipIfNew,
  renewInvited,
} from './invited/store.ts'

/** Members to be: they are INVITED as long as their invitation is open, and become ACTIVE by accepting it. */

interface Place {
  tenantId: string
  userId: string
}

/** Throws ALREADY_MEMBER for whoever needs no invitation. */
export async function requireNoMember(tx: Tx, place: Place): Promise<void> {
  const membership = await findMembershipOf(tx, place)
  if (membership && membership.status !== 'INVITED') throw new AppError('ALREADY_MEMBER')
}

export async function addInvited(
  ctx: Ctx,
  tx: Tx,
  { tenantId, userId, role, until }: Place & { role: Role; until: Date },
): Promise<void> {
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
}

/** The invitation is open for longer. */
export const keepInvited = (tx: Tx, place: Place & { until: Date }): Promise<void> => renewInvited(tx, place)

/** The invitation is settled without them. */
export const dropInvited = (tx: Tx, place: Place): Promise<void> => deleteInvited(tx, place)

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
