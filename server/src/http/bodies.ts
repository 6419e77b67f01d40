import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { parseJson } from '../lib/json.ts'

export const BODY_LIMIT = 1024 * 1024

/** The media type must be exactly this: a lookalike would let a body pass unparsed and so unvalidated. */
const JSON_TYPE = /^application\/json(?: *; *charset=(?:utf-8|"utf-8"))? *$/i

/** Bodies are JSON in UTF-8 and nothing else; a route without a body schema ignores whatever is sent. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer, done) => {
    if (!request.routeOptions.schema?.body) return done(null, undefined)
    try {
      done(null, readJson(request, body))
    } catch (error) {
      done(error as AppError)
    }
  })
}

function readJson({ headers }: FastifyRequest, body: Buffer): unknown {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!JSON_TYPE.test(headers['content-type'] ?? '') || encoding !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE')
  }
  const result = parseJson(body)
  if (result.ok) return result.value
  const { problem } = result
  if (problem.kind === 'syntax') throw new AppError('INVALID_REQUEST', { message: problem.message })
  const { field, message } = problem
  throw new AppError('VALIDATION_FAILED', { details: [{ field: field || 'body', message }] })
}
