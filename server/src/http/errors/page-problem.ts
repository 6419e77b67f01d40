import type { FastifyReply } from 'fastify'
import { AppError } from '../../errors.ts'
import { t, translatable } from '../../languages/translate.ts'

/** An error that a form page shows above the form. */
export interface PageProblem {
  status: number
  message: string
  error: AppError
}

/** Rethrows server errors. */
export function toPageProblem(error: unknown, reply: FastifyReply): PageProblem {
  if (!(error instanceof AppError) || error.status >= 500) throw error
  reply.headers(error.headers)
  const fields = Array.isArray(error.details) ? error.details : []
  const sentences = fields.map(({ field, message }) =>
    t('{field} {problem}.', { field: nameOf(field), problem: message }),
  )
  const message = sentences.length > 0 ? sentences.join(' ') : error.message
  return { status: error.status, message, error }
}

/** The names of the form fields that the message is about. */
export function listWrongFields(problem: PageProblem | undefined, passwordField = 'password'): string[] {
  if (problem?.error.code === 'WEAK_PASSWORD') return [passwordField]
  const details = problem?.error.details
  return Array.isArray(details) ? details.map(({ field }) => field) : []
}

function nameOf(field: string): string {
  const name = FIELD_NAMES[field]
  return name === undefined ? field : t(name)
}

/** Form field names as the beginning of a sentence. */
const FIELD_NAMES: Record<string, string> = {
  email: translatable('The email address'),
  newEmail: translatable('The new email address'),
  givenName: translatable('The given name'),
  familyName: translatable('The family name'),
  middleName: translatable('The middle name'),
  displayName: translatable('The display name'),
  nickname: translatable('The nickname'),
  gender: translatable('The gender'),
  birthdate: translatable('The date of birth'),
  website: translatable('The website'),
  pictureUrl: translatable('The address of the picture'),
  zoneinfo: translatable('The time zone'),
  locale: translatable('The language'),
}
