import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs'
import { OperatorError } from '../errors.ts'
import type { RowProblem } from '../imports/row.ts'
import { describeFsError } from '../lib/fs-error.ts'
import type { Progress } from './progress.ts'

export interface ProblemReport {
  add(problem: ReportedProblem): void
  close(): Promise<void>
}

export interface ReportedProblem extends RowProblem {
  /** The row is imported, but without something. */
  isLoss?: boolean
}

/** The columns of the report by their names. */
export type ReportColumns = Record<string, (problem: ReportedProblem) => string>

export const ERROR_COLUMNS: ReportColumns = {
  line: ({ line }) => String(line),
  email: ({ email = '' }) => quote(email),
  reason: ({ reason }) => quote(reason),
}

interface ReportOptions {
  progress: Progress
  /** The option of the command that names the file. */
  option: string
  columns: ReportColumns
}

/** The number of problems that are printed, and the number of losses. */
const MAX_PRINTED = 20

/** Prints the first problems, and writes all of them to the file if one is given. */
export function createProblemReport(
  file: string | undefined,
  { progress, option, columns }: ReportOptions,
): ProblemReport {
  const target = file === undefined ? undefined : openReport(file, columns)
  const counts = { problems: 0, losses: 0 }
  return {
    add(problem) {
      const values = Object.values(columns).map((toValue) => toValue(problem))
      if (target !== undefined) writeSync(target, `${values.join(',')}\r\n`)
      if (++counts[problem.isLoss ? 'losses' : 'problems'] > MAX_PRINTED) return
      progress.clear()
      console.error(describe(problem))
    },
    async close() {
      if (target !== undefined) closeSync(target)
      const rest = Object.values(counts).reduce((sum, count) => sum + Math.max(0, count - MAX_PRINTED), 0)
      if (rest === 0) return
      const hint = file === undefined ? `; ${option} <file> lists all` : `; all are in ${file}`
      console.error(`… and ${rest} more${hint}.`)
    },
  }
}

/** The report contains addresses, so it is readable by its owner only, also if the file existed before. */
function openReport(file: string, columns: ReportColumns): number {
  try {
    const target = openSync(file, 'w', 0o600)
    if (fstatSync(target).isFile()) fchmodSync(target, 0o600)
    writeSync(target, `${Object.keys(columns).join(',')}\r\n`)
    return target
  } catch (error) {
    const reason = describeFsError(error) ?? 'there is no such folder'
    throw new OperatorError(`${file} cannot be written: ${reason}.`, { cause: error })
  }
}

const describe = ({ line, place = `Line ${line}`, email, reason }: RowProblem) =>
  `${place}${email === undefined ? '' : ` (${email})`}: ${reason}.`

/** A leading apostrophe prevents spreadsheets from evaluating a value as a formula. */
export const quote = (text: string) => `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
