import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { OperatorError } from '../errors.ts'

const INTERRUPTED = 130

/** The first line of standard input; asked for, and not shown, where a person sits at it. */
export async function readPassword(): Promise<string> {
  const { isTTY } = process.stdin
  // What is typed would be echoed to the output, so that goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: isTTY })
  lines.once('SIGINT', () => process.exit(INTERRUPTED))
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
