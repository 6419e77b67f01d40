import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs'
import { OperatorError } from '../errors.ts'
import type { Problem } from '../imports/row.ts'
import { fsProblem } from '../lib/fs-problem.ts'
import type { Progress } from './progress.ts'

export interface ProblemReport {
  add(problem: Problem): void
  close(): Promise<void>
}

/** More than this would push everything else off the screen. */
const MOST_SHOWN = 20

/** Tells of the first rows that could not be used, and writes down all of them where a file is named. */
export function createProblemReport(file: string | undefined, progress: Progress): ProblemReport {
  const target = file === undefined ? undefined : openReport(file)
  let count = 0
  return {
    add(problem) {
      if (target !== undefined) writeSync(target, toCsv(problem))
      if (++count > MOST_SHOWN) return
      progress.clear()
      console.error(describe(problem))
    },
    async close() {
      if (target !== undefined) closeSync(target)
      if (count <= MOST_SHOWN) return
      const hint = file === undefined ? '; --errors <file> lists all' : `; all are in ${file}`
      console.error(`… and ${count - MOST_SHOWN} more${hint}.`)
    },
  }
}

/** It names people, so it is for its owner's eyes only, also where a file was before. */
function openReport(file: string): number {
  try {
    const target = openSync(file, 'w', 0o600)
    if (fstatSync(target).isFile()) fchmodSync(target, 0o600)
    writeSync(target, 'line,email,reason\r\n')
    return target
  } catch (error) {
    const reason = fsProblem(error) ?? 'there is no such folder'
    throw new OperatorError(`${file} cannot be written: ${reason}.`, { cause: error })
  }
}

const describe = ({ line, email, reason }: Problem) =>
  `Line ${line}${email === undefined ? '' : ` (${email})`}: ${reason}.`

const toCsv = ({ line, email = '', reason }: Problem) => `${line},${quote(email)},${quote(reason)}\r\n`

/** An address may begin with what a spreadsheet takes for a formula. */
const quote = (text: string) => `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
