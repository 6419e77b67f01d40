import { Command, InvalidArgumentError } from 'commander'
import { findApplicationNamed } from '../applications/service.ts'
import { type Config, loadConfig, processEnvironment } from '../config.ts'
import type { Ctx } from '../context.ts'
import { OperatorError } from '../errors.ts'
import { findUserByEmail } from '../users/service.ts'
import { DEMO_PASSWORD, seedDemoData } from './demo-data.ts'
import { runService } from './run.ts'

interface Options {
  test?: true
  seed?: number
  json?: boolean
}

export const demoCommand = new Command('demo')
  .description('run the service with demo data')
  .option('--test', 'run as a test double: temporary data, and routes to reset it, set the clock and cause faults')
  .option('--seed <number>', 'with --test: make the ids repeatable', parseSeed)
  .option('--json', 'with --test: print the address as JSON')
  .action(async ({ test, seed, json = false }: Options) => {
    const env = processEnvironment()
    if (test) {
      const { runTestMode } = await import('./test-mode.ts')
      return runTestMode(env, { seed, json })
    }
    if (seed !== undefined || json) throw new OperatorError('--seed and --json are for test mode: add --test.')
    const config = loadConfig('demo', env)
    await runService(config, {
      prepare: seedDemoData,
      onReady: async (ctx) => console.log(createWelcome(config, await createCheckCommand(ctx))),
    })
  })

const MAX_SEED = 2 ** 31 - 1

function parseSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (seed <= MAX_SEED) return seed
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${MAX_SEED}.`)
}

/** A license check that uses the token of the previous line; empty if the demo data was changed. */
async function createCheckCommand(ctx: Ctx): Promise<string> {
  const mia = await findUserByEmail(ctx.db, 'mia@acme.test')
  const application = await findApplicationNamed(ctx, 'project-manager')
  if (!mia || !application) return ''
  const query = `userId=${mia.id}&applicationId=${application.id}`
  const address = `${ctx.config.baseUrl}/api/integration/licenses/check?${query}`
  return `\n    curl -s -H "Authorization: Bearer $TOKEN" '${address}'`
}

const createWelcome = ({ baseUrl, mail: { mailbox } }: Config, checkCommand: string) => `
  Latchkey is ready at ${baseUrl}

  Console    ${baseUrl}/console
  API        ${baseUrl}/docs
  Health     ${baseUrl}/health/ready${mailbox ? `\n  Mailbox    ${baseUrl}/dev/mailbox` : ''}

  Accounts, all with the password ${DEMO_PASSWORD} (sign in at ${baseUrl}/login)
    admin@latchkey.test   Super Admin of this instance
    olivia@acme.test      owner of the tenant acme; admin: adam@acme.test, members: mia@acme.test, max@acme.test
    gus@globex.test       owner of the tenant globex

  Get a token for the machine client of acme and check the license of mia:
    TOKEN=$(curl -s -u demo-machine:demo-machine-secret -d grant_type=client_credentials ${baseUrl}/api/oauth/token | cut -d'"' -f4); echo "$TOKEN"${checkCommand}

  Get the tokens of a user with the authorization code flow:
    npx latchkey token --user mia@acme.test --client demo-spa --url ${baseUrl}

  This is a demo: its passwords are public. Press Ctrl-C to stop.
`
