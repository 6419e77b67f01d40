import type { FastifyRequest } from 'fastify'
import { actorOf, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { displayNameOf } from '../lib/display-name.ts'
import { isId, newId } from '../lib/ids.ts'
import { demand, refuseProblems, requireEmail } from '../lib/problems.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { reserveSeat } from '../licensing/seats/service.ts'
import { queueMail } from '../mail/outbox.ts'
import { addInvited, dropInvited, keepInvited, requireNoMember } from '../tenants/invited.ts'
import { type Acting, requireReach } from '../tenants/permissions.ts'
import { getTenant } from '../tenants/service.ts'
import { holdInvitee } from '../users/placeholders.ts'
import { findUser, lockUser } from '../users/service.ts'
import { expire } from './expiry.ts'
import { invitationLetter } from './letters.ts'
import type { CreatedInvitation, InviteRequest } from './schema.ts'
import {
  findInvitation,
  type Invitation,
  insertInvitation,
  promiseSeat,
  renewInvitation,
  settleInvitation,
} from './store.ts'
import { requireLeisure } from './throttle.ts'

/**
 * Invitations bring people into a tenant. Each is for one address, open until it is accepted, revoked or overdue, and
 * its link stands in the mail alone. Meanwhile the person is an INVITED member.
 */

const DAY = 86_400

const after = (moment: Date, seconds: number) => new Date(moment.getTime() + seconds * 1000)

/** Who sends, sends again or revokes an invitation, and by which request. */
export interface Inviting {
  caller: Acting
  request: FastifyRequest
  /** What is the same in every mail of theirs, for who has looked it up already. */
  letterhead?: Letterhead
}

export async function invite(
  ctx: Ctx,
  tx: Tx,
  { caller, request, letterhead }: Inviting,
  wish: InviteRequest,
): Promise<CreatedInvitation> {
  const { tenantId } = caller
  const email = requireEmail(wish.email.trim(), 'email')
  const role = wish.role ?? 'member'
  requireReach(caller.role, role)
  const { expiresInDays } = wish
  const lifetime = expiresInDays === undefined ? ctx.config.lifetimes.invitation : expiresInDays * DAY
  await expire(ctx, tx, { of: { tenantId, email } })
  const { id: userId } = await holdInvitee(ctx, tx, email)
  await requireNoMember(tx, { tenantId, userId })
  await requireLeisure(tx, caller, email)
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
    expires_at: after(now, lifetime),
  })
  if (!invitation) throw new AppError('INVITATION_EXISTS')
  const { id, expires_at: until } = invitation
  const inviteeId = await addInvited(ctx, tx, { tenantId, userId, role, until })
  const seat = readSeat(wish)
  if (seat) {
    await reserveSeat(ctx, tx, { tenantId, actor: actorOf(caller) }, { userId, ...seat })
    await promiseSeat(tx, id, seat.licenseTypeId)
  }
  await post(ctx, tx, { letterhead: letterhead ?? (await letterheadOf(tx, caller)), invitation, token })
  const details = { invitationId: id, after: { role, status: 'PENDING', expiresAt: until, ...seat } }
  await note(ctx, tx, { action: 'invitation.created', caller, request, invitation, inviteeId, details })
  return toCreated(invitation)
}

/** The seat that is to be kept for them: of which application and type, or none. */
function readSeat({ applicationId, licenseTypeId }: InviteRequest) {
  if (applicationId === undefined && licenseTypeId === undefined) return undefined
  refuseProblems([demand(licenseTypeId !== undefined, 'licenseTypeId', 'is required with applicationId')])
  return { applicationId: applicationId ?? '', licenseTypeId: licenseTypeId ?? '' }
}

const toCreated = ({ id, email, role, status, expires_at }: Invitation): CreatedInvitation => ({
  id,
  email,
  role,
  status,
  expiresAt: expires_at.toISOString(),
})

/** Sends the mail again, with a link of its own and as much time as at first. The link before is worth nothing now. */
export async function resend(
  ctx: Ctx,
  tx: Tx,
  { caller, request, invitationId }: Inviting & { invitationId: string },
): Promise<void> {
  const known = await getInvitation(tx, { caller, invitationId })
  requireReach(caller.role, known.role)
  const now = ctx.now()
  const token = newSecret()
  const expiresAt = after(now, known.lifetime)
  const invitation = await renewInvitation(tx, {
    id: known.id,
    tokenHash: hashSecret(token),
    now,
    expiresAt,
  })
  if (!invitation) throw new AppError('INVITATION_NOT_PENDING')
  const { tenant_id: tenantId, user_id: userId, email } = invitation
  await requireLeisure(tx, caller, email)
  const inviteeId = userId ? await keepInvited(tx, { tenantId, userId, until: expiresAt }) : undefined
  await post(ctx, tx, { letterhead: await letterheadOf(tx, caller), invitation, token })
  const details = {
    invitationId,
    before: { expiresAt: known.expires_at },
    after: { expiresAt },
  }
  await note(ctx, tx, { action: 'invitation.resent', caller, request, invitation, inviteeId, details })
}

export async function revoke(
  ctx: Ctx,
  tx: Tx,
  { caller, request, invitationId }: Inviting & { invitationId: string },
): Promise<void> {
  const known = await getInvitation(tx, { caller, invitationId })
  requireReach(caller.role, known.role)
  const settled = { id: known.id, now: ctx.now(), status: 'REVOKED' } as const
  const invitation = await settleInvitation(tx, settled)
  if (!invitation) throw new AppError('INVITATION_NOT_PENDING')
  const details = { invitationId, before: { status: 'PENDING' }, after: { status: 'REVOKED' } }
  const { tenant_id: tenantId, user_id: userId } = invitation
  const inviteeId = userId ? await dropInvited(tx, { tenantId, userId }) : undefined
  await note(ctx, tx, { action: 'invitation.revoked', caller, request, invitation, inviteeId, details })
}

/** The invitation of this tenant, whose invitee nobody else changes: whoever accepts locks the person first too. */
async function getInvitation(
  tx: Tx,
  { caller, invitationId: id }: { caller: Acting; invitationId: string },
): Promise<Invitation> {
  const key = { tenantId: caller.tenantId, id }
  const invitation = isId(id) ? await findInvitation(tx, key) : undefined
  if (!invitation) throw new AppError('INVITATION_NOT_FOUND')
  if (invitation.user_id && invitation.status === 'PENDING') await lockUser(tx, invitation.user_id)
  return invitation
}

/** Who writes, and for which tenant. */
export interface Letterhead {
  tenantName: string
  /** Undefined: a machine, or an operator. */
  inviter: string | undefined
}

export async function letterheadOf(tx: Tx, caller: Acting): Promise<Letterhead> {
  const { name: tenantName } = await getTenant(tx, caller.tenantId)
  const sender = caller.kind === 'person' ? await findUser(tx, caller.userId) : undefined
  return { tenantName, inviter: sender && displayNameOf(sender) }
}

interface Posted {
  letterhead: Letterhead
  invitation: Invitation
  token: string
}

async function post(ctx: Ctx, tx: Tx, { letterhead, invitation, token }: Posted): Promise<void> {
  const { email, role, expires_at: expiresAt } = invitation
  await queueMail(ctx, tx, email, invitationLetter({ ...letterhead, token, role, expiresAt }))
}

interface Noted extends Inviting {
  action: 'invitation.created' | 'invitation.resent' | 'invitation.revoked'
  invitation: Invitation
  /** What is shown of whoever is invited, if anybody is a member by it. */
  inviteeId: string | undefined
  details: Record<string, unknown>
}

async function note(
  ctx: Ctx,
  tx: Tx,
  { action, caller, request, invitation, inviteeId, details }: Noted,
): Promise<void> {
  const { tenant_id: tenantId, email } = invitation
  const entry = { action, actor: actorOf(caller), tenantId, request, details, personal: { email } }
  await record(ctx, tx, { ...entry, ...(inviteeId && { userId: inviteeId }) })
}
