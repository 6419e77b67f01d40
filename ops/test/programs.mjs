import { spawnSync } from 'node:child_process'

/** Whether a program is on the PATH. */
export const hasProgram = (name) => spawnSync('sh', ['-c', 'command -v "$0"', name]).status === 0

/** Runs a program and returns its standard output. Throws with all of its output if it fails. */
export function runProgram(name, args, { input, env } = {}) {
  const { status, stdout, stderr, error } = spawnSync(name, args, { encoding: 'utf8', input, env })
  if (error || status !== 0) throw new Error(`${name} ${args.join(' ')} failed:\n${error ?? stdout + stderr}`)
  return stdout
}
