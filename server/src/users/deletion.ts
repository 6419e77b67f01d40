import type { FastifyRequest } from 'fastify'
import { type Action, type Actor, record, SYSTEM } from '../audit/record.ts'
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

/** Whose account it is, and who asks: the person themselves, or somebody who runs the instance. */
export interface Farewell {
  user: User
  actor: Actor
  request?: FastifyRequest | undefined
}

const isOwn = ({ user, actor }: Farewell) => actor.kind === 'user' && actor.id === user.id

/** Lets a person go. The database ends their sessions, with every token and link, and lays their memberships to rest. */
export async function scheduleDeletion(ctx: Ctx, tx: Tx, farewell: Farewell): Promise<void> {
  const now = ctx.now()
  const { user, actor, request } = farewell
  const { id: userId } = user
  await recordMemberships(ctx, tx, { ...farewell, action: 'member.left' })
  await nameSource(tx, actor)
  await changeUser(ctx, tx, user, { deletion_requested_at: now })
  await record(ctx, tx, { action: 'user.deletion_requested', actor, userId, request })
  const facts = [`It will be erased on ${erasedAt(now).toISOString().slice(0, 10)}.`]
  const kind = isOwn(farewell) ? 'deletion-requested' : 'deletion-ordered'
  await notify(ctx, tx, { to: user, kind, facts })
}

/** What the database writes down of itself was done by whoever asks. */
const nameSource = (tx: Tx, { kind, id }: Actor): Promise<void> =>
  kind === 'system' || id === undefined ? Promise.resolve() : nameActor(tx, id, kind)

/** Takes a person back; of several who do it at once only the first does anything. Says whether it did. */
export async function restoreAccount(ctx: Ctx, tx: Tx, farewell: Farewell): Promise<boolean> {
  const { user, actor, request } = farewell
  const { id: userId } = user
  if (!(await clearDeletion(tx, userId, ctx.now()))) return false
  await record(ctx, tx, { action: 'user.restored', actor, userId, request })
  await recordMemberships(ctx, tx, { ...farewell, action: 'member.returned' })
  const kind = isOwn(farewell) ? 'restored' : 'restored-by-administrator'
  await notify(ctx, tx, { to: user, kind })
  return true
}

/** The tenants of a person learn that they leave with their account, or return with it. */
async function recordMemberships(
  ctx: Ctx,
  tx: Tx,
  { user, actor, request, action }: Farewell & { action: Action },
): Promise<void> {
  const { id: userId } = user
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

/**
 * Deletes a person whose time is over, unless they are gone already or have come back just now. What does not go with
 * them by itself, `forget` finds by their address. That it was done is written down last: after all that it explains.
 */
export async function eraseUser(
  ctx: Ctx,
  tx: Tx,
  { id, forget }: { id: string; forget(email: string): Promise<void> },
): Promise<void> {
  const email = await deleteUser(tx, { id, askedBefore: lastChance(ctx) })
  if (email === undefined) return
  await forget(email)
  await record(ctx, tx, { action: 'user.erased', actor: SYSTEM, userId: id })
}

const lastChance = (ctx: Ctx) => new Date(ctx.now().getTime() - GRACE_MS)
