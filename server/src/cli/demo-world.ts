import { fileURLToPath } from 'node:url'
import type { Ctx } from '../context.ts'
import { DEMO_WORLD, findFact, isEmptyInstance, recordFact } from '../db/instance.ts'
import { OperatorError } from '../errors.ts'

export const DEMO_PASSWORD = 'latchkey-demo-2026'

const DECLARATION = fileURLToPath(new URL('../../../demo/latchkey.yaml', import.meta.url))

/** Fills an empty instance with the demo's people and things. One that holds anything is left as it is. */
export async function seedDemoWorld(ctx: Ctx): Promise<void> {
  if (!(await isEmptyInstance(ctx.db))) return
  const { applyDeclaration, readDeclaration } = await import('../declaration/apply.ts')
  const { sections } = await import('../app.ts')
  const declaration = readDeclaration(DECLARATION, sections)
  // The mark comes first: an instance with any of the public passwords in it must never pass for a real one.
  await recordFact(ctx.db, DEMO_WORLD)
  await applyDeclaration(ctx, sections, { declaration, prune: false, approve: () => {} })
}

/** Production never runs on a database whose passwords everybody knows. */
export async function refuseDemoWorld(ctx: Ctx): Promise<void> {
  if (!(await findFact(ctx.db, DEMO_WORLD))) return
  throw new OperatorError(
    'This database holds the demo, whose passwords and secrets are public. ' +
      'Choose an empty one with DATABASE_URL or LATCHKEY_DATA_DIR.',
  )
}
