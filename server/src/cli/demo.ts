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

  Accounts, all with the password ${DEMO_PASSWORD}
    admin@latchkey.test   Super Admin of this instance
    olivia@acme.test      adam@acme.test      mia@acme.test      max@acme.test
    gus@globex.test

  This is a demo: its passwords are public. Press Ctrl-C to stop.
`
