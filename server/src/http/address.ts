import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import { isCleanText } from '../lib/text.ts'

/**
 * The lenient decoder of the framework passes broken escapes through as text and takes a fragment for a query. We
 * refuse both before any route sees the request, so that an address has one meaning only.
 */
export function refuseBrokenAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const problem = findProblem(request.url)
    if (!problem && request.url.includes('%')) request.params = withCleanNames(request.params)
    done(problem)
  })
}

function findProblem(url: string): AppError | undefined {
  if (url.includes('#')) return new AppError('INVALID_REQUEST', { message: 'The address holds a fragment.' })
  if (!url.includes('%')) return undefined
  const [path = '', ...query] = url.split('?')
  const asked = decode(query.join('?'))
  if (asked === undefined || !isCleanText(asked)) {
    return new AppError('INVALID_REQUEST', {
      message: 'The query string is not valid percent-encoded UTF-8.',
    })
  }
  // Nothing we name is written so, and nothing is there.
  return decode(path) === undefined ? new AppError('NOT_FOUND') : undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Stands for a name with NUL in it, which no database takes, and is the name of nothing. */
const NAMELESS = '\ufffd'

/** A route answers what cannot be a name as it does any that nobody has. */
function withCleanNames(params: unknown): Record<string, string> {
  const names = Object.entries((params ?? {}) as Record<string, string>)
  return Object.fromEntries(names.map(([key, name]) => [key, isCleanText(name) ? name : NAMELESS]))
}
