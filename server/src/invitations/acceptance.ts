import type { FastifyRequest } from 'fastify'
import { person, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { nameActor } from '../db/actor.ts'
import type { Db, Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { yielding } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import { displayNameOf } from '../lib/display-name.ts'
import { demand, refuseProblems } from '../lib/problems.ts'
import { readAnyName } from '../lib/profile-values.ts'
import { hashSecret } from '../lib/secrets.ts'
import { holdsWebAddress, NO_WEB_ADDRESS } from '../lib/text.ts'
import { keepPromise } from '../licensing/seats/service.ts'
import { join } from '../tenants/invited.ts'
import { hashChosenPassword } from '../users/chosen-password.ts'
import { inPasswordLine } from '../users/passwords.ts'
import { addInvitee, isPlaceholder } from '../users/placeholders.ts'
import { findUser, findUserByEmail, lockUser, type User } from '../users/service.ts'
import type { AcceptRequest, ShownInvitation } from './schema.ts'
import { type FoundInvitation, findInvitationByToken, holdTenant, settleInvitation } from './store.ts'

/**
 * The invitation behind a link, if it is open: else INVITATION_NOT_FOUND, _EXPIRED, _REVOKED or _ALREADY_ACCEPTED, or
 * TENANT_SUSPENDED where nobody can join for now.
 */
const getOpenInvitation = (ctx: Ctx, token: string): Promise<FoundInvitation> =>
  getOpen(ctx, ctx.db, hashSecret(token))

async function getOpen({ now }: Ctx, db: Db, tokenHash: Buffer): Promise<FoundInvitation> {
  const invitation = await findInvitationByToken(db, tokenHash)
  if (!invitation) throw new AppError('INVITATION_NOT_FOUND')
  const { status, expires_at } = invitation
  if (status === 'ACCEPTED') throw new AppError('INVITATION_ALREADY_ACCEPTED')
  if (status === 'REVOKED') throw new AppError('INVITATION_REVOKED')
  if (status === 'EXPIRED' || expires_at <= now()) throw new AppError('INVITATION_EXPIRED')
  if (invitation.tenant_suspended_at !== null) throw new AppError('TENANT_SUSPENDED')
  return invitation
}

/** What the page of an invitation shows to whoever holds its link. */
export async function showInvitation(ctx: Ctx, token: string): Promise<ShownInvitation> {
  const invitation = await getOpenInvitation(ctx, token)
  const { tenant_id, tenant_name, tenant_slug, role, email, expires_at } = invitation
  return {
    tenant: { id: tenant_id, name: tenant_name, slug: tenant_slug },
    role,
    email,
    invitedBy: inviterOf(invitation),
    expiresAt: expires_at.toISOString(),
    hasAccount: (await findAccount(ctx, email)) !== undefined,
  }
}

function inviterOf({ inviter_email, ...names }: FoundInvitation): { displayName: string } | null {
  return inviter_email === null ? null : { displayName: displayNameOf({ ...names, email: inviter_email }) }
}

async function findAccount({ db }: Ctx, email: string): Promise<User | undefined> {
  const user = await findUserByEmail(db, email)
  return user && !isPlaceholder(user) ? user : undefined
}

/** Who accepts, and how. */
export interface Acceptance {
  token: string
  /** Whoever is signed in; undefined: nobody. */
  userId: string | undefined
  body: AcceptRequest
  request: FastifyRequest
}

/** What somebody has joined. */
export interface Joined {
  user: User
  tenantId: string
  tenantName: string
  tenantSlug: string
}

/**
 * Makes whoever was invited an ACTIVE member. Who has an account must be signed in to it, with the very address; who
 * has none makes it now, and has shown by the link that the address is theirs. No account's password is changed here.
 */
export async function accept(ctx: Ctx, acceptance: Acceptance): Promise<Joined> {
  const invitation = await getOpenInvitation(ctx, acceptance.token)
  const joined =
    acceptance.userId === undefined
      ? await inPasswordLine(ctx, acceptance, () => acceptAsNewcomer(ctx, invitation, acceptance))
      : await acceptAs(ctx, invitation, { ...acceptance, userId: acceptance.userId })
  await ctx.changes.settle()
  return joined
}

async function acceptAs(
  ctx: Ctx,
  invitation: FoundInvitation,
  { userId, request }: Acceptance & { userId: string },
): Promise<Joined> {
  // Asked first without a lock: whoever may not accept holds up nobody who works in the tenant.
  await requireInvitee(ctx, ctx.db, { invitation, user: await findUser(ctx.db, userId) })
  return inTransaction(ctx, async (tx) => {
    await stayOpen(tx, invitation)
    const user = await requireInvitee(ctx, tx, { invitation, user: await lockUser(tx, userId) })
    return settle(ctx, tx, { invitation, user, request })
  })
}

/** The person, if the invitation is for them and their address is confirmed. */
async function requireInvitee(
  ctx: Ctx,
  db: Db,
  { invitation, user }: { invitation: FoundInvitation; user: User | undefined },
): Promise<User> {
  if (!user || user.disabled || user.deletion_requested_at !== null) {
    throw await signInFirst(ctx, db, invitation.token_hash)
  }
  if (user.email !== invitation.email) throw new AppError('INVITATION_EMAIL_MISMATCH')
  if (!user.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  return user
}

async function acceptAsNewcomer(
  ctx: Ctx,
  invitation: FoundInvitation,
  { body, request }: Acceptance,
): Promise<Joined> {
  const { email, token_hash: tokenHash } = invitation
  if (await findAccount(ctx, email)) throw await signInFirst(ctx, ctx.db, tokenHash)
  const { password, names } = readNewcomer(body)
  const traits = { email, names: Object.values(names), superAdmin: false }
  // Hashing takes its time, and holds no connection while it does.
  const password_hash = await hashChosenPassword(password, traits)
  return inTransaction(ctx, async (tx) => {
    await stayOpen(tx, invitation)
    const user = await addInvitee(ctx, tx, email, { ...names, password_hash })
    // Somebody made an account with the address meanwhile.
    if (!user) throw await signInFirst(ctx, tx, tokenHash)
    const { id: userId } = user
    const details = { invitationId: invitation.id }
    await record(ctx, tx, { action: 'user.registered', actor: person(userId), userId, request, details })
    return settle(ctx, tx, { invitation, user, request })
  })
}

const LONGEST_NAME = 100
const NAME_RULE = `must be one line of 1 to ${LONGEST_NAME} characters`

function readNewcomer({ password, givenName = '', familyName = '' }: AcceptRequest) {
  const names = { givenName: givenName.trim(), familyName: familyName.trim() }
  refuseProblems([
    demand(password !== undefined, 'password', 'is required'),
    ...Object.entries(names).flatMap(([field, name]) => [
      demand(readAnyName(name, LONGEST_NAME) !== undefined, field, NAME_RULE),
      demand(!holdsWebAddress(name), field, NO_WEB_ADDRESS),
    ]),
  ])
  const called: Names = { display_name: null, given_name: names.givenName, family_name: names.familyName }
  return { password: password ?? '', names: called }
}

/**
 * Whoever deletes or suspends a tenant waits for those who are joining it, or they for them, and then there is nothing
 * to join.
 */
async function stayOpen(tx: Tx, { tenant_id }: FoundInvitation): Promise<void> {
  const tenant = await holdTenant(tx, tenant_id)
  if (!tenant) throw new AppError('INVITATION_NOT_FOUND')
  if (tenant.suspended) throw new AppError('TENANT_SUSPENDED')
}

const inTransaction = <T>({ db }: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> =>
  yielding(() => db.transaction().execute(work))

interface Settlement {
  invitation: FoundInvitation
  user: User
  request: FastifyRequest
}

async function settle(ctx: Ctx, tx: Tx, { invitation, user, request }: Settlement): Promise<Joined> {
  const { id, token_hash: tokenHash, tenant_id: tenantId } = invitation
  const { tenant_name: tenantName, tenant_slug: tenantSlug } = invitation
  const now = ctx.now()
  const settled = await settleInvitation(tx, { id, tokenHash, now, status: 'ACCEPTED' })
  if (!settled) {
    // Somebody was quicker: what has become of it says why.
    await getOpen(ctx, tx, tokenHash)
    throw new AppError('INVITATION_NOT_FOUND')
  }
  const { id: userId } = user
  const { role, email } = settled
  await nameActor(tx, userId)
  await join(ctx, tx, { tenantId, userId, role })
  const { license_type_id: licenseTypeId } = settled
  if (licenseTypeId) {
    const granting = { tenantId, actor: person(userId), request }
    await keepPromise(ctx, tx, granting, { userId, licenseTypeId })
  }
  const common = { actor: person(userId), userId, tenantId, request }
  await record(ctx, tx, {
    ...common,
    action: 'invitation.accepted',
    details: { invitationId: id, before: { status: 'PENDING' }, after: { status: 'ACCEPTED' } },
    personal: { email },
  })
  await record(ctx, tx, {
    ...common,
    action: 'member.joined',
    details: { after: { role, status: 'ACTIVE' } },
  })
  return { user, tenantId, tenantName, tenantSlug }
}

/** Who made the account may have accepted with it just now: then that is what is said. */
async function signInFirst(ctx: Ctx, db: Db, tokenHash: Buffer): Promise<AppError> {
  await getOpen(ctx, db, tokenHash)
  return new AppError('UNAUTHORIZED', {
    message: 'There is an account with the address of this invitation: sign in to it to accept.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}
