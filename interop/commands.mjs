// Commands of the suites.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a command and shows its output. Throws an error if it fails. */
export async function run(command, args, { cwd, env = {} } = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`"${[command, ...args].join(' ')}" ended with the code ${code}.`)
}

/** The output of a command; undefined if there is no such command or it fails. */
export async function findOutput(command, args, { cwd, env = {} } = {}) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(undefined))
    child.once('close', resolve)
  })
  return code === 0 ? output : undefined
}
