import type { FastifyReply } from 'fastify'
import { AppError } from '../errors.ts'

/** What went wrong, for the page that lets the person try again. What only we can mend is thrown on. */
export interface PageProblem {
  status: number
  message: string
  error: AppError
}

export function toPageProblem(error: unknown, reply: FastifyReply): PageProblem {
  if (!(error instanceof AppError) || error.status >= 500) throw error
  reply.headers(error.headers)
  const fields = Array.isArray(error.details) ? error.details : []
  const words = fields.map(({ field, message }) => `${FIELD_NAMES[field] ?? field} ${message}`)
  return { status: error.status, message: words.length > 0 ? `${words.join('; ')}.` : error.message, error }
}

/** The fields of our forms, as a sentence begins with them. */
const FIELD_NAMES: Record<string, string> = {
  email: 'The e-mail address',
  newEmail: 'The new e-mail address',
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
