import { Command } from 'commander'
import {
  createRegistrationToken,
  DEFAULT_DAYS,
  getRegistrationTokenPage,
  MAX_DAYS,
  revokeRegistrationToken,
} from '../applications/registration-tokens/service.ts'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { runCommand } from './run.ts'

interface CreateOptions {
  name: string
  days: string
  uses: string
  redirectHost?: string[]
}

const create = new Command('create')
  .description('create a token with which clients register themselves')
  .requiredOption('--name <name>', 'what it is for, or for whom')
  .option('--days <number>', `until it expires, 1 to ${MAX_DAYS}`, String(DEFAULT_DAYS))
  .option('--uses <number>', 'how many clients may register with it', '1')
  .option('--redirect-host <host...>', 'the hosts that their redirect URIs may have (any)')
  .action(async ({ name, days, uses, redirectHost }: CreateOptions) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const draft = { name, expiresInDays: Number(days), maxUses: Number(uses), redirectHosts: redirectHost ?? null }
      const { created, token } = await createRegistrationToken(ctx, draft, OPERATOR_SOURCE)
      console.log(`Registration token:  ${token}\nThe token is not shown again.`)
      console.log(`It expires at ${created.expiresAt.toISOString()}.`)
      if (ctx.config.clientRegistration === 'off') {
        console.log('Clients cannot register here now: CLIENT_REGISTRATION is off.')
      }
    })
  })

const list = new Command('list').description('list the registration tokens, newest first').action(async () => {
  await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
    const { registrationTokens } = await getRegistrationTokenPage(ctx, { page: 1, limit: 100 })
    for (const { id, name, uses, maxUses, expiresAt } of registrationTokens) {
      console.log(`${id}  ${`${uses}/${maxUses}`.padEnd(11)}  ${expiresAt.toISOString()}  ${name}`)
    }
    if (registrationTokens.length === 0) console.log('There are no registration tokens.')
  })
})

const revoke = new Command('revoke')
  .description('revoke a registration token; the clients that registered with it stay')
  .argument('<id>', 'the id in the list')
  .action(async (id: string) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      await revokeRegistrationToken(ctx, id, OPERATOR_SOURCE)
      console.log('The registration token is revoked.')
    })
  })

export const registrationTokenCommand = new Command('registration-token')
  .description('manage the tokens with which clients register themselves')
  .addCommand(create)
  .addCommand(list)
  .addCommand(revoke)
