import type { EventEmitter } from 'node:events'
import type { Command } from 'commander'
import { vi } from 'vitest'
import { describeError } from '../../src/cli/describe-error.ts'
import { getHashSettings, setHashSettings } from '../../src/lib/hash-settings.ts'

/** A command listens for them until its process ends. */
const EVENTS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit']

/** Loaders of the commands, as in src/cli/latchkey.ts. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  apply: async () => (await import('../../src/cli/apply.ts')).applyCommand,
  application: async () => (await import('../../src/cli/application.ts')).applicationCommand,
  client: async () => (await import('../../src/cli/client.ts')).clientCommand,
  audit: async () => (await import('../../src/cli/audit.ts')).auditCommand,
  doctor: async () => (await import('../../src/cli/doctor.ts')).doctorCommand,
  export: async () => (await import('../../src/cli/export.ts')).exportCommand,
  keys: async () => (await import('../../src/cli/keys.ts')).keysCommand,
  resource: async () => (await import('../../src/cli/resource.ts')).resourceCommand,
  'registration-token': async () => (await import('../../src/cli/registration-token.ts')).registrationTokenCommand,
}

/**
 * Runs a command in this process, which takes a fraction of the time of a program. It replaces the environment and the
 * output of the process meanwhile, so nothing else may run.
 */
export async function runCommandHere(
  [name = '', ...args]: string[],
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const command = await COMMANDS[name]?.()
  if (!command) throw new Error(`there is no command ${name} here`)
  let output = ''
  const print = (value: unknown) => {
    output += `${value}\n`
  }
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(print),
    vi.spyOn(console, 'error').mockImplementation(print),
    vi.spyOn(process.stdout, 'write').mockImplementation((text, ...rest) => {
      output += text
      for (const done of rest) if (typeof done === 'function') done()
      return true
    }),
  ]
  const { env: environment, exitCode } = process
  const hashSettings = getHashSettings()
  const emitter: EventEmitter = process
  const listeners = EVENTS.map((event) => [event, emitter.listeners(event)] as const)
  process.env = { PATH: environment.PATH, ...env }
  try {
    await command.parseAsync(args, { from: 'user' })
    return { code: process.exitCode === exitCode ? 0 : Number(process.exitCode), output }
  } catch (error) {
    print(describeError(error))
    return { code: 1, output }
  } finally {
    process.env = environment
    process.exitCode = exitCode
    setHashSettings(hashSettings)
    for (const spy of spies) spy.mockRestore()
    for (const [event, before] of listeners)
      for (const listener of emitter.listeners(event))
        if (!before.includes(listener)) emitter.off(event, listener as () => void)
  }
}
