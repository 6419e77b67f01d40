import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, OAuthError } from '../../errors.ts'
import { type Fields, parseFields } from '../../lib/fields.ts'
import { parseJson } from '../../lib/json.ts'
import { describeValidatorErrors } from '../../lib/validator-messages.ts'
import { inRequestLanguage } from '../server/language.ts'

export const BODY_LIMIT = 1024 * 1024
/** Far more than any hosted form or OAuth request needs. */
export const FORM_LIMIT = 64 * 1024

/** Exact matches only: a body of a similar media type would stay unparsed, and so unvalidated. */
const JSON_TYPE = /^application\/json(?: *; *charset=(?:utf-8|"utf-8"))? *$/i
const FORM_TYPE = /^application\/x-www-form-urlencoded(?: *; *charset=(?:utf-8|"utf-8"))? *$/i

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The expected body. A route without this setting ignores any body. */
    bodyType?: 'json' | 'form' | 'fields' | undefined
    /** An empty body is allowed, even with a Content-Type. */
    bodyOptional?: boolean
    /** A body of another type is treated as no body. */
    otherBodiesIgnored?: boolean
    /** The route takes the parameter resource of RFC 8707, but only once. */
    takesResource?: boolean
  }
}

/** Parses JSON and form bodies in UTF-8, depending on the route; other media types are rejected. */
export function registerBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer, done) => {
    try {
      done(
        null,
        inRequestLanguage(request, () => parseBody(request, body)),
      )
    } catch (error) {
      done(error as AppError | OAuthError)
    }
  })
}

function parseBody({ headers, routeOptions }: FastifyRequest, body: Buffer): unknown {
  const { bodyType, bodyOptional, otherBodiesIgnored, takesResource } = routeOptions.config
  if (bodyType === undefined || (bodyOptional && body.length === 0)) return undefined
  const type = bodyType === 'json' ? JSON_TYPE : FORM_TYPE
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!type.test(headers['content-type'] ?? '') || encoding !== 'identity') {
    if (otherBodiesIgnored) return undefined
    const expected = bodyType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: `Send this body as ${expected} in UTF-8.` })
  }
  if (bodyType === 'json') return requireJson(body)
  const fields = requireForm(body)
  if (takesResource && fields.repeated.includes('resource')) {
    throw new OAuthError('invalid_target', 'Only one resource can be requested at a time.')
  }
  return bodyType === 'form' ? requireSingleValues(fields) : fields
}

function requireJson(body: Buffer): unknown {
  const result = parseJson(body)
  if (result.ok && result.value !== null) return result.value
  // Fastify would treat null as an omitted optional body.
  if (result.ok) {
    const message = describeValidatorErrors([{ keyword: 'type', params: { type: 'object' } }])
    throw new AppError('VALIDATION_FAILED', { details: [{ field: 'body', message }] })
  }
  const { problem } = result
  if (problem.kind === 'syntax') throw new AppError('INVALID_REQUEST', { message: problem.message })
  const { field, message } = problem
  throw new AppError('VALIDATION_FAILED', { details: [{ field: field || 'body', message }] })
}

function requireForm(body: Buffer): Fields {
  // Non-ASCII characters must be percent-encoded, so latin1 decodes a valid form correctly.
  const fields = parseFields(body.toString('latin1'))
  if (fields) return fields
  throw new AppError('INVALID_REQUEST', {
    message: 'The form is not valid percent-encoded UTF-8, or has too many fields.',
  })
}

function requireSingleValues(fields: Fields): Record<string, string> {
  if (fields.repeated.length === 0) return fields.toObject()
  throw new AppError('INVALID_REQUEST', { message: 'A parameter was sent more than once.' })
}
