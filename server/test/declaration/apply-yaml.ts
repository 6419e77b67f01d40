import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sections } from '../../src/app.ts'
import type { Ctx } from '../../src/context.ts'
import { applyDeclaration } from '../../src/declaration/apply.ts'
import { describePlan } from '../../src/declaration/describe.ts'
import { writeExport } from '../../src/declaration/export.ts'
import { loadDeclaration } from '../../src/declaration/file.ts'
import { tempFolder } from '../support/program.ts'

const folder = tempFolder()
let files = 0

interface Options {
  prune?: boolean
  env?: Record<string, string>
}

/** Applies a declaration as the command does and returns the plan as text. */
export async function apply(ctx: Ctx, yaml: string, { prune = false, env = {} }: Options = {}): Promise<string> {
  const file = join(folder, `${files++}.yaml`)
  writeFileSync(file, yaml)
  const { declaration, conceal } = loadDeclaration(file, sections, env)
  const plan = await applyDeclaration(ctx, sections, { declaration, prune, approve: () => {} })
  await ctx.changes.waitUntilCurrent()
  return describePlan(plan, { colors: false, conceal })
}

/** Exports the instance as the command does. */
export async function exportAll(ctx: Ctx, withSecrets = false): Promise<string> {
  let text = ''
  const write = async (chunk: string) => {
    text += chunk
  }
  await writeExport(ctx, sections, { withSecrets, write })
  return text
}
