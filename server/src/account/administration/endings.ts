import { record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { breaks, yielding } from '../../db/violations.ts'
import { AppError } from '../../errors.ts'
import { endPassword } from '../../sessions/ordered-passwords.ts'
import { endAllSessionsOf } from '../../sessions/overview.ts'
import { requireNoTenantAlone } from '../../tenants/ownership.ts'
import { restoreAccount, scheduleDeletion } from '../../users/deletion.ts'
import { dropFactors } from '../../users/factors/factors.ts'
import { notify } from '../../users/notices.ts'
import { type By, lockSubject, readUserId, refuseOwn, sourceOf } from './by.ts'

/** What whoever runs the instance ends for somebody else. Each is told by mail, for it hurts. */

/** Lets somebody go as if they had asked for it: at once, and for good some weeks later. Asked again, it changes nothing. */
export async function deleteAccount(ctx: Ctx, text: string, by: By): Promise<void> {
  const id = readUserId(text)
  refuseOwn(by, id)
  try {
    await yielding(() =>
      ctx.db.transaction().execute(async (tx) => {
        await requireNoTenantAlone(tx, id)
        const user = await lockSubject(tx, id)
        if (user.deletion_requested_at === null) await scheduleDeletion(ctx, tx, { user, ...sourceOf(by) })
      }),
    )
  } catch (error) {
    throw asSoleOwner(error) ?? error
  }
  await ctx.changes.settle()
}

/** A tenant needs them: as they would be told themselves, in words for somebody else. */
function asSoleOwner(error: unknown): AppError | undefined {
  const isKnown = error instanceof AppError && error.code === 'TENANT_OWNER'
  // They became the last owner of a tenant a moment ago.
  if (!isKnown && !breaks(error, 'tenants_keep_an_owner')) return undefined
  const message = 'This person is the last owner of a tenant. Make somebody else its owner first.'
  const details = isKnown ? error.details : undefined
  return new AppError('TENANT_OWNER', { message, cause: error, ...(details && { details }) })
}

/** Takes somebody back who is about to be erased. */
export async function restore(ctx: Ctx, text: string, by: By): Promise<void> {
  const id = readUserId(text)
  await yielding(() =>
    ctx.db.transaction().execute(async (tx) => {
      const user = await lockSubject(tx, id)
      const restored = await restoreAccount(ctx, tx, { user, ...sourceOf(by) })
      if (!restored) throw new AppError('NOT_SCHEDULED_FOR_DELETION')
    }),
  )
  await ctx.changes.settle()
}

/** Makes somebody choose another password: the one they have is worth nothing from now on. Says whether a link was mailed. */
export async function forcePasswordReset(ctx: Ctx, text: string, by: By): Promise<boolean> {
  const id = readUserId(text)
  const linkSent = await ctx.db.transaction().execute(async (tx) => {
    const user = await lockSubject(tx, id)
    const linkSent = await endPassword(ctx, tx, user)
    const details = { linkSent }
    await record(ctx, tx, { action: 'user.password_reset_forced', ...sourceOf(by), userId: id, details })
    return linkSent
  })
  await ctx.changes.settle()
  return linkSent
}

/** Signs somebody out everywhere. Says from how many devices. */
export async function endSessions(ctx: Ctx, text: string, by: By): Promise<number> {
  const id = readUserId(text)
  const count = await ctx.db.transaction().execute(async (tx) => {
    const user = await lockSubject(tx, id)
    const count = await endAllSessionsOf(ctx, tx, id)
    if (count > 0) {
      const entry = { ...sourceOf(by), userId: id, details: { count } }
      await record(ctx, tx, { action: 'session.all_ended', ...entry })
      await notify(ctx, tx, { to: user, kind: 'sessions-ended' })
    }
    return count
  })
  await ctx.changes.settle()
  return count
}

/** Takes all second factors from somebody who has lost them, and signs them out everywhere. */
export async function resetFactors(ctx: Ctx, text: string, by: By): Promise<void> {
  const id = readUserId(text)
  await ctx.db.transaction().execute(async (tx) => {
    const user = await lockSubject(tx, id)
    const dropped = await dropFactors(tx, id)
    if (!dropped) throw new AppError('MFA_NOT_ENROLLED', { message: 'This person has no second factor.' })
    await endAllSessionsOf(ctx, tx, id)
    const details = { ...dropped }
    await record(ctx, tx, { action: 'user.mfa_reset', ...sourceOf(by), userId: id, details })
    await notify(ctx, tx, { to: user, kind: 'mfa-reset' })
  })
  await ctx.changes.settle()
}
