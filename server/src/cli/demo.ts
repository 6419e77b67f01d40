import { Command } from 'commander'
import { loadConfig, processEnvironment } from '../config.ts'
import { DEMO_PASSWORD, seedDemoWorld } from './demo-world.ts'
import { runService } from './run.ts'

export const demoCommand = new Command('demo')
  .description('run the service with a small world to try it on')
  .action(async () => {
    const config = loadConfig('demo', processEnvironment())
    await runService(config, {
      prepare: seedDemoWorld,
      onReady: () => console.log(welcome(config.baseUrl, config.mail.mailbox)),
    })
  })

const welcome = (baseUrl: string, mailbox: boolean) => `
  Latchkey is ready at ${baseUrl}

  API        ${baseUrl}/docs
  Health     ${baseUrl}/health/ready${mailbox ? `\n  Mailbox    ${baseUrl}/dev/mailbox` : ''}

  Accounts, all with the password ${DEMO_PASSWORD} (sign in at ${baseUrl}/login)
    admin@latchkey.test   Super Admin of this instance
    olivia@acme.test      owner of the tenant acme; adam@acme.test is its admin, mia@ and max@acme.test members
    gus@globex.test       owner of the tenant globex

  A token for the machine of acme; paste it:
    curl -s -u demo-machine:demo-machine-secret -d grant_type=client_credentials ${baseUrl}/api/oauth/token

  A person's tokens, through the real code flow:
    npx latchkey token --user mia@acme.test --client demo-spa --url ${baseUrl}

  This is a demo: its passwords are public. Press Ctrl-C to stop.
`
