import { AppError, type FieldProblem } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { parseEmail } from './email.ts'

/** Throws one VALIDATION_FAILED error with all problems, if there are any. */
export function throwIfInvalid(problems: (FieldProblem | undefined)[]): void {
  const details = problems.filter((problem) => problem !== undefined)
  if (details.length > 0) throw new AppError('VALIDATION_FAILED', { details })
}

/** Returns a problem for the field unless it is valid. */
export const checkField = (isValid: boolean, field: string, message: string): FieldProblem | undefined =>
  isValid ? undefined : { field, message }

/** Rejects an update without any field. */
export function requireAnyField(change: object): void {
  const hasField = Object.values(change).some((value) => value !== undefined)
  throwIfInvalid([checkField(hasField, 'body', t('must name a field to change'))])
}

/** Returns the canonical form, or throws VALIDATION_FAILED for the field. */
export function requireEmail(text: string, field: string): string {
  const email = parseEmail(text)
  if (email !== undefined) return email
  throw new AppError('VALIDATION_FAILED', { details: [{ field, message: t('is not an email address') }] })
}
