import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import { isCleanText } from '../lib/text.ts'

/**
 * The lenient decoder of the framework passes broken escapes through as text. We refuse them instead, before
 * any route sees the request, so that a query has one meaning only.
 */
export function refuseBrokenQueries(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const start = request.url.indexOf('?')
    const broken = start !== -1 && !isReadable(request.url.slice(start + 1))
    const message = 'The query string is not valid percent-encoded UTF-8.'
    done(broken ? new AppError('INVALID_REQUEST', { message }) : undefined)
  })
}

function isReadable(query: string): boolean {
  try {
    return isCleanText(decodeURIComponent(query))
  } catch {
    return false
  }
}
