import { Command, Option } from 'commander'
import { listEveryClient, registerClient } from '../applications/clients/registration.ts'
import { addSecret } from '../applications/clients/secrets.ts'
import { findClient } from '../applications/clients.ts'
import { findApplicationNamed } from '../applications/service.ts'
import { OPERATOR } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import type { ClientKind } from '../db/tables.ts'
import { OperatorError } from '../errors.ts'
import { findTenant } from '../tenants/service.ts'
import { runCommand } from './run.ts'

interface CreateOptions {
  application: string
  kind: ClientKind
  name: string
  clientId?: string
  redirectUri?: string[]
  postLogoutRedirectUri?: string[]
  origin?: string[]
  scope?: string[]
  tenant?: string
}

const create = new Command('create')
  .description('register a client of an application')
  .requiredOption('--application <slug>', 'whose client it is')
  .addOption(
    new Option('--kind <kind>', 'what it is').choices(['SPA', 'WEB', 'MACHINE']).makeOptionMandatory(),
  )
  .requiredOption('--name <name>', 'what people see')
  .option('--client-id <id>', 'its client_id (made up)')
  .option('--redirect-uri <uri...>', 'where people may be sent with a code')
  .option('--post-logout-redirect-uri <uri...>', 'where people may be sent after a logout')
  .option('--origin <origin...>', 'whose pages may call the token endpoint')
  .option('--scope <scope...>', 'what its tokens may say at most')
  .option('--tenant <slug>', 'the tenant a MACHINE acts for (the whole instance)')
  .action(async (options: CreateOptions) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const application = await findApplicationNamed(ctx, options.application)
      if (!application) throw new OperatorError(`There is no application ${options.application}.`)
      const tenant = options.tenant === undefined ? undefined : await findTenant(ctx, options.tenant)
      if (options.tenant !== undefined && !tenant)
        throw new OperatorError(`There is no tenant ${options.tenant}.`)
      const draft = {
        applicationId: application.id,
        tenantId: tenant?.id,
        ...{ kind: options.kind, name: options.name, clientId: options.clientId },
        ...toLists(options),
      }
      const { client, clientSecret } = await ctx.db
        .transaction()
        .execute((tx) => registerClient(ctx, tx, draft, { source: OPERATOR }))
      console.log(`Client id:      ${client.clientId}`)
      if (clientSecret !== null)
        console.log(`Client secret:  ${clientSecret}\nThe secret is not shown again.`)
    })
  })

/** What the command leaves out is left to the defaults. */
const toLists = ({ redirectUri, postLogoutRedirectUri, origin, scope }: CreateOptions) => ({
  ...(redirectUri && { redirectUris: redirectUri }),
  ...(postLogoutRedirectUri && { postLogoutRedirectUris: postLogoutRedirectUri }),
  ...(origin && { allowedOrigins: origin }),
  ...(scope && { scopes: scope }),
})

const list = new Command('list').description('list the clients').action(async () => {
  await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
    const clients = await listEveryClient(ctx)
    for (const { clientId, kind, applicationSlug, tenantSlug, name, disabled } of clients) {
      const notes = [tenantSlug && `tenant ${tenantSlug}`, disabled && 'disabled'].filter(Boolean)
      const end = notes.length > 0 ? `  (${notes.join(', ')})` : ''
      console.log(`${clientId.padEnd(28)} ${kind.padEnd(8)} ${applicationSlug.padEnd(20)} ${name}${end}`)
    }
    if (clients.length === 0) console.log('There are no clients yet.')
  })
})

const secret = new Command('secret')
  .description('give a client one more secret; it has two at most')
  .argument('<client-id>', 'which client')
  .action(async (clientId: string) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const client = await findClient(ctx, clientId)
      if (!client) throw new OperatorError(`There is no client ${clientId}.`)
      const { clientSecret } = await addSecret(ctx, client.id, OPERATOR)
      console.log(`Client secret:  ${clientSecret}\nThe secret is not shown again.`)
    })
  })

export const clientCommand = new Command('client')
  .description('manage clients')
  .addCommand(create)
  .addCommand(list)
  .addCommand(secret)
