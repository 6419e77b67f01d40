import { Command, Option } from 'commander'
import {
  type Application,
  createApplication,
  findApplicationNamed,
  toApplicationSlug,
} from '../applications/service.ts'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { DEFAULT_ALGORITHM, SIGNING_ALGORITHMS, type SigningAlgorithm } from '../lib/signer.ts'
import { confirm } from './confirm.ts'
import { runCommand } from './run.ts'

interface CreateOptions {
  name: string
  slug?: string
  thirdParty?: boolean
  signingAlgorithm: SigningAlgorithm
  yes: boolean
}

const create = new Command('create')
  .description('create an application')
  .requiredOption('--name <name>', 'the display name')
  .option('--slug <slug>', 'the identifier in commands and declarations (derived from the name)')
  .option('--third-party', 'a third-party application: users are asked for consent')
  .addOption(
    new Option('--signing-algorithm <name>', 'how its tokens are signed')
      .choices(SIGNING_ALGORITHMS)
      .default(DEFAULT_ALGORITHM),
  )
  .option('--yes', 'create it without asking, also if there is one with this name', false)
  .action(async ({ name, slug, thirdParty = false, signingAlgorithm, yes }: CreateOptions) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const taken = slug === undefined ? await findApplicationNamed(ctx, toApplicationSlug(name)) : undefined
      if (taken && !yes && !(await mayCreateAnother(taken))) return
      const draft = { name, trusted: !thirdParty, signingAlgorithm, ...(slug !== undefined && { slug }) }
      const created = await ctx.db.transaction().execute((tx) => createApplication(ctx, tx, draft, OPERATOR_SOURCE))
      console.log(`Application ${created.slug} is created. Its id is ${created.id}.`)
    })
  })

/** Asks on a terminal. A script gets an error, because a second application of the same name is rarely wanted. */
async function mayCreateAnother({ name, slug }: Application): Promise<boolean> {
  const fact = `There is an application "${name}" (${slug}) already.`
  if (!process.stdin.isTTY) throw new OperatorError(`${fact} Choose another --name, give a --slug, or add --yes.`)
  if (await confirm(`${fact} Create another one?`)) return true
  console.log('Nothing was created.')
  return false
}

export const applicationCommand = new Command('application').description('manage applications').addCommand(create)
