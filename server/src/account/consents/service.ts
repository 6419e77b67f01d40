import { type ConsentChoice, withdrawConsents as withdrawConsentsOf } from '../../applications/consents/service.ts'
import { userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { lockCurrentUser, type PersonRequest } from '../confirm-identity.ts'

/** Withdraws the person's own consents, and ends the tokens that depend on them. Returns the number of consents. */
export async function withdrawOwnConsents(
  ctx: Ctx,
  { caller, request }: PersonRequest,
  choice: ConsentChoice,
): Promise<number> {
  const { userId } = caller
  const count = await ctx.db.transaction().execute(async (tx) => {
    await lockCurrentUser(tx, caller)
    return withdrawConsentsOf(ctx, tx, { ...choice, userId, actor: userActor(userId), request })
  })
  await ctx.changes.waitUntilCurrent()
  return count
}
