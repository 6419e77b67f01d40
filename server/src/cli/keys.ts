import { Command } from 'commander'
import { OPERATOR } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { listKeys, rotateKeys } from '../oauth/signing-keys/service.ts'
import { runCommand } from './run.ts'

const rotate = new Command('rotate')
  .description('make a new signing key; it is published at once and signs a quarter of an hour later')
  .option('--now', 'let it sign at once; the keys before stay good for the tokens they have signed')
  .option(
    '--leaked',
    'withdraw every key before at once: whoever holds a token must sign in again or refresh',
  )
  .action(async ({ now: immediately = false, leaked = false }: { now?: boolean; leaked?: boolean }) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      const { kid, activatesAt, isNew } = await rotateKeys(ctx, { immediately, leaked }, OPERATOR)
      const turn = activatesAt <= ctx.now() ? 'signs from now on' : `signs from ${activatesAt.toISOString()}`
      console.log(`Key ${kid} ${isNew ? 'is new and' : 'was made before and'} ${turn}.`)
    })
  })

const list = new Command('list').description('show the signing keys, newest first').action(async () => {
  await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
    console.log(row('KEY', 'STATE', 'CREATED', 'ACTIVATES'))
    for (const { kid, state, createdAt, activatesAt } of await listKeys(ctx)) {
      console.log(row(kid, state, createdAt.toISOString(), activatesAt.toISOString()))
    }
  })
})

const row = (kid: string, state: string, created: string, activates: string) =>
  `${kid.padEnd(43)}  ${state.padEnd(9)}  ${created.padEnd(24)}  ${activates}`

export const keysCommand = new Command('keys')
  .description('manage the keys that sign tokens')
  .addCommand(rotate)
  .addCommand(list)
