import { Command } from 'commander'
import { isDatabaseAway } from '../db/away.ts'
import { AppError, OperatorError } from '../errors.ts'
import { VERSION } from '../lib/version.ts'
import { adminCommand } from './admin.ts'
import { applicationCommand } from './application.ts'
import { applyCommand } from './apply.ts'
import { auditCommand } from './audit.ts'
import { clientCommand } from './client.ts'
import { demoCommand } from './demo.ts'
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
  console.error(describe(error))
  process.exitCode = 1
}

/** What an operator can mend is said in a sentence; the rest is our mistake and shows where. */
function describe(error: unknown): unknown {
  if (error instanceof OperatorError) return error.message
  if (error instanceof AppError && error.status < 500) return describeRefusal(error)
  if (error instanceof Error && isDatabaseAway(error)) return `The database cannot be used: ${error.message}.`
  return error
}

/** A rule that a command broke, as the API would name it. */
function describeRefusal({ message, details }: AppError): string {
  if (!Array.isArray(details)) return message
  return ['This is not valid:', ...details.map((problem) => `  - ${problem.field} ${problem.message}`)].join(
    '\n',
  )
}
