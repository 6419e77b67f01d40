import { Command } from 'commander'
import { createApplication } from '../applications/service.ts'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { runCommand } from './run.ts'

interface CreateOptions {
  name: string
  slug?: string
  thirdParty?: boolean
}

const create = new Command('create')
  .description('create an application')
  .requiredOption('--name <name>', 'the display name')
  .option('--slug <slug>', 'the identifier in commands and declarations (derived from the name)')
  .option('--third-party', 'a third-party application: users are asked for consent')
  .action(async ({ name, slug, thirdParty = false }: CreateOptions) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const draft = { name, trusted: !thirdParty, ...(slug !== undefined && { slug }) }
      const created = await ctx.db.transaction().execute((tx) => createApplication(ctx, tx, draft, OPERATOR_SOURCE))
      console.log(`Application ${created.slug} is created. Its id is ${created.id}.`)
    })
  })

export const applicationCommand = new Command('application').description('manage applications').addCommand(create)
