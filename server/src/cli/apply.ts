import { inspect } from 'node:util'
import { Command } from 'commander'
import { sections } from '../app.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import type { Ctx } from '../context.ts'
import { applyDeclaration } from '../declaration/apply.ts'
import { describePlan, type Style } from '../declaration/describe.ts'
import { type Loaded, loadDeclaration } from '../declaration/file.ts'
import { makePlan, type Plan, type Wish } from '../declaration/plan.ts'
import { AppError, OperatorError } from '../errors.ts'
import { confirm } from './confirm.ts'
import { runCommand } from './run.ts'

interface Options {
  file: string
  dryRun?: boolean
  exitCode?: boolean
  prune?: boolean
  yes?: boolean
}

/** As other tools have it: 0 nothing to change, 1 a mistake, 2 something to change. */
const CHANGES = 2

export const applyCommand = new Command('apply')
  .description('make the instance match a declaration')
  .requiredOption('-f, --file <file>', 'the declaration, in YAML')
  .option('--dry-run', 'print the plan and change nothing')
  .option('--exit-code', 'with --dry-run: end with 2 when there is something to change')
  .option('--prune', 'delete what is not declared in the sections of the file, and what is to be absent')
  .option('-y, --yes', 'do not ask before the changes are made')
  .addHelpText(
    'after',
    '\nWhat the declaration does not name is left alone, but for --prune. Applying it twice changes nothing.' +
      `\nA text may be "\${env:NAME}": it stands for that variable of the environment.`,
  )
  .action(async (options: Options) => {
    const env = processEnvironment()
    const config = loadCommandConfig(env)
    const loaded = loadDeclaration(options.file, sections, env)
    if (config.mode === 'serve') warnOfPlainSecrets(loaded)
    await runCommand(config, (ctx, { signal }) =>
      concealing(loaded, () => apply(ctx, loaded, { ...options, signal })),
    )
  })

function warnOfPlainSecrets({ plainSecrets: [first, ...more] }: Loaded): void {
  if (first === undefined) return
  const others = more.length > 0 ? ` and ${more.length} more` : ''
  console.error(
    `Warning: ${first}${others}: a secret stands in the file in plain text. Write "\${env:NAME}" and set NAME instead.`,
  )
}

async function apply(ctx: Ctx, loaded: Loaded, options: Options & { signal: AbortSignal }): Promise<void> {
  const wish = { declaration: loaded.declaration, prune: options.prune ?? false }
  const style = { colours: process.stdout.isTTY && process.stdout.hasColors(), conceal: loaded.conceal }
  if (options.dryRun) {
    const plan = await makePlan(ctx, sections, wish)
    console.log(describePlan(plan, style))
    if (options.exitCode && plan.changes.length > 0) process.exitCode = CHANGES
    return
  }
  const asks = process.stdin.isTTY && process.stdout.isTTY && !options.yes
  const approve = asks ? await askFirst(ctx, wish, style) : showOnce(style)
  const { changes } = await applyDeclaration(ctx, sections, { ...wish, approve, signal: options.signal })
  if (changes.length > 0) console.log('Applied.')
}

type Approve = (plan: Plan) => void

/** Nobody is there to ask. The plan is shown once, also when it has to be made again. */
function showOnce(style: Style): Approve {
  let shown = ''
  return (plan) => {
    const text = describePlan(plan, style)
    if (text !== shown) console.log(text)
    shown = text
  }
}

/** Only what was shown and agreed to is done. */
async function askFirst(ctx: Ctx, wish: Wish, style: Style): Promise<Approve> {
  const first = await makePlan(ctx, sections, wish)
  const shown = describePlan(first, style)
  console.log(shown)
  if (first.changes.length > 0 && !(await confirm('Make these changes?'))) {
    throw new OperatorError('Nothing was changed.')
  }
  return (plan) => {
    if (describePlan(plan, style) === shown) return
    throw new OperatorError(
      'The instance has changed since this plan was made. Nothing was changed: look at the plan once more.',
    )
  }
}

/** Whatever goes wrong is told without the values that came from the environment. */
async function concealing(loaded: Loaded, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const known = error instanceof OperatorError || (error instanceof AppError && error.status < 500)
    const told = known ? error.message : inspect(error)
    const concealed = loaded.conceal(told)
    if (concealed === told) throw error
    throw new OperatorError(concealed)
  }
}
