import type { FastifyRequest } from 'fastify'
import { toActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { retryOnDeadlock } from '../../db/errors.ts'
import type { Tx } from '../../db/open.ts'
import type { Caller } from '../../http/routing/callers.ts'
import { t } from '../../languages/translate.ts'
import { checkField, requireEmail, throwIfInvalid } from '../../lib/field-validation.ts'
import { findUserByEmail, type User } from '../../users/service.ts'
import type { CreatedInvitation } from '../invitation-body.ts'
import { type TenantActor, toOperatorActor } from '../permissions.ts'
import { createTenant } from '../service.ts'
import { addMember, getUser } from './add-member.ts'
import type { CreateAdminTenantRequest, CreatedAdminTenant } from './schema.ts'
import { getAdministeredTenant } from './service.ts'

/** Invites a person to the tenant of the caller. `app.ts` passes the function of the slice `invitations`. */
export type Invite = (
  ctx: Ctx,
  tx: Tx,
  inviter: { caller: TenantActor; request: FastifyRequest },
  invitee: { email: string; role: 'owner' },
) => Promise<CreatedInvitation>

interface TenantCreation {
  caller: Caller
  body: CreateAdminTenantRequest
  request: FastifyRequest
  invite: Invite
}

/** Creates a tenant. The owner is optional: an operator can add one later. */
export async function createAdministeredTenant(
  ctx: Ctx,
  { caller, body, request, invite }: TenantCreation,
): Promise<CreatedAdminTenant> {
  const { ownerId, ownerEmail, ...draft } = body
  const hasOneOwner = ownerId === undefined || ownerEmail === undefined
  throwIfInvalid([checkField(hasOneOwner, 'ownerEmail', t('cannot be given together with ownerId'))])
  const work = async (tx: Tx): Promise<CreatedAdminTenant> => {
    const { id } = await createTenant(ctx, tx, draft, { actor: toActor(caller), request })
    const operator = toOperatorActor(caller, id)
    const invitation = await addOrInviteOwner(ctx, tx, { operator, request, invite, ownerId, ownerEmail })
    return { ...(await getAdministeredTenant(tx, id)), invitation }
  }
  const created = await retryOnDeadlock(() => ctx.db.transaction().execute(work))
  await ctx.changes.waitUntilCurrent()
  return created
}

interface OwnerAddition extends Pick<CreateAdminTenantRequest, 'ownerId' | 'ownerEmail'> {
  operator: TenantActor
  request: FastifyRequest
  invite: Invite
}

/** Adds a user with an account as owner, and invites anybody else. Returns the invitation, if any. */
async function addOrInviteOwner(
  ctx: Ctx,
  tx: Tx,
  { operator, request, invite, ownerId, ownerEmail }: OwnerAddition,
): Promise<CreatedInvitation | null> {
  const common = { operator, role: 'owner', request } as const
  if (ownerId !== undefined) {
    await addMember(ctx, tx, { ...common, user: await getUser(tx, ownerId), field: 'ownerId' })
    return null
  }
  if (ownerEmail === undefined) return null
  const email = requireEmail(ownerEmail.trim(), 'ownerEmail')
  const user = await findUserByEmail(tx, email)
  if (!user || !canBeAdded(user)) {
    return invite(ctx, tx, { caller: operator, request }, { email, role: 'owner' })
  }
  await addMember(ctx, tx, { ...common, user, field: 'ownerEmail' })
  return null
}

/** Otherwise the person is invited: an unverified address may be another person's, a deleted account may not return. */
const canBeAdded = ({ email_verified, deletion_requested_at }: User): boolean =>
  email_verified && deletion_requested_at === null
