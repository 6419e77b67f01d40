import { isConnectionError } from '../db/connection-errors.ts'
import { AppError, OperatorError } from '../errors.ts'

/** Returns a message for errors that an operator can fix, and the error itself with its stack for all others. */
export function describeError(error: unknown): unknown {
  if (error instanceof OperatorError) return error.message
  if (error instanceof AppError && error.status < 500) return describeAppError(error)
  if (error instanceof Error && isConnectionError(error)) return `The database cannot be used: ${error.message}.`
  return error
}

/** The validation errors of a command, as in the API. */
function describeAppError({ message, details }: AppError): string {
  if (!Array.isArray(details)) return message
  return ['This is not valid:', ...details.map((problem) => `  - ${problem.field} ${problem.message}`)].join('\n')
}
