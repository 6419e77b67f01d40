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

/** Applies the text as the command does, and gives back the plan. */
export async function apply(
  ctx: Ctx,
  yaml: string,
  { prune = false, env = {} }: Options = {},
): Promise<string> {
  const file = join(folder, `${files++}.yaml`)
  writeFileSync(file, yaml)
  const { declaration, conceal } = loadDeclaration(file, sections, env)
  const plan = await applyDeclaration(ctx, sections, { declaration, prune, approve: () => {} })
  await ctx.changes.settle()
  return describePlan(plan, { colours: false, conceal })
}

/** Everything there is, as the command writes it. */
export async function exportAll(ctx: Ctx, withSecrets = false): Promise<string> {
  let text = ''
  const write = async (piece: string) => {
    text += piece
  }
  await writeExport(ctx, sections, { withSecrets, write })
  return text
}
