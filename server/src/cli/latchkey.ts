import { Command } from 'commander'
import { VERSION } from '../lib/version.ts'
import { adminCommand } from './admin.ts'
import { applicationCommand } from './application.ts'
import { applyCommand } from './apply.ts'
import { auditCommand } from './audit.ts'
import { clientCommand } from './client.ts'
import { demoCommand } from './demo.ts'
import { describeError } from './describe-error.ts'
import { docsCommand } from './docs.ts'
import { doctorCommand } from './doctor.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { serveCommand } from './serve.ts'
import { tokenCommand } from './token.ts'

const program = new Command('latchkey')
  .description('Identity, tenants and licensing for B2B software, in one service.')
  .version(VERSION)
  .showHelpAfterError()
  .addHelpText('after', '\nSettings come from the environment; "latchkey doctor" lists them.')
  .addCommand(serveCommand)
  .addCommand(demoCommand)
  .addCommand(migrateCommand)
  .addCommand(applyCommand)
  .addCommand(exportCommand)
  .addCommand(importCommand)
  .addCommand(adminCommand)
  .addCommand(applicationCommand)
  .addCommand(clientCommand)
  .addCommand(keysCommand)
  .addCommand(auditCommand)
  .addCommand(tokenCommand)
  .addCommand(doctorCommand)
  .addCommand(docsCommand, { hidden: true })

try {
  await program.parseAsync()
} catch (error) {
  console.error(describeError(error))
  process.exitCode = 1
}
