import { person } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { breaks, yielding } from '../../db/violations.ts'
import { AppError } from '../../errors.ts'
import type { Exchange } from '../../http/exchange.ts'
import { forgetCookie } from '../../sessions/browser-session.ts'
import { requireNoTenantAlone } from '../../tenants/ownership.ts'
import { scheduleDeletion } from '../../users/deletion.ts'
import { type Asking, confirmIdentity, stayConfirmed } from '../confirm-identity.ts'

export const CONFIRMATION = 'DELETE MY ACCOUNT'

/** Lets a person go who wants to: at once, and for good when the time to change their mind is over. */
export async function requestDeletion(
  ctx: Ctx,
  asking: Asking & Exchange,
  { password, confirmation }: { password?: string; confirmation: string },
): Promise<void> {
  if (confirmation !== CONFIRMATION) throw new AppError('INCORRECT_CONFIRMATION')
  const confirmed = await confirmIdentity(ctx, asking, password)
  try {
    await yielding(() =>
      ctx.db.transaction().execute(async (tx) => {
        await requireNoTenantAlone(tx, confirmed.id)
        const user = await stayConfirmed(tx, asking, confirmed)
        await scheduleDeletion(ctx, tx, { user, actor: person(user.id), request: asking.request })
      }),
    )
  } catch (error) {
    // They became the last owner of a tenant a moment ago.
    if (breaks(error, 'tenants_keep_an_owner')) throw new AppError('TENANT_OWNER', { cause: error })
    throw error
  }
  await ctx.changes.settle()
  forgetCookie(ctx, asking.reply)
}
