import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type Actor, recordAuditEvents } from '../../audit/record.ts'
import { toLogoUrl } from '../../branding/service.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { toId } from '../../lib/ids.ts'
import { type ConsentBody, NO_TENANT } from './consent-body.ts'
import { type ConsentFilter, deleteConsents, deleteGrants, listConsents, lockGrants } from './store.ts'

export type Consent = Static<typeof ConsentBody>

/** What a person has allowed third-party applications; the newest comes first. */
export async function listConsentsOf(ctx: Ctx, userId: string): Promise<Consent[]> {
  const consents = await listConsents(ctx.db, { userId, now: ctx.now() })
  return consents.map((consent) => ({
    applicationId: consent.application_id,
    applicationName: consent.application_name,
    logoUrl: toLogoUrl(consent.logo_hash),
    tenantId: consent.tenant_id,
    tenantName: consent.tenant_name,
    scopes: consent.scopes,
    grantedAt: consent.granted_at.toISOString(),
    lastUsedAt: consent.last_used_at?.toISOString() ?? null,
  }))
}

/** Which consents to withdraw, as in a request. */
export interface ConsentChoice {
  /** Undefined: those for all applications. */
  applicationId?: string | undefined
  /** A tenant or `none`. Undefined: those in all tenants. */
  tenantId?: string | undefined
}

interface Withdrawal extends ConsentChoice {
  userId: string
  actor: Actor
  request: FastifyRequest
}

/**
 * Withdraws consents and ends the tokens that depend on them. The caller has locked the person. Returns the number of
 * consents withdrawn. Throws CONSENT_NOT_FOUND if there is none for the application.
 */
export async function withdrawConsents(ctx: Ctx, tx: Tx, { userId, actor, request, ...choice }: Withdrawal) {
  const filter = toFilter(userId, choice)
  const { applicationId, tenantId } = filter
  // A refresh that switches tenants either comes first, or finds no consent afterwards.
  if (applicationId !== undefined) await lockGrants(tx, { userId, tenantId, applicationIds: [applicationId] })
  const withdrawn = await deleteConsents(tx, filter)
  if (withdrawn.length === 0 && applicationId !== undefined) throw new AppError('CONSENT_NOT_FOUND')
  const applicationIds = [...new Set(withdrawn.map(({ application_id }) => application_id))]
  await deleteGrants(tx, { userId, tenantId, applicationIds })
  const events = withdrawn.map(({ application_id, tenant_id, scopes }) => ({
    action: 'user.consent_withdrawn' as const,
    actor,
    userId,
    request,
    ...(tenant_id !== null && { tenantId: tenant_id }),
    details: { applicationId: application_id, scopes },
  }))
  await recordAuditEvents(ctx, tx, events)
  return withdrawn.length
}

function toFilter(userId: string, choice: ConsentChoice): ConsentFilter {
  const applicationId = toId(choice.applicationId)
  const tenantId = choice.tenantId === NO_TENANT ? null : toId(choice.tenantId)
  const isUnknown = (given: string | undefined, id: string | null | undefined) =>
    given !== undefined && id === undefined
  if (isUnknown(choice.applicationId, applicationId) || isUnknown(choice.tenantId, tenantId)) {
    throw new AppError('CONSENT_NOT_FOUND')
  }
  return { userId, applicationId, tenantId }
}
