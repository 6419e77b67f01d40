import type { FastifyRequest } from 'fastify'
import { type Action, type Actor, recordAuditEvent, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { setActor } from '../db/actor.ts'
import type { Tx } from '../db/open.ts'
import type { MailFact } from '../mail/mail.ts'
import { clearDeletion, deleteUser, listDeletionRequests, listJoinedMemberships } from './deletion-store.ts'
import { queueNotice } from './notices.ts'
import { changeUser, type User } from './service.ts'

/**
 * A deleted account is closed immediately and erased after a grace period. Until then it can be restored: it keeps its
 * address, and the database restores its memberships.
 */

export const GRACE_DAYS = 30
const GRACE_MS = GRACE_DAYS * 86_400_000

/** When an account is erased whose deletion was requested then. */
export const toErasureDate = (requestedAt: Date): Date => new Date(requestedAt.getTime() + GRACE_MS)

/** The account, and who deletes or restores it: its owner or an operator. */
export interface AccountAction {
  user: User
  actor: Actor
  /** Undefined for an operator's command. */
  request?: FastifyRequest | undefined
}

const isByOwner = ({ user, actor }: AccountAction) => actor.kind === 'user' && actor.id === user.id

/** Schedules the deletion. Database triggers end sessions, tokens and links, and deactivate the memberships. */
export async function scheduleDeletion(ctx: Ctx, tx: Tx, action: AccountAction): Promise<void> {
  const now = ctx.now()
  const { user, actor, request } = action
  const { id: userId } = user
  await recordMemberships(ctx, tx, { ...action, event: 'member.left' })
  await setDatabaseActor(tx, actor)
  await changeUser(ctx, tx, user, { deletion_requested_at: now })
  await recordAuditEvent(ctx, tx, { action: 'user.deletion_requested', actor, userId, request })
  const facts: MailFact[] = [{ label: 'erasedOn', value: toErasureDate(now) }]
  const kind = isByOwner(action) ? 'deletion-requested' : 'deletion-ordered'
  await queueNotice(ctx, tx, { to: user, kind, facts })
}

/** Sets the actor for the audit entries that database triggers write. */
const setDatabaseActor = (tx: Tx, { kind, id }: Actor): Promise<void> =>
  kind === 'system' || id === undefined ? Promise.resolve() : setActor(tx, id, kind)

/** Restores an account; returns whether it was scheduled for deletion. Of concurrent calls only one has an effect. */
export async function restoreAccount(ctx: Ctx, tx: Tx, action: AccountAction): Promise<boolean> {
  const { user, actor, request } = action
  const { id: userId } = user
  if (!(await clearDeletion(tx, userId, ctx.now()))) return false
  await recordAuditEvent(ctx, tx, { action: 'user.restored', actor, userId, request })
  await recordMemberships(ctx, tx, { ...action, event: 'member.returned' })
  const kind = isByOwner(action) ? 'restored' : 'restored-by-administrator'
  await queueNotice(ctx, tx, { to: user, kind })
  return true
}

/** Records the change in the audit log of each tenant. */
async function recordMemberships(
  ctx: Ctx,
  tx: Tx,
  { user, actor, request, event }: AccountAction & { event: Action },
): Promise<void> {
  const { id: userId } = user
  for (const { tenant_id: tenantId, role, status } of await listJoinedMemberships(tx, userId)) {
    const details = event === 'member.left' ? { before: { role, status } } : { after: { role, status } }
    await recordAuditEvent(ctx, tx, { action: event, actor, userId, tenantId, request, details })
  }
}

export async function listUsersDueForErasure(ctx: Ctx, limit: number): Promise<string[]> {
  const due = await listDeletionRequests(ctx.db, { requestedBefore: erasureCutoff(ctx), limit })
  return due.map(({ id }) => id)
}

/**
 * Erases a user after the grace period, unless the account was restored or erased meanwhile. `eraseRelated` deletes what
 * does not reference the user row. The audit event comes last, after the changes that it explains.
 */
export async function eraseUser(
  ctx: Ctx,
  tx: Tx,
  { id, eraseRelated }: { id: string; eraseRelated(email: string): Promise<void> },
): Promise<void> {
  const email = await deleteUser(tx, { id, requestedBefore: erasureCutoff(ctx) })
  if (email === undefined) return
  await eraseRelated(email)
  await recordAuditEvent(ctx, tx, { action: 'user.erased', actor: SYSTEM, userId: id })
}

const erasureCutoff = (ctx: Ctx) => new Date(ctx.now().getTime() - GRACE_MS)
