import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { callWitness, type Witness } from '../../db/durable.ts'
import type { Tx } from '../../db/open.ts'
import { yielding } from '../../db/violations.ts'
import { AppError } from '../../errors.ts'
import { inTurn } from '../../tenants/turns.ts'
import { findRevision, lockAndEnter, mayGiveSeats } from './store.ts'

/** For which tenant, by whom. */
export interface Granting {
  tenantId: string
  actor: Actor
  request?: FastifyRequest | undefined
  /** They may because of their role in the tenant, which may have changed while they waited. */
  byRole?: boolean
  /** They run the instance, and may also while the tenant is suspended. */
  asOperator?: boolean
}

/** Something done, and how far the tenant's ledger came by it. */
export interface Settled<T> {
  result: T
  revision: string
}

/** Does work on the seats of one tenant, and finds out how far its ledger came by it. */
export const inLedger = <T>(
  ctx: Ctx,
  entering: Entering,
  work: (tx: Tx) => Promise<T>,
): Promise<Settled<T>> =>
  inOpenLedger(ctx, entering, async (tx) => ({
    result: await work(tx),
    revision: await findRevision(tx, entering.tenantId),
  }))

type Entering = Omit<Granting, 'request'>

/**
 * Does work on the seats of one tenant, behind the wall between tenants; the work itself knows how far its ledger came by
 * it. What it changes is on the disk and known to this node before anybody hears of it.
 */
export async function inOpenLedger<T>(
  ctx: Ctx,
  { tenantId, actor, byRole = false, asOperator = false }: Entering,
  work: (tx: Tx) => Promise<Settled<T>>,
): Promise<Settled<T>> {
  const attempt = () =>
    ctx.db.transaction().execute(async (tx) => {
      const tenant = await lockAndEnter(tx, tenantId, actorText(actor))
      if (!tenant) throw new AppError('TENANT_NOT_FOUND')
      if (tenant.suspended && !asOperator) throw new AppError('TENANT_SUSPENDED')
      if (byRole && !(await mayGiveSeats(tx, tenantId, actor.id))) throw new AppError('FORBIDDEN')
      return work(tx)
    })
  const witness = await callWitness(ctx.db)
  const settled = await yielding(() => inTurn(ctx, tenantId, attempt))
  await untilKnown(ctx, witness)
  return settled
}

/** Who does it, as the ledger has it. */
export const actorText = ({ kind, id }: Actor): string | undefined =>
  id === undefined ? undefined : `${kind}:${id}`

/** Waits until what was committed is on the disk, and known to this node. */
export const untilKnown = (ctx: Ctx, witness: Witness): Promise<unknown> =>
  Promise.all([witness.untilDurable(), ctx.changes.settle()])
