import { Command } from 'commander'
import { type Config, processEnvironment, readConfig, VARIABLES } from '../config.ts'
import { measureOffset } from '../db/clock.ts'
import { DEMO_WORLD, findFact } from '../db/instance.ts'
import { runCommand } from './run.ts'

export const doctorCommand = new Command('doctor')
  .description('show what is configured and what is wrong')
  .option('--demo', 'judge as for the demo, not as for production')
  .action(async ({ demo = false }: { demo?: boolean }) => {
    const env = processEnvironment()
    const { config, problems } = readConfig(demo ? 'demo' : 'serve', env)
    const warnings = [...config.warnings]
    console.log('Configuration')
    for (const [name, meaning] of Object.entries(VARIABLES)) {
      // Stands for many names.
      if (name.includes('<')) continue
      console.log(`  ${name.padEnd(24)} ${mask(name, env[name]) ?? `not set: ${meaning}`}`)
    }
    if (problems.length === 0) {
      await checkDatabase(config, problems, warnings)
      await checkMail(config, problems)
    }
    for (const warning of warnings) console.log(`\nWarning: ${warning}`)
    for (const problem of problems) console.log(`\nWrong: ${problem}`)
    console.log(problems.length === 0 ? '\nAll is well.' : `\n${problems.length} to mend.`)
    if (problems.length > 0) process.exitCode = 1
  })

/** What is set, without what is secret in it. */
function mask(name: string, value: string | undefined): string | undefined {
  if (!value) return undefined
  if (/_(?:KEY|TOKEN|HEADERS)$/.test(name)) return '(set)'
  // To the last @: a user name or an unescaped password may hold one.
  return value.replace(/(:\/\/[^:/]*):.*@/, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***')
}

async function checkDatabase(config: Config, problems: string[], warnings: string[]): Promise<void> {
  try {
    await runCommand(config, async (ctx) => {
      console.log(`\nDatabase: ${config.database.url ? 'reached' : `bundled, in ${config.dataDir}`}`)
      const skew = Math.round(Math.abs(await measureOffset(ctx.db)))
      if (skew > 1_000) warnings.push(`This machine's clock is ${skew} ms away from the database's.`)
      if (config.mode === 'serve' && (await findFact(ctx.db, DEMO_WORLD))) {
        problems.push('The database holds the demo, whose passwords are public.')
      }
    })
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  }
}

async function checkMail({ mail }: Config, problems: string[]): Promise<void> {
  if (!mail.smtpUrl) return
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ url: mail.smtpUrl, connectionTimeout: 5_000, greetingTimeout: 5_000 })
  try {
    await transport.verify()
    console.log('Mail server: reached')
  } catch (error) {
    problems.push(
      `The mail server of SMTP_URL does not answer: ${error instanceof Error ? error.message : error}`,
    )
  } finally {
    transport.close()
  }
}
