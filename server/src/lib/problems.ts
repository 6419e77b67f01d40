import { AppError, type FieldProblem } from '../errors.ts'
import { parseEmail } from './email.ts'

/** One error that names every field at fault, if any is. */
export function refuseProblems(problems: (FieldProblem | undefined)[]): void {
  const details = problems.filter((problem) => problem !== undefined)
  if (details.length > 0) throw new AppError('VALIDATION_FAILED', { details })
}

/** A problem of this field unless it is as it should be. */
export const demand = (fits: boolean, field: string, message: string): FieldProblem | undefined =>
  fits ? undefined : { field, message }

/** A change that names no field is a mistake of the caller's, and must not pass for a success. */
export function refuseNothing(change: object): void {
  const something = Object.values(change).some((value) => value !== undefined)
  refuseProblems([demand(something, 'body', 'must name a field to change')])
}

/** The canonical form of the address in a field. */
export function requireEmail(text: string, field: string): string {
  const email = parseEmail(text)
  if (email !== undefined) return email
  throw new AppError('VALIDATION_FAILED', { details: [{ field, message: 'is not an e-mail address' }] })
}
