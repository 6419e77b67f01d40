import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { OperatorError } from '../errors.ts'

const SIGINT_EXIT_CODE = 130

/** Reads the first line of standard input. On a terminal it prompts and does not echo. */
export async function readPassword(): Promise<string> {
  const { isTTY } = process.stdin
  // readline echoes typed characters to its output, so the output is discarded.
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: discard, terminal: isTTY })
  lines.once('SIGINT', () => process.exit(SIGINT_EXIT_CODE))
  if (isTTY) process.stderr.write('Password: ')
  const line = await new Promise<string>((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(''))
  })
  lines.close()
  if (isTTY) process.stderr.write('\n')
  if (line === '') throw new OperatorError('No password was given.')
  return line
}
