import type { FastifyRequest } from 'fastify'
import { actorOf, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { Role } from '../../db/tables.ts'
import { breaks } from '../../db/violations.ts'
import { AppError } from '../../errors.ts'
import { isId, NO_ID, toId } from '../../lib/ids.ts'
import { demand, refuseProblems } from '../../lib/problems.ts'
import { findUser, type User } from '../../users/service.ts'
import { join } from '../invited.ts'
import { findMemberOf, type Membership } from '../members/store.ts'
import type { Acting } from '../permissions.ts'

/** How an operator helps a tenant to its members: without an invitation, and by who they are. */

/** Somebody who was named by id. */
export async function getUser(tx: Tx, userId: string): Promise<User> {
  const user = isId(userId) ? await findUser(tx, userId) : undefined
  if (!user) throw new AppError('USER_NOT_FOUND')
  return user
}

interface Addition {
  operator: Acting
  user: User
  role: Role
  /** Where they were named. */
  field: string
  request: FastifyRequest
}

/** Makes somebody an ACTIVE member of a tenant that nobody else changes meanwhile. */
export async function addMember(
  ctx: Ctx,
  tx: Tx,
  { operator, user, role, field, request }: Addition,
): Promise<Membership> {
  refuseProblems([
    demand(!user.disabled, field, 'is a disabled account'),
    demand(user.deletion_requested_at === null, field, 'is an account that is about to be deleted'),
    // Anybody may have made the account under this address.
    demand(user.email_verified, field, 'is an account whose address is not confirmed; invite them instead'),
  ])
  const { tenantId } = operator
  const place = { tenantId, userId: user.id, now: ctx.now() }
  const known = await findMemberOf(tx, place)
  if (known) throw new AppError(known.status === 'INVITED' ? 'INVITATION_PENDING' : 'ALREADY_MEMBER')
  await orLeaving(field, join(ctx, tx, { tenantId, userId: user.id, role }))
  const details = { after: { role, status: 'ACTIVE' } }
  const entry = { actor: actorOf(operator), tenantId, userId: user.id, request, details }
  await record(ctx, tx, { action: 'member.added', ...entry })
  return getMemberOf(ctx, tx, place)
}

/** They may have asked to be deleted at this very moment. */
async function orLeaving(field: string, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!breaks(error, 'members_stay')) throw error
    const message = 'is an account that is about to be deleted'
    throw new AppError('VALIDATION_FAILED', { details: [{ field, message }], cause: error })
  }
}

/** The membership of a person in a tenant. */
export async function getMemberOf(
  ctx: Ctx,
  tx: Tx,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Membership> {
  const member = await findMemberOf(tx, { tenantId, userId: toId(userId) ?? NO_ID, now: ctx.now() })
  if (!member) throw new AppError('MEMBER_NOT_FOUND')
  return member
}
