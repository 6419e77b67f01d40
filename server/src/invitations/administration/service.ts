import type { FastifyRequest } from 'fastify'
import { actorOf } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { yielding } from '../../db/violations.ts'
import type { Caller } from '../../http/callers.ts'
import { demand, refuseProblems, requireEmail } from '../../lib/problems.ts'
import { addMember, getUser } from '../../tenants/administration/members.ts'
import { showTenant } from '../../tenants/administration/service.ts'
import { toOperator } from '../../tenants/permissions.ts'
import { createTenant } from '../../tenants/service.ts'
import { findUserByEmail, type User } from '../../users/service.ts'
import type { CreatedInvitation } from '../schema.ts'
import { type Inviting, invite } from '../service.ts'
import type { CreatedAdministeredTenant, NewAdministeredTenant } from './schema.ts'

/** Makes a tenant for somebody. Without an owner it waits until an operator gives it one. */
export async function createFor(
  ctx: Ctx,
  { caller, body, request }: { caller: Caller; body: NewAdministeredTenant; request: FastifyRequest },
): Promise<CreatedAdministeredTenant> {
  const { ownerId, ownerEmail, ...draft } = body
  const isOne = ownerId === undefined || ownerEmail === undefined
  refuseProblems([demand(isOne, 'ownerEmail', 'must be left out where ownerId says who it is')])
  const work = async (tx: Tx): Promise<CreatedAdministeredTenant> => {
    const { id } = await createTenant(ctx, tx, draft, { actor: actorOf(caller), request })
    const inviting = { caller: toOperator(caller, id), request }
    const invitation = await appoint(ctx, tx, inviting, { ownerId, ownerEmail })
    return { ...(await showTenant(tx, id)), invitation }
  }
  const created = await yielding(() => ctx.db.transaction().execute(work))
  await ctx.changes.settle()
  return created
}

/** Gives a new tenant its owner: at once if they are here, else by an invitation, which is the answer. */
async function appoint(
  ctx: Ctx,
  tx: Tx,
  { caller: operator, request }: Inviting,
  { ownerId, ownerEmail }: Pick<NewAdministeredTenant, 'ownerId' | 'ownerEmail'>,
): Promise<CreatedInvitation | null> {
  const common = { operator, role: 'owner', request } as const
  if (ownerId !== undefined) {
    await addMember(ctx, tx, { ...common, user: await getUser(tx, ownerId), field: 'ownerId' })
    return null
  }
  if (ownerEmail === undefined) return null
  const email = requireEmail(ownerEmail.trim(), 'ownerEmail')
  const user = await findUserByEmail(tx, email)
  if (!user || !isHere(user)) {
    return invite(ctx, tx, { caller: operator, request }, { email, role: 'owner' })
  }
  await addMember(ctx, tx, { ...common, user, field: 'ownerEmail' })
  return null
}

/** Who has not proven the address may be anybody, and who is leaving may not come back: the mail finds the right one. */
const isHere = ({ email_verified, deletion_requested_at }: User): boolean =>
  email_verified && deletion_requested_at === null
