import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../db/away.ts'
import { AppError, type ErrorCode, type FieldProblem } from '../errors.ts'
import type { ErrorBody } from './schema.ts'

/** What any route may answer: the request may be unfit, or the service unable. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_FAILED',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
]

const MOST_DETAILS = 20

const RETRY_AFTER = { 'Retry-After': '2' }

const FASTIFY_CODES: Record<string, ErrorCode> = {
  FST_ERR_BAD_URL: 'INVALID_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_REQUEST',
}

/** Turns whatever was thrown into the one error the caller sees. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isDatabaseAway(error)) return new AppError('UNAVAILABLE', { cause: error, headers: RETRY_AFTER })
  if (!(error instanceof Error)) return new AppError('INTERNAL_ERROR', { cause: error })
  const { validation, validationContext, code } = error as FastifyError
  if (validation) {
    const details = validation
      .slice(0, MOST_DETAILS)
      .map((problem) => toFieldProblem(problem, validationContext))
    return new AppError('VALIDATION_FAILED', { details })
  }
  return new AppError(FASTIFY_CODES[code] ?? (isCallersFault(error) ? 'INVALID_REQUEST' : 'INTERNAL_ERROR'), {
    cause: error,
  })
}

/** The framework refused the request, or the caller hung up while sending it. */
function isCallersFault({ code = '', statusCode = 500, message }: Partial<FastifyError>): boolean {
  return (code.startsWith('FST_') && statusCode < 500) || (code === 'ECONNRESET' && message === 'aborted')
}

type Validation = NonNullable<FastifyError['validation']>[number]

function toFieldProblem({ instancePath, keyword, params, message }: Validation, part?: string): FieldProblem {
  const path = instancePath.split('/').slice(1)
  if (keyword === 'required') path.push(String(params.missingProperty))
  const text = keyword === 'required' ? 'is required' : (message ?? 'is not valid')
  return { field: path.join('.') || (part ?? 'body'), message: text }
}

export function toBody({ status, code, message, details }: AppError, requestId: string): ErrorBody {
  return { statusCode: status, error: code, message, requestId, ...(details && { details }) }
}

/** What went wrong on our side is worth a line with its cause; what the caller did wrong is not. */
export function logServerError(error: AppError, request: FastifyRequest): void {
  if (error.status < 500) return
  request.log.error({ err: error.cause ?? error, code: error.code }, 'request failed')
}

/** The one way an error leaves the house. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error)
  logServerError(known, request)
  // An oversized body is drained, not cut off: a client still sending would never see the answer.
  if (known.code === 'PAYLOAD_TOO_LARGE') reply.removeHeader('connection')
  reply
    .code(known.status)
    .headers(known.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(toBody(known, request.id))
}
