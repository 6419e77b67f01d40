import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, toActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { isCheckViolation } from '../../db/errors.ts'
import type { Tx } from '../../db/open.ts'
import type { Role } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { checkField, throwIfInvalid } from '../../lib/field-validation.ts'
import { isId, NIL_ID, toId } from '../../lib/ids.ts'
import { findUser, type User } from '../../users/service.ts'
import { activateMembership } from '../invited.ts'
import { findMemberOf, type Membership } from '../members/store.ts'
import type { TenantActor } from '../permissions.ts'

/** Operators add existing users to a tenant by id and without an invitation. */

export async function getUser(tx: Tx, userId: string): Promise<User> {
  const user = isId(userId) ? await findUser(tx, userId) : undefined
  if (!user) throw new AppError('USER_NOT_FOUND')
  return user
}

interface Addition {
  operator: TenantActor
  user: User
  role: Role
  /** The request field that named the user, for validation errors. */
  field: string
  request: FastifyRequest
}

/** Adds an ACTIVE member. The caller must have locked the tenant. */
export async function addMember(
  ctx: Ctx,
  tx: Tx,
  { operator, user, role, field, request }: Addition,
): Promise<Membership> {
  throwIfInvalid([
    checkField(!user.disabled, field, t('is a disabled account')),
    checkField(user.deletion_requested_at === null, field, t('is an account that is about to be deleted')),
    // Anyone can create an account with an unconfirmed address.
    checkField(
      user.email_verified,
      field,
      t('is an account whose address is not confirmed; send an invitation instead'),
    ),
  ])
  const { tenantId } = operator
  const key = { tenantId, userId: user.id, now: ctx.now() }
  const existing = await findMemberOf(tx, key)
  if (existing) throw new AppError(existing.status === 'INVITED' ? 'INVITATION_PENDING' : 'ALREADY_MEMBER')
  await rejectDeletedUser(field, activateMembership(ctx, tx, { tenantId, userId: user.id, role }))
  const details = { after: { role, status: 'ACTIVE' } }
  const entry = { actor: toActor(operator), tenantId, userId: user.id, request, details }
  await recordAuditEvent(ctx, tx, { action: 'member.added', ...entry })
  return getMemberOf(ctx, tx, key)
}

/** The user may have requested deletion after the check above. The database then refuses the membership. */
async function rejectDeletedUser(field: string, work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isCheckViolation(error, 'members_stay')) throw error
    const message = t('is an account that is about to be deleted')
    throw new AppError('VALIDATION_FAILED', { details: [{ field, message }], cause: error })
  }
}

export async function getMemberOf(
  ctx: Ctx,
  tx: Tx,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Membership> {
  const member = await findMemberOf(tx, { tenantId, userId: toId(userId) ?? NIL_ID, now: ctx.now() })
  if (!member) throw new AppError('MEMBER_NOT_FOUND')
  return member
}
