import { Command } from 'commander'
import { VERSION } from '../lib/version.ts'
import { describeError } from './describe-error.ts'

/** In the order of the help. Each command is loaded only when it is used. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  apply: async () => (await import('./apply.ts')).applyCommand,
  export: async () => (await import('./export.ts')).exportCommand,
  import: async () => (await import('./import.ts')).importCommand,
  admin: async () => (await import('./admin.ts')).adminCommand,
  application: async () => (await import('./application.ts')).applicationCommand,
  client: async () => (await import('./client.ts')).clientCommand,
  resource: async () => (await import('./resource.ts')).resourceCommand,
  'registration-token': async () => (await import('./registration-token.ts')).registrationTokenCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  token: async () => (await import('./token.ts')).tokenCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  docs: async () => (await import('./docs.ts')).docsCommand,
}

const program = new Command('latchkey')
  .description('Identity, tenants and licensing for B2B software, in one service.')
  .version(VERSION)
  .showHelpAfterError()
  .addHelpText('after', '\nSettings come from the environment; "latchkey doctor" lists them.')

for (const command of await loadCommands(process.argv[2])) {
  program.addCommand(command, { hidden: command.name() === 'docs' })
}

try {
  await program.parseAsync()
} catch (error) {
  console.error(describeError(error))
  process.exitCode = 1
}

/** Loads the named command, or all of them for the help and for unknown names. */
function loadCommands(name = ''): Promise<Command[]> {
  const called = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return Promise.all((called ? [called] : Object.values(COMMANDS)).map((load) => load()))
}
