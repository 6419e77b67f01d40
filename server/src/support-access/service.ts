import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, toActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { countAgainstLimit } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import type { Caller, Person } from '../http/routing/callers.ts'
import { t, translatable } from '../languages/translate.ts'
import { toDisplayName } from '../lib/display-name.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { toId } from '../lib/ids.ts'
import { isPlainLine, isVisible } from '../lib/text.ts'
import { loadMailDesign } from '../mail/design.ts'
import { queueMail } from '../mail/outbox.ts'
import { createSupportSession } from '../sessions/support/session.ts'
import { lacksSecondFactor } from '../tenants/mfa-policy.ts'
import { listRecipients } from '../tenants/recipients.ts'
import { getTenant } from '../tenants/service.ts'
import { withTenantAsOperator } from '../tenants/tenant-scope.ts'
import type { StartedSupportAccess, StartSupportAccessRequest } from './schema.ts'
import { findMembership, type LockedUser, lockSession, lockUsers } from './store.ts'

/**
 * Support access: a Super Admin acts as a member of a tenant for a short time. The tenant must allow it, and sees all of
 * it in its audit log.
 */

/** How recently the operator must have signed in. */
const RECENT_MS = 60 * 60_000
/** Each start mails the member and the owners. */
const STARTS = { name: 'support-access', max: 10, seconds: 3_600 }
const NO_OWNER = translatable('This tenant has no active owner with a confirmed address, who must be told.')
export const OPEN_PATH = '/support-access/open'

interface Start {
  caller: Caller
  request: FastifyRequest
  tenantId: string
  userId: string
  body: StartSupportAccessRequest
}

/** Starts a session for the member. It is opened by a link that works once, in the operator's browser. */
export async function startSupportAccess(ctx: Ctx, start: Start): Promise<StartedSupportAccess> {
  const { caller, request, body } = start
  if (caller.kind !== 'person') throw new AppError('FORBIDDEN', { message: t('Only a person can act as a member.') })
  const reason = parseReason(body.reason)
  const userId = toId(start.userId)
  if (userId === undefined) throw new AppError('MEMBER_NOT_FOUND')
  const endsAt = new Date(ctx.now().getTime() + body.minutes * 60_000)
  return withTenantAsOperator(ctx, { caller, tenantId: start.tenantId, readOnly: false }, async (tx, { tenantId }) => {
    const { own, ...people } = await requireEligible(ctx, tx, { caller, tenantId, userId })
    await countAgainstLimit(tx, STARTS, caller.userId)
    const { id, code } = await createSupportSession(ctx, tx, { own, userId, tenantId, endsAt, request })
    await recordAuditEvent(ctx, tx, {
      action: 'support_access.started',
      actor: toActor(caller),
      userId,
      tenantId,
      request,
      details: { sessionId: id, reason, endsAt: endsAt.toISOString() },
    })
    await notify(ctx, tx, { ...people, reason, endsAt })
    return { id, url: `${ctx.config.baseUrl}${OPEN_PATH}?code=${code}`, endsAt: endsAt.toISOString() }
  })
}

function parseReason(text: string): string {
  const reason = text.trim()
  const isValid = reason.length >= 10 && reason.length <= 500 && isPlainLine(reason) && isVisible(reason)
  throwIfInvalid([checkField(isValid, 'reason', t('must be 10 to 500 characters on one line'))])
  return reason
}

/** Locks everything that the permission depends on: what takes it away later ends the session by a trigger. */
async function requireEligible(
  ctx: Ctx,
  tx: Tx,
  { caller, tenantId, userId }: { caller: Person; tenantId: string; userId: string },
) {
  if (caller.userId === userId) throw new AppError('OWN_ACCOUNT')
  const tenant = await getTenant(tx, tenantId)
  if (!tenant.support_access) throw new AppError('SUPPORT_ACCESS_OFF')
  if (tenant.suspended_at !== null) throw new AppError('TENANT_SUSPENDED')
  const membership = await findMembership(tx, { tenantId, userId })
  if (!membership) throw new AppError('MEMBER_NOT_FOUND')
  const users = await lockUsers(tx, [caller.userId, userId])
  const operator = users.find(({ id }) => id === caller.userId)
  const member = users.find(({ id }) => id === userId)
  const session = await lockSession(tx, { id: caller.sessionId, userId: caller.userId })
  if (!operator?.is_super_admin || operator.disabled || !session) throw new AppError('FORBIDDEN')
  if (session.auth_time.getTime() < ctx.now().getTime() - RECENT_MS)
    throw new AppError('REAUTHENTICATION_REQUIRED', {
      message: t('You signed in more than an hour ago. Sign in again to act as a member.'),
    })
  const problem = member && findProblem(member, membership.status)
  if (!member || problem !== undefined) {
    throw new AppError('SUPPORT_ACCESS_REFUSED', problem === undefined ? {} : { message: problem })
  }
  // The operator may be an owner, but need not be told.
  const exceptIds = [userId, caller.userId]
  const owners = await listRecipients(tx, { tenantId, roles: ['owner'], exceptIds })
  if (owners.length === 0 && membership.role !== 'owner') {
    throw new AppError('SUPPORT_ACCESS_REFUSED', { message: t(NO_OWNER) })
  }
  // The member's own second factor says nothing about the operator.
  if (lacksSecondFactor(tenant.mfa_policy, session.amr)) throw new AppError('MFA_REQUIRED')
  const own = {
    id: caller.sessionId,
    userId: operator.id,
    superAdmin: true,
    authTime: session.auth_time,
    authTimeAssumed: session.auth_time_assumed,
    amr: session.amr,
  }
  return { tenant, member, operator, owners, own }
}

function findProblem(member: LockedUser, status: string): string | undefined {
  if (member.is_super_admin) return t('Nobody can act as a Super Admin.')
  if (!member.email_verified) return t('The address of this member is not confirmed, so nobody can tell them.')
  if (member.disabled || member.deletion_requested_at !== null) return t('The account of this member is not active.')
  return status === 'ACTIVE' ? undefined : t('This person is not an active member of the tenant.')
}

interface Facts {
  tenant: { id: string; name: string }
  member: LockedUser
  operator: LockedUser
  /** Without the member and the operator. */
  owners: { email: string; locale: string | null }[]
  reason: string
  endsAt: Date
}

/** These mails come from the operator, so they do not have the brand of the tenant. */
async function notify(ctx: Ctx, tx: Tx, { tenant, member, operator, owners, reason, endsAt }: Facts): Promise<void> {
  const values = { tenant: tenant.name, operator: toDisplayName(operator), member: toDisplayName(member) }
  const origin = { tenantId: tenant.id, fromOperator: true }
  const facts = [
    { label: 'reason' as const, value: reason },
    { label: 'until' as const, value: endsAt },
  ]
  await queueMail(ctx, tx, member.email, {
    kind: 'support-access',
    values: { tenant: values.tenant, operator: values.operator },
    facts,
    path: '/account/sessions',
    origin,
  })
  const kind = 'tenant-support-access'
  const design = await loadMailDesign(tx, kind, origin)
  for (const owner of owners) await queueMail(ctx, tx, owner, { kind, values, facts, path: '/console', design })
}
