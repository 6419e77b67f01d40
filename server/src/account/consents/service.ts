import { person, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isId } from '../../lib/ids.ts'
import { type Asking, lockSelf } from '../confirm-identity.ts'
import { deleteConsents, deleteGrantsOf } from './store.ts'

/**
 * Takes back what a person has allowed an application of others, or all of them. Their tokens end at once, and the next
 * sign-in there asks again. Returns how many consents there were.
 */
export async function withdrawConsents(
  ctx: Ctx,
  { caller, request }: Asking,
  applicationId?: string,
): Promise<number> {
  if (applicationId !== undefined && !isId(applicationId)) throw new AppError('CONSENT_NOT_FOUND')
  const { userId } = caller
  const count = await ctx.db.transaction().execute(async (tx) => {
    await lockSelf(tx, caller)
    const withdrawn = await deleteConsents(tx, { userId, applicationId })
    const applicationIds = [...new Set(withdrawn.map(({ application_id }) => application_id))]
    if (applicationIds.length > 0) await deleteGrantsOf(tx, { userId, applicationIds })
    for (const { application_id, tenant_id, scopes } of withdrawn) {
      await record(ctx, tx, {
        ...{ action: 'user.consent_withdrawn', actor: person(userId), userId, request },
        ...(tenant_id !== null && { tenantId: tenant_id }),
        details: { applicationId: application_id, scopes },
      })
    }
    return withdrawn.length
  })
  if (count === 0 && applicationId !== undefined) throw new AppError('CONSENT_NOT_FOUND')
  await ctx.changes.settle()
  return count
}
