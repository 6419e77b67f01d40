import { type Consent, type ConsentChoice, listConsentsOf, withdrawConsents } from '../applications/consents/service.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { type AdminRequest, getLockedUser, parseUserId, toAuditSource } from './admin-request.ts'
import { getUser } from './service.ts'

/** What a person has allowed third-party applications. */
export async function listUserConsents(ctx: Ctx, userId: string): Promise<Consent[]> {
  const { id } = await getUser(ctx, userId)
  return listConsentsOf(ctx, id)
}

/** Withdraws consents of a person, and ends the tokens that depend on them. Returns the number of consents. */
export async function withdrawUserConsents(
  ctx: Ctx,
  userId: string,
  { choice, ...adminRequest }: AdminRequest & { choice: ConsentChoice },
): Promise<number> {
  const id = parseUserId(userId)
  const count = await ctx.db.transaction().execute(async (tx) => {
    await getLockedUser(tx, id)
    try {
      return await withdrawConsents(ctx, tx, { ...choice, userId: id, ...toAuditSource(adminRequest) })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'CONSENT_NOT_FOUND') throw error
      throw new AppError('CONSENT_NOT_FOUND', { message: t('This person has not given consent to this application.') })
    }
  })
  await ctx.changes.waitUntilCurrent()
  return count
}
