import { Command } from 'commander'
import { listAllResources, registerResource, removeResource } from '../applications/resources/registration.ts'
import { findResource } from '../applications/resources.ts'
import { findApplicationNamed } from '../applications/service.ts'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { confirm } from './confirm.ts'
import { runCommand } from './run.ts'

interface CreateOptions {
  application: string
  name: string
  uri: string
  scope?: string[]
  allowClient?: string[]
  allowDynamicClients?: true
}

const create = new Command('create')
  .description('register an API of an application as a resource')
  .requiredOption('--application <slug>', 'the application of the resource')
  .requiredOption('--name <name>', 'the display name, which the consent page shows')
  .requiredOption('--uri <uri>', 'the audience of its tokens')
  .option('--scope <scope...>', 'its own scopes')
  .option('--allow-client <client-id...>', 'clients of other applications that may request tokens for it')
  .option('--allow-dynamic-clients', 'clients that no administrator registered may request tokens for it')
  .action(async ({ application: slug, name, uri, ...options }: CreateOptions) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const application = await findApplicationNamed(ctx, slug)
      if (!application) throw new OperatorError(`There is no application ${slug}.`)
      const draft = {
        applicationId: application.id,
        name,
        uri,
        scopes: options.scope ?? [],
        allowedClients: options.allowClient ?? [],
        allowDynamicClients: options.allowDynamicClients ?? false,
      }
      const { id } = await ctx.db.transaction().execute((tx) => registerResource(ctx, tx, draft, OPERATOR_SOURCE))
      console.log(`Resource ${uri} is registered. Its id is ${id}.`)
    })
  })

const list = new Command('list').description('list the resources').action(async () => {
  await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
    const resources = await listAllResources(ctx)
    for (const { uri, name, applicationSlug, scopes } of resources) {
      const end = scopes.length > 0 ? `  (${scopes.join(', ')})` : ''
      console.log(`${uri.padEnd(40)} ${applicationSlug.padEnd(20)} ${name}${end}`)
    }
    if (resources.length === 0) console.log('There are no resources yet.')
  })
})

const remove = new Command('delete')
  .description('delete a resource; the tokens for it end')
  .argument('<uri>', 'the URI of the resource')
  .option('--yes', 'delete it without asking', false)
  .action(async (uri: string, { yes }: { yes: boolean }) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const resource = await findResource(ctx, uri)
      if (!resource) throw new OperatorError(`There is no resource ${uri}.`)
      if (!yes && !(await mayDelete(uri))) return
      await removeResource(ctx, resource.id, OPERATOR_SOURCE)
      console.log(`Resource ${uri} is deleted.`)
    })
  })

async function mayDelete(uri: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new OperatorError('The tokens for the resource end. To delete it, add --yes.')
  if (await confirm(`The tokens for ${uri} end. Delete it?`)) return true
  console.log('Nothing was deleted.')
  return false
}

export const resourceCommand = new Command('resource')
  .description('manage resources: APIs for which clients request tokens')
  .addCommand(create)
  .addCommand(list)
  .addCommand(remove)
