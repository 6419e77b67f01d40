import { recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { isCheckViolation, retryOnDeadlock } from '../db/errors.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { invalidatePassword } from '../sessions/admin-password-reset.ts'
import { endAllUserSessions } from '../sessions/overview.ts'
import { requireNotLastOwner } from '../tenants/ownership.ts'
import { restoreAccount, scheduleDeletion } from '../users/deletion.ts'
import { removeFactors } from '../users/factors/factors.ts'
import { queueNotice } from '../users/notices.ts'
import { type AdminRequest, getLockedUser, parseUserId, refuseOwnAccount, toAuditSource } from './admin-request.ts'

/** Actions of an administrator on another account. The account's owner is notified of each by mail. */

/** Schedules the account for deletion. Sessions end immediately, erasure follows after the grace period. Idempotent. */
export async function deleteAccount(ctx: Ctx, userId: string, adminRequest: AdminRequest): Promise<void> {
  const id = parseUserId(userId)
  refuseOwnAccount(adminRequest, id)
  try {
    await retryOnDeadlock(() =>
      ctx.db.transaction().execute(async (tx) => {
        await requireNotLastOwner(tx, id)
        const user = await getLockedUser(tx, id)
        if (user.deletion_requested_at === null) {
          await scheduleDeletion(ctx, tx, { user, ...toAuditSource(adminRequest) })
        }
      }),
    )
  } catch (error) {
    throw toLastOwnerError(error) ?? error
  }
  await ctx.changes.waitUntilCurrent()
}

/** TENANT_OWNER with a message about another person; undefined for any other error. */
function toLastOwnerError(error: unknown): AppError | undefined {
  const isTenantOwner = error instanceof AppError && error.code === 'TENANT_OWNER'
  // The constraint fails when they became the last owner after the check.
  if (!isTenantOwner && !isCheckViolation(error, 'tenants_keep_an_owner')) return undefined
  const message = t('This person is the last owner of a tenant. Make somebody else its owner first.')
  const details = isTenantOwner ? error.details : undefined
  return new AppError('TENANT_OWNER', { message, cause: error, ...(details && { details }) })
}

/** Cancels a scheduled deletion. */
export async function restoreUser(ctx: Ctx, userId: string, adminRequest: AdminRequest): Promise<void> {
  const id = parseUserId(userId)
  await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const user = await getLockedUser(tx, id)
      const restored = await restoreAccount(ctx, tx, { user, ...toAuditSource(adminRequest) })
      if (!restored) throw new AppError('NOT_SCHEDULED_FOR_DELETION')
    }),
  )
  await ctx.changes.waitUntilCurrent()
}

/** Invalidates the current password. Returns whether a link to choose another was mailed. */
export async function forcePasswordReset(ctx: Ctx, userId: string, adminRequest: AdminRequest): Promise<boolean> {
  const id = parseUserId(userId)
  const linkSent = await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const user = await getLockedUser(tx, id)
      const linkSent = await invalidatePassword(ctx, tx, user)
      await recordAuditEvent(ctx, tx, {
        action: 'user.password_reset_forced',
        ...toAuditSource(adminRequest),
        userId: id,
        details: { linkSent },
      })
      return linkSent
    }),
  )
  await ctx.changes.waitUntilCurrent()
  return linkSent
}

/** Ends every session of the account. Returns their number. */
export async function endSessions(ctx: Ctx, userId: string, adminRequest: AdminRequest): Promise<number> {
  const id = parseUserId(userId)
  const count = await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const user = await getLockedUser(tx, id)
      const count = await endAllUserSessions(ctx, tx, id)
      if (count > 0) {
        await recordAuditEvent(ctx, tx, {
          action: 'session.all_ended',
          ...toAuditSource(adminRequest),
          userId: id,
          details: { count },
        })
        await queueNotice(ctx, tx, { to: user, kind: 'sessions-ended' })
      }
      return count
    }),
  )
  await ctx.changes.waitUntilCurrent()
  return count
}

/** Removes all second factors of a person who has lost them, and ends every session. */
export async function resetFactors(ctx: Ctx, userId: string, adminRequest: AdminRequest): Promise<void> {
  const id = parseUserId(userId)
  await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const user = await getLockedUser(tx, id)
      const removed = await removeFactors(tx, id)
      if (!removed) throw new AppError('MFA_NOT_ENROLLED', { message: t('This person has no second factor.') })
      await endAllUserSessions(ctx, tx, id)
      await recordAuditEvent(ctx, tx, {
        action: 'user.mfa_reset',
        ...toAuditSource(adminRequest),
        userId: id,
        details: { ...removed },
      })
      await queueNotice(ctx, tx, { to: user, kind: 'mfa-reset' })
    }),
  )
  await ctx.changes.waitUntilCurrent()
}
