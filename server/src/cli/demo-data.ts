import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Ctx } from '../context.ts'
import { DEMO_DATA, findFact, isEmptyInstance, recordFact } from '../db/instance.ts'
import { OperatorError } from '../errors.ts'

export const DEMO_PASSWORD = 'latchkey-demo-2026'

/** The declaration of the demo data. The build copies it into the package; the sources use the one of the repository. */
export const DEMO_DECLARATION = ['../demo/latchkey.yaml', '../../../demo/latchkey.yaml']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync) as string

/** Seeds an empty instance with the demo data. An instance that contains data is not changed. */
export async function seedDemoData(ctx: Ctx): Promise<void> {
  if (!(await isEmptyInstance(ctx.db))) return
  const { applyDeclaration, readDeclaration } = await import('../declaration/apply.ts')
  const { sections } = await import('../app.ts')
  const declaration = readDeclaration(DEMO_DECLARATION, sections)
  // Marked first, so that an interrupted seed with public passwords cannot be used in production.
  await recordFact(ctx.db, DEMO_DATA)
  await applyDeclaration(ctx, sections, { declaration, prune: false, approve: () => {} })
}

/** Production refuses a database with the public passwords of the demo. */
export async function refuseDemoData(ctx: Ctx): Promise<void> {
  if (!(await findFact(ctx.db, DEMO_DATA))) return
  throw new OperatorError(
    'This database holds the demo, whose passwords and secrets are public. ' +
      'Choose an empty one with DATABASE_URL or LATCHKEY_DATA_DIR.',
  )
}
