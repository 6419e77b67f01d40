import { recordAuditEvent, userActor } from '../../audit/record.ts'
import { toLogoUrl } from '../../branding/service.ts'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isId } from '../../lib/ids.ts'
import { lockCurrentUser, type PersonRequest } from '../confirm-identity.ts'
import { deleteConsents, deleteGrantsOf, listConsents } from './store.ts'

export interface OwnConsent {
  applicationId: string
  applicationName: string
  /** The path of the logo. */
  logoUrl: string | null
  tenantId: string | null
  tenantName: string | null
  scopes: string[]
  grantedAt: string
}

/** What the person has allowed third-party applications; the newest comes first. */
export async function listOwnConsents(ctx: Ctx, userId: string): Promise<OwnConsent[]> {
  const consents = await listConsents(ctx.db, userId)
  return consents.map((consent) => ({
    applicationId: consent.application_id,
    applicationName: consent.application_name,
    logoUrl: toLogoUrl(consent.logo_hash),
    tenantId: consent.tenant_id,
    tenantName: consent.tenant_name,
    scopes: consent.scopes,
    grantedAt: consent.granted_at.toISOString(),
  }))
}

/**
 * Withdraws the person's consents for one third-party application, or for all. Ends the tokens of these applications.
 * Returns the number of consents withdrawn.
 */
export async function withdrawConsents(
  ctx: Ctx,
  { caller, request }: PersonRequest,
  applicationId?: string,
): Promise<number> {
  if (applicationId !== undefined && !isId(applicationId)) throw new AppError('CONSENT_NOT_FOUND')
  const { userId } = caller
  const count = await ctx.db.transaction().execute(async (tx) => {
    await lockCurrentUser(tx, caller)
    const withdrawn = await deleteConsents(tx, { userId, applicationId })
    const applicationIds = [...new Set(withdrawn.map(({ application_id }) => application_id))]
    if (applicationIds.length > 0) await deleteGrantsOf(tx, { userId, applicationIds })
    for (const { application_id, tenant_id, scopes } of withdrawn) {
      await recordAuditEvent(ctx, tx, {
        action: 'user.consent_withdrawn',
        actor: userActor(userId),
        userId,
        request,
        ...(tenant_id !== null && { tenantId: tenant_id }),
        details: { applicationId: application_id, scopes },
      })
    }
    return withdrawn.length
  })
  if (count === 0 && applicationId !== undefined) throw new AppError('CONSENT_NOT_FOUND')
  await ctx.changes.waitUntilCurrent()
  return count
}
