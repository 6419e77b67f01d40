import { isDatabaseAway } from '../db/away.ts'
import { AppError, OperatorError } from '../errors.ts'

/** What an operator can mend is said in a sentence; the rest is our mistake and shows where. */
export function describeError(error: unknown): unknown {
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
