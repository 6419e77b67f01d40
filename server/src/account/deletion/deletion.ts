import { userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { isCheckViolation, retryOnDeadlock } from '../../db/errors.ts'
import { AppError } from '../../errors.ts'
import { forgetPerson } from '../../sessions/browser-session.ts'
import { requireNotLastOwner } from '../../tenants/ownership.ts'
import { scheduleDeletion } from '../../users/deletion.ts'
import { confirmIdentity, lockConfirmedUser, type PersonExchange } from '../confirm-identity.ts'

export const CONFIRMATION = 'DELETE MY ACCOUNT'

/** Schedules the person's own account for deletion. Sessions end immediately, erasure follows after the grace period. */
export async function requestDeletion(
  ctx: Ctx,
  exchange: PersonExchange,
  { password, confirmation }: { password?: string; confirmation: string },
): Promise<void> {
  if (confirmation !== CONFIRMATION) throw new AppError('INCORRECT_CONFIRMATION')
  const confirmed = await confirmIdentity(ctx, exchange, password)
  try {
    await retryOnDeadlock(() =>
      ctx.db.transaction().execute(async (tx) => {
        await requireNotLastOwner(tx, confirmed.id)
        const user = await lockConfirmedUser(tx, exchange, confirmed)
        await scheduleDeletion(ctx, tx, { user, actor: userActor(user.id), request: exchange.request })
      }),
    )
  } catch (error) {
    // The constraint fails when they became the last owner after the check.
    if (isCheckViolation(error, 'tenants_keep_an_owner')) throw new AppError('TENANT_OWNER', { cause: error })
    throw error
  }
  await ctx.changes.waitUntilCurrent()
  await forgetPerson(ctx, exchange)
}
