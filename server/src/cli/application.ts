import { Command } from 'commander'
import { createApplication } from '../applications/service.ts'
import { OPERATOR } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { runCommand } from './run.ts'

interface CreateOptions {
  name: string
  slug?: string
  thirdParty?: boolean
}

const create = new Command('create')
  .description('make an application')
  .requiredOption('--name <name>', 'what people see')
  .option('--slug <slug>', 'its name for commands and declarations (made from the name)')
  .option('--third-party', 'not ours: people are asked for consent')
  .action(async ({ name, slug, thirdParty = false }: CreateOptions) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const draft = { name, trusted: !thirdParty, ...(slug !== undefined && { slug }) }
      const made = await ctx.db.transaction().execute((tx) => createApplication(ctx, tx, draft, OPERATOR))
      console.log(`Application ${made.slug} is made. Its id is ${made.id}.`)
    })
  })

export const applicationCommand = new Command('application')
  .description('manage applications')
  .addCommand(create)
