import type { FastifyInstance } from 'fastify'
import { AppError } from '../../errors.ts'
import { isCleanText } from '../../lib/text.ts'

/**
 * Rejects invalid percent-encoding and fragments before routing. Fastify's lenient decoder would pass the former
 * through as text and treat the latter as a query.
 */
export function rejectInvalidUrls(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const error = findUrlError(request.url)
    if (!error && request.url.includes('%')) request.params = replaceUncleanParams(request.params)
    done(error)
  })
}

function findUrlError(url: string): AppError | undefined {
  if (url.includes('#')) return new AppError('INVALID_REQUEST', { message: 'The address holds a fragment.' })
  if (!url.includes('%')) return undefined
  const [path = '', ...query] = url.split('?')
  const decodedQuery = decode(query.join('?'))
  if (decodedQuery === undefined || !isCleanText(decodedQuery)) {
    return new AppError('INVALID_REQUEST', {
      message: 'The query string is not valid percent-encoded UTF-8.',
    })
  }
  return decode(path) === undefined ? new AppError('NOT_FOUND') : undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Replaces a parameter that PostgreSQL cannot store, such as one with NUL. No resource has this id or name. */
const UNKNOWN_NAME = '\ufffd'

/** A route answers such a parameter like any other unknown id or name. */
function replaceUncleanParams(params: unknown): Record<string, string> {
  const entries = Object.entries((params ?? {}) as Record<string, string>)
  return Object.fromEntries(entries.map(([key, value]) => [key, isCleanText(value) ? value : UNKNOWN_NAME]))
}
