import type { FastifyReply } from 'fastify'
import { AppError } from '../../errors.ts'

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
  const sentences = fields.map(({ field, message }) => `${FIELD_NAMES[field] ?? field} ${message}`)
  const message = sentences.length > 0 ? `${sentences.join('; ')}.` : error.message
  return { status: error.status, message, error }
}

/** The names of the form fields that the message is about. */
export function listWrongFields(problem: PageProblem | undefined, passwordField = 'password'): string[] {
  if (problem?.error.code === 'WEAK_PASSWORD') return [passwordField]
  const details = problem?.error.details
  return Array.isArray(details) ? details.map(({ field }) => field) : []
}

/** Form field names as the beginning of a sentence. */
const FIELD_NAMES: Record<string, string> = {
  email: 'The email address',
  newEmail: 'The new email address',
  givenName: 'The given name',
  familyName: 'The family name',
  middleName: 'The middle name',
  displayName: 'The display name',
  nickname: 'The nickname',
  gender: 'The gender',
  birthdate: 'The date of birth',
  website: 'The website',
  pictureUrl: 'The address of the picture',
  zoneinfo: 'The time zone',
  locale: 'The language',
}
