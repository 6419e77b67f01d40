import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { setActor } from '../db/actor.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import type { Db, Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { findRequestLanguage } from '../languages/current-language.ts'
import { t } from '../languages/translate.ts'
import { toDisplayName } from '../lib/display-name.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { parseImportedName } from '../lib/profile-values.ts'
import { hashSecret } from '../lib/secrets.ts'
import { containsWebAddress, NO_WEB_ADDRESS } from '../lib/text.ts'
import { grantReservedSeat } from '../licensing/seats/service.ts'
import { activateMembership } from '../tenants/invited.ts'
import { hashChosenPassword } from '../users/chosen-password.ts'
import { withPasswordAdmission } from '../users/passwords.ts'
import { completeInvitee, isPlaceholder } from '../users/placeholders.ts'
import { findUser, findUserByEmail, lockUser, type User } from '../users/service.ts'
import type { AcceptInvitationRequest, InvitationDetails } from './schema.ts'
import { closeInvitation, type FoundInvitation, findInvitationByToken, lockTenant } from './store.ts'

/**
 * The open invitation with this token. Throws INVITATION_NOT_FOUND, _EXPIRED, _REVOKED or _ALREADY_ACCEPTED, or
 * TENANT_SUSPENDED while nobody can join the tenant.
 */
const getOpenInvitation = (ctx: Ctx, token: string): Promise<FoundInvitation> =>
  getOpenByHash(ctx, ctx.db, hashSecret(token))

async function getOpenByHash({ now }: Ctx, db: Db, tokenHash: Buffer): Promise<FoundInvitation> {
  const invitation = await findInvitationByToken(db, tokenHash)
  if (!invitation) throw new AppError('INVITATION_NOT_FOUND')
  const { status, expires_at } = invitation
  if (status === 'ACCEPTED') throw new AppError('INVITATION_ALREADY_ACCEPTED')
  if (status === 'REVOKED') throw new AppError('INVITATION_REVOKED')
  if (status === 'EXPIRED' || expires_at <= now()) throw new AppError('INVITATION_EXPIRED')
  if (invitation.tenant_suspended_at !== null) throw new AppError('TENANT_SUSPENDED')
  return invitation
}

/** The details of an open invitation, for the holder of its link. */
export async function getInvitationDetails(ctx: Ctx, token: string): Promise<InvitationDetails> {
  const invitation = await getOpenInvitation(ctx, token)
  const { tenant_id, tenant_name, tenant_slug, role, email, expires_at } = invitation
  return {
    tenant: { id: tenant_id, name: tenant_name, slug: tenant_slug },
    role,
    email,
    invitedBy: toInviter(invitation),
    expiresAt: expires_at.toISOString(),
    hasAccount: (await findAccount(ctx, email)) !== undefined,
  }
}

function toInviter({ inviter_email, ...names }: FoundInvitation): { displayName: string } | null {
  return inviter_email === null ? null : { displayName: toDisplayName({ ...names, email: inviter_email }) }
}

async function findAccount({ db }: Ctx, email: string): Promise<User | undefined> {
  const user = await findUserByEmail(db, email)
  return user && !isPlaceholder(user) ? user : undefined
}

export interface Acceptance {
  token: string
  /** The signed-in user, if any. */
  userId: string | undefined
  body: AcceptInvitationRequest
  request: FastifyRequest
}

export interface AcceptedMembership {
  user: User
  tenantId: string
  tenantName: string
  tenantSlug: string
}

/**
 * Makes the invited person an ACTIVE member. A person with an account must be signed in to it, with the invited address.
 * A person without one creates it here; the link verifies the address. Existing passwords are never changed.
 */
export async function acceptInvitation(ctx: Ctx, acceptance: Acceptance): Promise<AcceptedMembership> {
  const invitation = await getOpenInvitation(ctx, acceptance.token)
  const membership =
    acceptance.userId === undefined
      ? await withPasswordAdmission(ctx, acceptance, () => acceptAsNewUser(ctx, invitation, acceptance))
      : await acceptAsUser(ctx, invitation, { ...acceptance, userId: acceptance.userId })
  await ctx.changes.waitUntilCurrent()
  return membership
}

async function acceptAsUser(
  ctx: Ctx,
  invitation: FoundInvitation,
  { userId, request }: Acceptance & { userId: string },
): Promise<AcceptedMembership> {
  // Checked first without locks, so that a request that must fail does not block the tenant.
  await requireInvitee(ctx, ctx.db, { invitation, user: await findUser(ctx.db, userId) })
  return inTransaction(ctx, async (tx) => {
    await lockActiveTenant(tx, invitation)
    const user = await requireInvitee(ctx, tx, { invitation, user: await lockUser(tx, userId) })
    return completeAcceptance(ctx, tx, { invitation, user, request })
  })
}

/** The user, if the invitation is for their address and the address is verified. */
async function requireInvitee(
  ctx: Ctx,
  db: Db,
  { invitation, user }: { invitation: FoundInvitation; user: User | undefined },
): Promise<User> {
  if (!user || user.disabled || user.deletion_requested_at !== null) {
    throw await toSignInRequired(ctx, db, invitation.token_hash)
  }
  if (user.email !== invitation.email) throw new AppError('INVITATION_EMAIL_MISMATCH')
  if (!user.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  return user
}

async function acceptAsNewUser(
  ctx: Ctx,
  invitation: FoundInvitation,
  { body, request }: Acceptance,
): Promise<AcceptedMembership> {
  const { email, token_hash: tokenHash } = invitation
  if (await findAccount(ctx, email)) throw await toSignInRequired(ctx, ctx.db, tokenHash)
  const { password, names } = parseNewUser(body)
  const traits = { email, names: Object.values(names), superAdmin: false }
  // Hashing is slow, so it runs before the transaction and holds no connection.
  const password_hash = await hashChosenPassword(password, traits)
  return inTransaction(ctx, async (tx) => {
    await lockActiveTenant(tx, invitation)
    const user = await completeInvitee(ctx, tx, email, {
      ...names,
      password_hash,
      locale: findRequestLanguage() ?? null,
    })
    // An account with the address was created meanwhile.
    if (!user) throw await toSignInRequired(ctx, tx, tokenHash)
    const { id: userId } = user
    await recordAuditEvent(ctx, tx, {
      action: 'user.registered',
      actor: userActor(userId),
      userId,
      request,
      details: { invitationId: invitation.id },
    })
    return completeAcceptance(ctx, tx, { invitation, user, request })
  })
}

const MAX_NAME_LENGTH = 100

function parseNewUser({ password, givenName = '', familyName = '' }: AcceptInvitationRequest) {
  const input = { givenName: givenName.trim(), familyName: familyName.trim() }
  const nameRule = t('must be one line of 1 to {max} characters', { max: MAX_NAME_LENGTH })
  throwIfInvalid([
    checkField(password !== undefined, 'password', t('is required')),
    ...Object.entries(input).flatMap(([field, name]) => [
      checkField(parseImportedName(name, MAX_NAME_LENGTH) !== undefined, field, nameRule),
      checkField(!containsWebAddress(name), field, t(NO_WEB_ADDRESS)),
    ]),
  ])
  const names: Names = { display_name: null, given_name: input.givenName, family_name: input.familyName }
  return { password: password ?? '', names }
}

/** Serializes with the deletion and suspension of the tenant: nobody joins a tenant that is deleted or suspended. */
async function lockActiveTenant(tx: Tx, { tenant_id }: FoundInvitation): Promise<void> {
  const tenant = await lockTenant(tx, tenant_id)
  if (!tenant) throw new AppError('INVITATION_NOT_FOUND')
  if (tenant.suspended) throw new AppError('TENANT_SUSPENDED')
}

const inTransaction = <T>({ db }: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryOnDeadlock(() => db.transaction().execute(work))

interface AcceptanceByUser {
  invitation: FoundInvitation
  user: User
  request: FastifyRequest
}

async function completeAcceptance(
  ctx: Ctx,
  tx: Tx,
  { invitation, user, request }: AcceptanceByUser,
): Promise<AcceptedMembership> {
  const { id, token_hash: tokenHash, tenant_id: tenantId } = invitation
  const { tenant_name: tenantName, tenant_slug: tenantSlug } = invitation
  const now = ctx.now()
  const accepted = await closeInvitation(tx, { id, tokenHash, now, status: 'ACCEPTED' })
  if (!accepted) {
    // The invitation was closed concurrently: throws the error for its current status.
    await getOpenByHash(ctx, tx, tokenHash)
    throw new AppError('INVITATION_NOT_FOUND')
  }
  const { id: userId } = user
  const { role, email } = accepted
  await setActor(tx, userId)
  await activateMembership(ctx, tx, { tenantId, userId, role })
  const { license_type_id: licenseTypeId } = accepted
  if (licenseTypeId) {
    const source = { tenantId, actor: userActor(userId), request }
    await grantReservedSeat(ctx, tx, source, { userId, licenseTypeId })
  }
  const common = { actor: userActor(userId), userId, tenantId, request }
  await recordAuditEvent(ctx, tx, {
    ...common,
    action: 'invitation.accepted',
    details: { invitationId: id, before: { status: 'PENDING' }, after: { status: 'ACCEPTED' } },
    personal: { email },
  })
  await recordAuditEvent(ctx, tx, {
    ...common,
    action: 'member.joined',
    details: { after: { role, status: 'ACTIVE' } },
  })
  return { user, tenantId, tenantName, tenantSlug }
}

/** Throws if the invitation was closed meanwhile, for example accepted with the account. */
async function toSignInRequired(ctx: Ctx, db: Db, tokenHash: Buffer): Promise<AppError> {
  await getOpenByHash(ctx, db, tokenHash)
  return new AppError('UNAUTHORIZED', {
    message: t('There is an account with the address of this invitation: sign in to it to accept.'),
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}
