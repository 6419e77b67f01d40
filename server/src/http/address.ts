import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import { isCleanText } from '../lib/text.ts'

/**
 * The lenient decoder of the framework passes broken escapes through as text and takes a fragment for a query. We
 * refuse both before any route sees the request, so that an address has one meaning only.
 */
export function refuseBrokenAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url }, _reply, done) => done(findProblem(url)))
}

function findProblem(url: string): AppError | undefined {
  if (url.includes('#')) return new AppError('INVALID_REQUEST', { message: 'The address holds a fragment.' })
  if (!url.includes('%')) return undefined
  const [path = '', ...query] = url.split('?')
  if (!isReadable(query.join('?'))) {
    return new AppError('INVALID_REQUEST', {
      message: 'The query string is not valid percent-encoded UTF-8.',
    })
  }
  // Nothing we name holds such characters, so nothing is there.
  return isReadable(path) ? undefined : new AppError('NOT_FOUND')
}

function isReadable(text: string): boolean {
  try {
    return isCleanText(decodeURIComponent(text))
  } catch {
    return false
  }
}
