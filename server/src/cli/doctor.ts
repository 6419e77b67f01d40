import { Command } from 'commander'
import { createTarget } from '../audit/streams/targets/create-target.ts'
import { type Config, processEnvironment, readConfig, VARIABLES } from '../config.ts'
import { measureOffset } from '../db/clock.ts'
import { DEMO_DATA, findFact } from '../db/instance.ts'
import { runCommand } from './run.ts'

export const doctorCommand = new Command('doctor')
  .description('show the configuration and its problems')
  .option('--demo', 'check for the demo instead of production')
  .action(async ({ demo = false }: { demo?: boolean }) => {
    const env = processEnvironment()
    const { config, problems } = readConfig(demo ? 'demo' : 'serve', env)
    const warnings = [...config.warnings]
    console.log('Configuration')
    // A name with < is a placeholder for several variables.
    const variables = Object.entries(VARIABLES).filter(([name]) => !name.includes('<'))
    const width = Math.max(...variables.map(([name]) => name.length))
    for (const [name, meaning] of variables) {
      console.log(`  ${name.padEnd(width)} ${mask(name, env[name]) ?? `not set: ${meaning}`}`)
    }
    if (problems.length === 0) {
      await checkDatabase(config, problems, warnings)
      await checkMail(config, problems)
      await checkAuditStreams(config, problems)
    }
    for (const warning of warnings) console.log(`\nWarning: ${warning}`)
    for (const problem of problems) console.log(`\nProblem: ${problem}`)
    console.log(`\n${summarize(problems.length)}`)
    if (problems.length > 0) process.exitCode = 1
  })

function summarize(problemCount: number): string {
  if (problemCount === 0) return 'All is well.'
  return problemCount === 1 ? 'There is 1 problem to fix.' : `There are ${problemCount} problems to fix.`
}

/** The value without secrets. */
function mask(name: string, value: string | undefined): string | undefined {
  if (!value) return undefined
  if (/_(?:KEY|TOKEN|HEADERS)$/.test(name)) return '(set)'
  // Up to the last @, because a user name or an unescaped password may contain one.
  return value.replace(/(:\/\/[^:/]*):.*@/, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***')
}

async function checkDatabase(config: Config, problems: string[], warnings: string[]): Promise<void> {
  try {
    await runCommand(config, async (ctx) => {
      console.log(`\nDatabase: ${config.database.url ? 'reached' : `bundled, in ${config.dataDir}`}`)
      const skew = Math.round(Math.abs(await measureOffset(ctx.db)))
      if (skew > 1_000) warnings.push(`This machine's clock is ${skew} ms away from the database's.`)
      if (config.mode === 'serve' && (await findFact(ctx.db, DEMO_DATA))) {
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
    problems.push(`The mail server of SMTP_URL does not answer: ${error instanceof Error ? error.message : error}`)
  } finally {
    transport.close()
  }
}

async function checkAuditStreams({ auditStreams, baseUrl }: Config, problems: string[]): Promise<void> {
  for (const settings of auditStreams) {
    const timeout = AbortSignal.timeout(5_000)
    try {
      await createTarget(settings, { baseUrl, now: () => new Date() }).check(timeout)
      console.log(`Audit stream ${settings.name}: reached`)
    } catch (error) {
      const reason = timeout.aborted ? 'no answer within 5 seconds' : (error as Error).message
      problems.push(
        `The audit stream ${settings.name} cannot be used: ${reason}. Check AUDIT_STREAM_${settings.name}_….`,
      )
    }
  }
}
