import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, toActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { toDisplayName } from '../lib/display-name.ts'
import { checkField, requireEmail, throwIfInvalid } from '../lib/field-validation.ts'
import { isId, newId } from '../lib/ids.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { reserveSeat } from '../licensing/seats/service.ts'
import { loadMailDesign, type MailDesign } from '../mail/design.ts'
import { queueMail } from '../mail/outbox.ts'
import type { CreatedInvitation } from '../tenants/invitation-body.ts'
import { createInvitedMember, deleteInvitedMember, extendInvitedMember, requireNotMember } from '../tenants/invited.ts'
import { requireManageable, type TenantActor } from '../tenants/permissions.ts'
import { getTenant } from '../tenants/service.ts'
import { findOrCreateInvitee } from '../users/placeholders.ts'
import { findUser, lockUser, type User } from '../users/service.ts'
import { expireOverdue } from './expiry.ts'
import { toInvitationMail } from './invitation-mail.ts'
import type { CreateInvitationRequest } from './schema.ts'
import {
  closeInvitation,
  findInvitation,
  type Invitation,
  insertInvitation,
  renewInvitation,
  setLicenseType,
} from './store.ts'
import { countInvitationMail } from './throttle.ts'

/**
 * Invitations to a tenant. Each is for one address and open until it is accepted, revoked or expired. Its token is only
 * in the mail. While it is open, the person is an INVITED member.
 */

const DAY_SECONDS = 86_400

const addSeconds = (date: Date, seconds: number) => new Date(date.getTime() + seconds * 1000)

/** Who creates, resends or revokes an invitation. */
export interface Inviter {
  caller: TenantActor
  request: FastifyRequest
  /** Set by bulk requests, which look it up once. */
  sender?: MailSender
}

export async function createInvitation(
  ctx: Ctx,
  tx: Tx,
  { caller, request, sender }: Inviter,
  body: CreateInvitationRequest,
): Promise<CreatedInvitation> {
  const { tenantId } = caller
  const email = requireEmail(body.email.trim(), 'email')
  const role = body.role ?? 'member'
  requireManageable(caller.role, role)
  const { expiresInDays } = body
  const lifetime = expiresInDays === undefined ? ctx.config.lifetimes.invitation : expiresInDays * DAY_SECONDS
  await expireOverdue(ctx, tx, { only: { tenantId, email } })
  const { id: userId, locale } = await findOrCreateInvitee(ctx, tx, email)
  await requireNotMember(tx, { tenantId, userId })
  await countInvitationMail(tx, caller, email)
  const now = ctx.now()
  const token = newSecret()
  const invitation = await insertInvitation(tx, {
    id: newId(),
    tenant_id: tenantId,
    email,
    role,
    status: 'PENDING',
    token_hash: hashSecret(token),
    lifetime,
    user_id: userId,
    invited_by: caller.kind === 'person' ? caller.userId : null,
    created_at: now,
    expires_at: addSeconds(now, lifetime),
  })
  if (!invitation) throw new AppError('INVITATION_EXISTS')
  const { id, expires_at: until } = invitation
  const inviteeId = await createInvitedMember(ctx, tx, { tenantId, userId, role, until })
  const seat = parseSeat(body)
  if (seat) {
    await reserveSeat(ctx, tx, { tenantId, actor: toActor(caller) }, { userId, ...seat })
    await setLicenseType(tx, id, seat.licenseTypeId)
  }
  const mail = { sender: sender ?? (await getSender(tx, caller)), invitation, token, locale }
  await queueInvitationMail(ctx, tx, mail)
  const details = { invitationId: id, after: { role, status: 'PENDING', expiresAt: until, ...seat } }
  const action = 'invitation.created'
  await recordInvitationEvent(ctx, tx, { action, caller, request, invitation, inviteeId, details })
  return toCreated(invitation)
}

/** The seat to reserve, if any. */
function parseSeat({ applicationId, licenseTypeId }: CreateInvitationRequest) {
  if (applicationId === undefined && licenseTypeId === undefined) return undefined
  throwIfInvalid([checkField(licenseTypeId !== undefined, 'licenseTypeId', t('is required with applicationId'))])
  return { applicationId: applicationId ?? '', licenseTypeId: licenseTypeId ?? '' }
}

const toCreated = ({ id, email, role, status, expires_at }: Invitation): CreatedInvitation => ({
  id,
  email,
  role,
  status,
  expiresAt: expires_at.toISOString(),
})

/** Sends the mail again with a new token and the original lifetime. The previous link becomes invalid. */
export async function resendInvitation(
  ctx: Ctx,
  tx: Tx,
  { caller, request, invitationId }: Inviter & { invitationId: string },
): Promise<void> {
  const { invitee, ...before } = await getInvitation(tx, { caller, invitationId })
  requireManageable(caller.role, before.role)
  const now = ctx.now()
  const token = newSecret()
  const expiresAt = addSeconds(now, before.lifetime)
  const invitation = await renewInvitation(tx, {
    id: before.id,
    tokenHash: hashSecret(token),
    now,
    expiresAt,
  })
  if (!invitation) throw new AppError('INVITATION_NOT_PENDING')
  const { tenant_id: tenantId, user_id: userId, email } = invitation
  await countInvitationMail(tx, caller, email)
  const inviteeId = userId ? await extendInvitedMember(tx, { tenantId, userId, until: expiresAt }) : undefined
  const sender = await getSender(tx, caller)
  const locale = invitee?.locale ?? null
  await queueInvitationMail(ctx, tx, { sender, invitation, token, locale })
  const details = {
    invitationId,
    before: { expiresAt: before.expires_at },
    after: { expiresAt },
  }
  const action = 'invitation.resent'
  await recordInvitationEvent(ctx, tx, { action, caller, request, invitation, inviteeId, details })
}

export async function revokeInvitation(
  ctx: Ctx,
  tx: Tx,
  { caller, request, invitationId }: Inviter & { invitationId: string },
): Promise<void> {
  const before = await getInvitation(tx, { caller, invitationId })
  requireManageable(caller.role, before.role)
  const invitation = await closeInvitation(tx, { id: before.id, now: ctx.now(), status: 'REVOKED' })
  if (!invitation) throw new AppError('INVITATION_NOT_PENDING')
  const details = { invitationId, before: { status: 'PENDING' }, after: { status: 'REVOKED' } }
  const { tenant_id: tenantId, user_id: userId } = invitation
  const inviteeId = userId ? await deleteInvitedMember(tx, { tenantId, userId }) : undefined
  const action = 'invitation.revoked'
  await recordInvitationEvent(ctx, tx, { action, caller, request, invitation, inviteeId, details })
}

/** The invitation, with the user row of the invitee locked first: the lock order of an acceptance. */
async function getInvitation(
  tx: Tx,
  { caller, invitationId: id }: { caller: TenantActor; invitationId: string },
): Promise<Invitation & { invitee: User | undefined }> {
  const key = { tenantId: caller.tenantId, id }
  const invitation = isId(id) ? await findInvitation(tx, key) : undefined
  if (!invitation) throw new AppError('INVITATION_NOT_FOUND')
  const { user_id: userId, status } = invitation
  const invitee = userId && status === 'PENDING' ? await lockUser(tx, userId) : undefined
  return { ...invitation, invitee }
}

/** The sender as named in the mail. */
export interface MailSender {
  tenantName: string
  /** Undefined for a client or an operator. */
  inviter: string | undefined
  design: MailDesign
}

export async function getSender(tx: Tx, caller: TenantActor): Promise<MailSender> {
  const { name: tenantName } = await getTenant(tx, caller.tenantId)
  const user = caller.kind === 'person' ? await findUser(tx, caller.userId) : undefined
  const design = await loadMailDesign(tx, 'invitation', caller)
  return { tenantName, inviter: user && toDisplayName(user), design }
}

interface InvitationMail {
  sender: MailSender
  invitation: Invitation
  token: string
  /** Of the invited person. */
  locale: string | null
}

async function queueInvitationMail(
  ctx: Ctx,
  tx: Tx,
  { sender, invitation, token, locale }: InvitationMail,
): Promise<void> {
  const { email, role, expires_at: expiresAt } = invitation
  await queueMail(ctx, tx, { email, locale }, toInvitationMail({ ...sender, token, role, expiresAt }))
}

interface InvitationEvent extends Inviter {
  action: 'invitation.created' | 'invitation.resent' | 'invitation.revoked'
  invitation: Invitation
  /** The user with the INVITED membership, if there is one. */
  inviteeId: string | undefined
  details: Record<string, unknown>
}

async function recordInvitationEvent(
  ctx: Ctx,
  tx: Tx,
  { action, caller, request, invitation, inviteeId, details }: InvitationEvent,
): Promise<void> {
  await recordAuditEvent(ctx, tx, {
    action,
    actor: toActor(caller),
    tenantId: invitation.tenant_id,
    ...(inviteeId && { userId: inviteeId }),
    request,
    details,
    personal: { email: invitation.email },
  })
}
