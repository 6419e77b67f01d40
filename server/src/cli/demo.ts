import { Command } from 'commander'
import { findApplicationNamed } from '../applications/service.ts'
import { type Config, loadConfig, processEnvironment } from '../config.ts'
import type { Ctx } from '../context.ts'
import { findUserByEmail } from '../users/service.ts'
import { DEMO_PASSWORD, seedDemoWorld } from './demo-world.ts'
import { runService } from './run.ts'

export const demoCommand = new Command('demo')
  .description('run the service with a small world to try it on')
  .action(async () => {
    const config = loadConfig('demo', processEnvironment())
    await runService(config, {
      prepare: seedDemoWorld,
      onReady: async (ctx) => console.log(welcome(config, await checkLine(ctx))),
    })
  })

/** A licence check to paste, with the token of the line before; none where somebody has changed the demo's world. */
async function checkLine(ctx: Ctx): Promise<string> {
  const mia = await findUserByEmail(ctx.db, 'mia@acme.test')
  const application = await findApplicationNamed(ctx, 'project-manager')
  if (!mia || !application) return ''
  const query = `userId=${mia.id}&applicationId=${application.id}`
  const address = `${ctx.config.baseUrl}/api/integration/licenses/check?${query}`
  return `\n    curl -s -H "Authorization: Bearer $TOKEN" '${address}'`
}

const welcome = ({ baseUrl, mail: { mailbox } }: Config, check: string) => `
  Latchkey is ready at ${baseUrl}

  Console    ${baseUrl}/console
  API        ${baseUrl}/docs
  Health     ${baseUrl}/health/ready${mailbox ? `\n  Mailbox    ${baseUrl}/dev/mailbox` : ''}

  Accounts, all with the password ${DEMO_PASSWORD} (sign in at ${baseUrl}/login)
    admin@latchkey.test   Super Admin of this instance
    olivia@acme.test      owner of the tenant acme; adam@acme.test is its admin, mia@ and max@acme.test members
    gus@globex.test       owner of the tenant globex

  A token for the machine of acme, and what licence mia holds; paste them:
    TOKEN=$(curl -s -u demo-machine:demo-machine-secret -d grant_type=client_credentials ${baseUrl}/api/oauth/token | cut -d'"' -f4); echo "$TOKEN"${check}

  A person's tokens, through the real code flow:
    npx latchkey token --user mia@acme.test --client demo-spa --url ${baseUrl}

  This is a demo: its passwords are public. Press Ctrl-C to stop.
`
