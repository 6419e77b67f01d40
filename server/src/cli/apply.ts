import { inspect } from 'node:util'
import { Command } from 'commander'
import { sections } from '../app.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import type { Ctx } from '../context.ts'
import { applyDeclaration } from '../declaration/apply.ts'
import { describePlan, type PlanStyle } from '../declaration/describe.ts'
import { type LoadedDeclaration, loadDeclaration } from '../declaration/file.ts'
import { type ApplyOptions, createPlan, type Plan } from '../declaration/plan.ts'
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

/** The convention of other tools: 0 no changes, 1 an error, 2 changes. */
const CHANGES_EXIT_CODE = 2

export const applyCommand = new Command('apply')
  .description('make the instance match a declaration')
  .requiredOption('-f, --file <file>', 'the declaration, in YAML; - is standard input')
  .option('--dry-run', 'print the plan and change nothing')
  .option('--exit-code', 'with --dry-run: exit with 2 when there are changes')
  .option('--prune', 'delete everything in the sections of the file that is not declared or is marked absent')
  .option('-y, --yes', 'apply the changes without confirmation')
  .addHelpText(
    'after',
    '\nWithout --prune, anything that is not declared stays as it is. Applying a declaration twice changes nothing.' +
      `\nA value "\${env:NAME}" is replaced with that environment variable.`,
  )
  .action(async (options: Options) => {
    const env = processEnvironment()
    const config = loadCommandConfig(env)
    const loaded = loadDeclaration(options.file, sections, env)
    if (config.mode === 'serve') warnAboutPlainSecrets(loaded)
    await runCommand(config, (ctx, { signal }) =>
      withConcealedErrors(loaded, () => apply(ctx, loaded, { ...options, signal })),
    )
  })

function warnAboutPlainSecrets({ plainSecrets: [first, ...more] }: LoadedDeclaration): void {
  if (first === undefined) return
  const others = more.length > 0 ? ` and ${more.length} more` : ''
  console.error(
    `Warning: ${first}${others}: the file contains a secret in plain text. Write "\${env:NAME}" and set NAME instead.`,
  )
}

async function apply(ctx: Ctx, loaded: LoadedDeclaration, options: Options & { signal: AbortSignal }): Promise<void> {
  const request = { declaration: loaded.declaration, prune: options.prune ?? false }
  const style = { colors: process.stdout.isTTY && process.stdout.hasColors(), conceal: loaded.conceal }
  if (options.dryRun) {
    const plan = await createPlan(ctx, sections, request)
    console.log(describePlan(plan, style))
    if (options.exitCode && plan.changes.length > 0) process.exitCode = CHANGES_EXIT_CODE
    return
  }
  const isInteractive = process.stdin.isTTY && process.stdout.isTTY && !options.yes
  const approve = isInteractive ? await confirmPlan(ctx, request, style) : printPlan(style)
  const { changes } = await applyDeclaration(ctx, sections, { ...request, approve, signal: options.signal })
  if (changes.length > 0) console.log('Applied.')
}

type Approve = (plan: Plan) => void

/** Prints the plan without confirmation. An unchanged plan is not printed again when the transaction is retried. */
function printPlan(style: PlanStyle): Approve {
  let shown = ''
  return (plan) => {
    const text = describePlan(plan, style)
    if (text !== shown) console.log(text)
    shown = text
  }
}

/** Applies only the plan that was confirmed. */
async function confirmPlan(ctx: Ctx, request: ApplyOptions, style: PlanStyle): Promise<Approve> {
  const first = await createPlan(ctx, sections, request)
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

/** Removes values from the environment from error messages. */
async function withConcealedErrors(loaded: LoadedDeclaration, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isExpected = error instanceof OperatorError || (error instanceof AppError && error.status < 500)
    const text = isExpected ? error.message : inspect(error)
    const concealed = loaded.conceal(text)
    if (concealed === text) throw error
    throw new OperatorError(concealed)
  }
}
