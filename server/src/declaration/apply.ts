import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { breaks, yielding } from '../db/violations.ts'
import { OperatorError } from '../errors.ts'
import { inEntry } from './compare.ts'
import { describeChanges } from './describe.ts'
import { readDeclaration } from './file.ts'
import { makePlan, type Plan, planChanges, prepareEntries, type Wish } from './plan.ts'
import type { Change, Section } from './section.ts'
import { lockDeclarations } from './store.ts'

/** What it takes to apply a declaration, from the file to the plan in words. */
export { describeChanges, planChanges, readDeclaration }

/** All or nothing: the instance matches the declaration, or is as it was. */
export async function applyChanges(ctx: Ctx, changes: Change[]): Promise<void> {
  await inOneGo(ctx, async (tx) => {
    await lockDeclarations(tx)
    await makeChanges(tx, changes)
  })
}

interface Applying extends Wish {
  /** Whoever does not approve throws. */
  approve(plan: Plan): void
  /** Once it aborts, nothing is committed. */
  signal?: AbortSignal
}

/** Plans and applies in one transaction, with nobody else applying meanwhile: what is approved is what happens. */
export async function applyDeclaration(
  ctx: Ctx,
  sections: Section[],
  { approve, signal, prune, declaration: declared }: Applying,
): Promise<Plan> {
  const declaration = await prepareEntries(ctx, sections, declared)
  return inOneGo(ctx, async (tx) => {
    await lockDeclarations(tx)
    const plan = await makePlan({ ...ctx, db: tx }, sections, { declaration, prune })
    approve(plan)
    await makeChanges(tx, plan.changes, signal)
    return plan
  })
}

async function makeChanges(tx: Tx, changes: Change[], signal?: AbortSignal): Promise<void> {
  for (const change of changes) {
    signal?.throwIfAborted()
    await inEntry(change.subject, () => change.apply(tx))
  }
  for (const { subject, finish } of changes) {
    signal?.throwIfAborted()
    if (finish) await inEntry(subject, () => finish(tx))
  }
  // The last moment at which all of it can still be left undone.
  signal?.throwIfAborted()
}

async function inOneGo<T>(ctx: Ctx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await yielding(() => ctx.db.transaction().execute(work))
  } catch (error) {
    if (!breaks(error, 'tenants_keep_an_owner')) throw error
    throw new OperatorError('A tenant that has an owner must keep one: name another owner first.', {
      cause: error,
    })
  }
}
