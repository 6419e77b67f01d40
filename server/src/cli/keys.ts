import { Command } from 'commander'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { listKeys, rotateKeys } from '../oauth/signing-keys/service.ts'
import { runCommand } from './run.ts'

const rotate = new Command('rotate')
  .description('create a signing key for each algorithm in use; it is published immediately and signs after 15 minutes')
  .option('--now', 'use it immediately; tokens signed with earlier keys stay valid')
  .option('--leaked', 'withdraw all earlier keys immediately: clients must refresh their tokens or users sign in again')
  .action(async ({ now: immediately = false, leaked = false }: { now?: boolean; leaked?: boolean }) => {
    await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
      for (const rotation of await rotateKeys(ctx, { immediately, leaked }, OPERATOR_SOURCE)) {
        const { kid, algorithm, activatesAt, isNew } = rotation
        const activation = activatesAt <= ctx.now() ? 'signs from now on' : `signs from ${activatesAt.toISOString()}`
        console.log(`Key ${kid} (${algorithm}) ${isNew ? 'is new and' : 'was made before and'} ${activation}.`)
      }
    })
  })

const list = new Command('list').description('show the signing keys, newest first').action(async () => {
  await runCommand(loadCommandConfig(processEnvironment()), async (ctx) => {
    console.log(row('KEY', ['ALG', 'STATE', 'CREATED', 'ACTIVATES']))
    for (const { kid, algorithm, state, createdAt, activatesAt } of await listKeys(ctx)) {
      console.log(row(kid, [algorithm, state, createdAt.toISOString(), activatesAt.toISOString()]))
    }
  })
})

const row = (kid: string, [algorithm = '', state = '', created = '', activates = '']: string[]) =>
  `${kid.padEnd(43)}  ${algorithm.padEnd(5)}  ${state.padEnd(9)}  ${created.padEnd(24)}  ${activates}`

export const keysCommand = new Command('keys')
  .description('manage the keys that sign tokens')
  .addCommand(rotate)
  .addCommand(list)
