import type { Ctx } from '../context.ts'
import { isCheckViolation, retryOnDeadlock } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { OperatorError } from '../errors.ts'
import { withEntryContext } from './compare.ts'
import { describeChanges } from './describe.ts'
import { readDeclaration } from './file.ts'
import { type ApplyOptions, createPlan, type Plan, planChanges, prepareEntries } from './plan.ts'
import type { Change, Section } from './section.ts'
import { lockDeclarations } from './store.ts'

/** Re-exported, so that one import is enough to read, plan, describe and apply a declaration. */
export { describeChanges, planChanges, readDeclaration }

/** Applies all changes in one transaction. */
export async function applyChanges(ctx: Ctx, changes: Change[]): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await lockDeclarations(tx)
    await runChanges(tx, changes)
  })
}

interface ApplyRequest extends ApplyOptions {
  /** Throws to reject the plan. */
  approve(plan: Plan): void
  /** Once it aborts, nothing is committed. */
  signal?: AbortSignal
}

/** Plans and applies in one transaction and under a lock, so that exactly the approved plan is applied. */
export async function applyDeclaration(
  ctx: Ctx,
  sections: Section[],
  { approve, signal, prune, declaration: declared }: ApplyRequest,
): Promise<Plan> {
  const declaration = await prepareEntries(ctx, sections, declared)
  return inTransaction(ctx, async (tx) => {
    await lockDeclarations(tx)
    const plan = await createPlan({ ...ctx, db: tx }, sections, { declaration, prune })
    approve(plan)
    await runChanges(tx, plan.changes, signal)
    return plan
  })
}

async function runChanges(tx: Tx, changes: Change[], signal?: AbortSignal): Promise<void> {
  for (const change of changes) {
    signal?.throwIfAborted()
    await withEntryContext(change.subject, () => change.apply(tx))
  }
  for (const { subject, finish } of changes) {
    signal?.throwIfAborted()
    if (finish) await withEntryContext(subject, () => finish(tx))
  }
  // The last chance to abort before the commit.
  signal?.throwIfAborted()
}

async function inTransaction<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await retryOnDeadlock(() => ctx.db.transaction().execute(work))
  } catch (error) {
    if (!isCheckViolation(error, 'tenants_keep_an_owner')) throw error
    throw new OperatorError('A tenant that has an owner must keep one: name another owner first.', {
      cause: error,
    })
  }
}
