import type { FastifyRequest } from 'fastify'
import { type Action, type Actor, person, record, type Source, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { nameActor } from '../db/actor.ts'
import type { Tx } from '../db/open.ts'
import { clearDeletion, deleteUser, listAwaitingErasure, listTenancies } from './deletion/store.ts'
import { notify } from './notices.ts'
import { changeUser, type User } from './service.ts'

/**
 * Who asks to be forgotten is let go at once and erased some weeks later. Until then they may change their mind: their
 * address stays theirs, and the database finds their memberships again.
 */

/** How long one may change one's mind. */
export const GRACE_DAYS = 30
const GRACE_MS = GRACE_DAYS * 86_400_000

/** When somebody is erased who asked for it then. */
export const erasedAt = (requestedAt: Date): Date => new Date(requestedAt.getTime() + GRACE_MS)

/** Who lets whom go. Without a request, and by somebody else, when an operator does. */
interface Leaving {
  user: User
  actor?: Actor
  request?: FastifyRequest | undefined
}

/** Lets a person go. The database ends their sessions, with every token and link, and lays their memberships to rest. */
export async function scheduleDeletion(
  ctx: Ctx,
  tx: Tx,
  { user, actor = person(user.id), request }: Leaving,
): Promise<void> {
  const now = ctx.now()
  const { id: userId } = user
  await recordMemberships(ctx, tx, { userId, actor, request, action: 'member.left' })
  if (actor.kind === 'user') await nameActor(tx, userId)
  await changeUser(ctx, tx, user, { deletion_requested_at: now })
  await record(ctx, tx, { action: 'user.deletion_requested', actor, userId, request })
  const facts = [`It will be erased on ${erasedAt(now).toISOString().slice(0, 10)}.`]
  await notify(ctx, tx, { to: user, kind: 'deletion-requested', facts })
}

/** Takes a person back who has changed their mind; of several at once only the first does anything. */
export async function restoreAccount(ctx: Ctx, tx: Tx, user: User, request: FastifyRequest): Promise<void> {
  const { id: userId } = user
  if (!(await clearDeletion(tx, userId, ctx.now()))) return
  const actor = person(userId)
  await record(ctx, tx, { action: 'user.restored', actor, userId, request })
  await recordMemberships(ctx, tx, { userId, actor, request, action: 'member.returned' })
  await notify(ctx, tx, { to: user, kind: 'restored' })
}

/** The tenants of a person learn that they leave with their account, or return with it. */
async function recordMemberships(
  ctx: Ctx,
  tx: Tx,
  { userId, actor, request, action }: Source & { userId: string; action: Action },
): Promise<void> {
  for (const { tenant_id: tenantId, role, status } of await listTenancies(tx, userId)) {
    const state = action === 'member.left' ? { before: { role, status } } : { after: { role, status } }
    await record(ctx, tx, { action, actor, userId, tenantId, request, details: state })
  }
}

/** Some of the people whose time to change their mind is over. */
export async function listDue(ctx: Ctx, limit: number): Promise<string[]> {
  const due = await listAwaitingErasure(ctx.db, { askedBefore: lastChance(ctx), limit })
  return due.map(({ id }) => id)
}

/** Deletes a person whose time is over; undefined when they are gone already, or have come back just now. */
export async function eraseUser(ctx: Ctx, tx: Tx, id: string): Promise<{ email: string } | undefined> {
  const email = await deleteUser(tx, { id, askedBefore: lastChance(ctx) })
  if (email === undefined) return undefined
  await record(ctx, tx, { action: 'user.erased', actor: SYSTEM, userId: id })
  return { email }
}

const lastChance = (ctx: Ctx) => new Date(ctx.now().getTime() - GRACE_MS)
