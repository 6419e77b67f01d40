import type { FastifyRequest } from 'fastify'
import { type Actor, type AuditSource, operatorOf } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { type DurabilityCheck, openDurabilityCheck } from '../../db/durable.ts'
import { retryOnDeadlock } from '../../db/errors.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { queueForTenant } from '../../tenants/tenant-queue.ts'
import { findRevision, lockTenant, managesSeats } from './store.ts'

/** The tenant whose seats are changed, and by whom. */
export interface GrantContext {
  tenantId: string
  actor: Actor
  request?: FastifyRequest | undefined
  /** The actor's right comes from a role in the tenant, which is checked again under the lock. */
  byRole?: boolean
  /** Operators may change seats also while the tenant is suspended. */
  asOperator?: boolean
}

/** A result, and the revision of the tenant's ledger after it. */
export interface WithRevision<T> {
  result: T
  revision: string
}

/** Changes seats of one tenant, and reads the revision of its ledger afterwards. */
export const inSeatTransaction = <T>(
  ctx: Ctx,
  context: GrantContext,
  work: (tx: Tx) => Promise<T>,
): Promise<WithRevision<T>> =>
  inSeatTransactionWithRevision(ctx, context, async (tx) => ({
    result: await work(tx),
    revision: await findRevision(tx, context.tenantId),
  }))

/**
 * Changes seats of one tenant in a transaction with row-level security. The work itself returns the revision. What it
 * changes is on disk and known to this node before this returns.
 */
export async function inSeatTransactionWithRevision<T>(
  ctx: Ctx,
  { tenantId, actor, request, byRole = false, asOperator = false }: GrantContext,
  work: (tx: Tx) => Promise<WithRevision<T>>,
): Promise<WithRevision<T>> {
  const attempt = () =>
    ctx.db.transaction().execute(async (tx) => {
      const tenant = await lockTenant(tx, tenantId, actorText({ actor, request }))
      if (!tenant) throw new AppError('TENANT_NOT_FOUND')
      if (tenant.suspended && !asOperator) throw new AppError('TENANT_SUSPENDED')
      if (byRole && !(await managesSeats(tx, tenantId, actor.id))) throw new AppError('FORBIDDEN')
      return work(tx)
    })
  const durability = await openDurabilityCheck(ctx.db)
  const done = await retryOnDeadlock(() => queueForTenant(ctx, tenantId, attempt))
  await untilDurableAndKnown(ctx, durability)
  return done
}

/** The actor as the ledger stores it: the operator, if one acts as the user. */
export function actorText(source: AuditSource): string | undefined {
  const { kind, id } = source.actor
  return id === undefined ? undefined : `${kind}:${operatorOf(source) ?? id}`
}

/** Waits until what was committed is on disk and known to this node. */
export const untilDurableAndKnown = (ctx: Ctx, durability: DurabilityCheck): Promise<unknown> =>
  Promise.all([durability.waitUntilDurable(), ctx.changes.waitUntilCurrent()])
