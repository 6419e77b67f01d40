import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { type Fields, parseFields } from '../lib/fields.ts'
import { parseJson } from '../lib/json.ts'

export const BODY_LIMIT = 1024 * 1024
/** No form of ours, and none of OAuth, comes near this. */
export const FORM_LIMIT = 64 * 1024

/** The media type must be exactly this: a lookalike would let a body pass unparsed and so unvalidated. */
const JSON_TYPE = /^application\/json(?: *; *charset=(?:utf-8|"utf-8"))? *$/i
const FORM_TYPE = /^application\/x-www-form-urlencoded(?: *; *charset=(?:utf-8|"utf-8"))? *$/i

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the body must be; a route that says nothing ignores whatever is sent. */
    bodyType?: 'json' | 'form' | 'fields' | undefined
    /** It may be left out, also by who says of what type it is. */
    bodyOptional?: boolean
    /** One of another type counts as none. */
    otherBodiesIgnored?: boolean
  }
}

/** Bodies are JSON or forms, in UTF-8, as the route says, and nothing else. */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer, done) => {
    try {
      done(null, readBody(request, body))
    } catch (error) {
      done(error as AppError)
    }
  })
}

function readBody({ headers, routeOptions }: FastifyRequest, body: Buffer): unknown {
  const { bodyType, bodyOptional, otherBodiesIgnored } = routeOptions.config
  if (bodyType === undefined || (bodyOptional && body.length === 0)) return undefined
  const type = bodyType === 'json' ? JSON_TYPE : FORM_TYPE
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!type.test(headers['content-type'] ?? '') || encoding !== 'identity') {
    if (otherBodiesIgnored) return undefined
    const wanted = bodyType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: `Send this body as ${wanted} in UTF-8.` })
  }
  if (bodyType === 'json') return readJson(body)
  const fields = readForm(body)
  return bodyType === 'form' ? toSingleValues(fields) : fields
}

function readJson(body: Buffer): unknown {
  const result = parseJson(body)
  if (result.ok && result.value !== null) return result.value
  // Where a body may be left out, the framework would take this for none.
  if (result.ok)
    throw new AppError('VALIDATION_FAILED', { details: [{ field: 'body', message: 'must be object' }] })
  const { problem } = result
  if (problem.kind === 'syntax') throw new AppError('INVALID_REQUEST', { message: problem.message })
  const { field, message } = problem
  throw new AppError('VALIDATION_FAILED', { details: [{ field: field || 'body', message }] })
}

function readForm(body: Buffer): Fields {
  // Anything but ASCII must be percent-encoded, so the bytes are the text.
  const fields = parseFields(body.toString('latin1'))
  if (fields) return fields
  throw new AppError('INVALID_REQUEST', {
    message: 'The form is not valid percent-encoded UTF-8, or has too many fields.',
  })
}

function toSingleValues(fields: Fields): Record<string, string> {
  if (fields.repeated.length === 0) return fields.toObject()
  throw new AppError('INVALID_REQUEST', { message: 'A parameter was sent more than once.' })
}
