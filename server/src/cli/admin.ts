import { Command } from 'commander'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { createSuperAdmin } from '../users/service.ts'
import { readPassword } from './read-password.ts'
import { runCommand } from './run.ts'

const RESULT_TEXTS = {
  created: 'is now a Super Admin.',
  promoted: 'has an account and is now a Super Admin; the password stays as it was.',
  unchanged: 'is a Super Admin already.',
}

const create = new Command('create')
  .description('make a person Super Admin of this instance')
  .requiredOption('--email <address>', 'the email address of the person')
  .option('--password <password>', 'the password; safer on standard input, because process lists show arguments')
  .action(async ({ email: text, password }: { email: string; password?: string }) => {
    const email = parseEmail(text)
    if (!email) throw new OperatorError(`"${text}" is not an email address.`)
    const config = loadCommandConfig(processEnvironment())
    const secret = password ?? (await readPassword())
    await runCommand(config, async (ctx) => {
      console.log(`${email} ${RESULT_TEXTS[await createSuperAdmin(ctx, email, secret)]}`)
    })
  })

export const adminCommand = new Command('admin').description('manage Super Admins').addCommand(create)
