import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isConnectionError } from '../../db/connection-errors.ts'
import type { Role } from '../../db/tables.ts'
import { AppError, type ErrorCode, type FieldProblem, OAuthError, type OAuthErrorCode } from '../../errors.ts'
import { groupBy } from '../../lib/group-by.ts'
import { describeValidatorErrors } from '../../lib/validator-messages.ts'
import type { CallerKind } from '../routing/callers.ts'
import type { Route } from '../routing/define-route.ts'
import type { ErrorBody } from '../routing/schema.ts'
import { requestLog } from '../server/request-log.ts'

/** The errors that every route may return. */
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

/** The errors that follow from a route's settings, which the route does not list itself. */
export const impliedErrors = ({
  caller,
  roles,
  idempotent,
  admission,
}: Pick<Route, 'caller' | 'roles' | 'idempotent' | 'admission'>): ErrorCode[] => [
  ...(caller === 'anyone' ? [] : (['UNAUTHORIZED', 'FORBIDDEN'] as const)),
  ...(NEEDS_FACTOR.includes(caller) ? (['MFA_REQUIRED'] as const) : []),
  // The tenant may be suspended or deleted while the request waits.
  ...(caller === 'member' || caller === 'license-writer' ? (['TENANT_SUSPENDED', 'TENANT_NOT_FOUND'] as const) : []),
  // A route for owners only says so in its error; other roles get FORBIDDEN.
  ...(isOwnerOnly(roles) ? (['OWNER_REQUIRED'] as const) : []),
  ...(idempotent ? (['IDEMPOTENCY_KEY_REUSED'] as const) : []),
  ...(admission ? (['RATE_LIMITED'] as const) : []),
]

/** A second factor may be required of members by their tenant, and of Super Admins by the instance. */
const NEEDS_FACTOR: readonly CallerKind[] = ['member', 'administrator', 'auditor', 'event-reader']

export const isOwnerOnly = (roles: readonly Role[]): boolean => roles.length === 1 && roles[0] === 'owner'

const MAX_DETAILS = 20

const RETRY_AFTER = { 'Retry-After': '2' }

const FASTIFY_CODES: Record<string, ErrorCode> = {
  FST_ERR_BAD_URL: 'INVALID_REQUEST',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_REQUEST',
}

/** Maps any thrown value to the error that the caller gets. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof OAuthError) return new AppError('INVALID_REQUEST', { message: error.message })
  if (isConnectionError(error)) return new AppError('UNAVAILABLE', { cause: error, headers: RETRY_AFTER })
  if (!(error instanceof Error)) return new AppError('INTERNAL_ERROR', { cause: error })
  const { validation, validationContext, code } = error as FastifyError
  if (validation) {
    return new AppError('VALIDATION_FAILED', { details: toFieldProblems(validation, validationContext) })
  }
  return new AppError(FASTIFY_CODES[code] ?? (isRequestError(error) ? 'INVALID_REQUEST' : 'INTERNAL_ERROR'), {
    cause: error,
  })
}

/** True if Fastify rejected the request, or the client closed the connection while sending it. */
function isRequestError({ code = '', statusCode = 500, message }: Partial<FastifyError>): boolean {
  return (code.startsWith('FST_') && statusCode < 500) || (code === 'ECONNRESET' && message === 'aborted')
}

type ValidationError = NonNullable<FastifyError['validation']>[number]

/** Merges the errors of each field: for a union type the validator reports one error per alternative. */
function toFieldProblems(errors: ValidationError[], part: string | undefined): FieldProblem[] {
  const byField = groupBy(errors, (error) => fieldOf(error) || (part ?? 'body'))
  return [...byField].slice(0, MAX_DETAILS).map(([field, fieldErrors]) => ({
    field,
    message: describeValidatorErrors(fieldErrors),
  }))
}

function fieldOf({ instancePath, keyword, params }: ValidationError): string {
  const path = instancePath.split('/').slice(1)
  return [...path, ...(keyword === 'required' ? [String(params.missingProperty)] : [])].join('.')
}

export function toErrorBody({ status, code, message, details }: AppError, requestId: string): ErrorBody {
  return { statusCode: status, error: code, message, requestId, ...(details && { details }) }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route returns errors in the OAuth format (RFC 6749 §5.2). */
    oauth?: boolean
  }
}

/** Logs server errors only. The message may be in the language of the caller; the code is the same in all. */
export function logServerError(error: AppError, request: FastifyRequest): void {
  if (error.status < 500) return
  requestLog(request).error({ err: error.cause ?? error, code: error.code }, 'request failed')
}

/** Sends any thrown value as the error response. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = toErrorResponse(error, request)
  // Keep the connection open for an oversized body: a client that is still sending would not see the response.
  if (status === 413) reply.removeHeader('connection')
  reply.code(status).headers(headers).type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
}

interface ErrorResponse {
  status: number
  headers: Record<string, string>
  body: object
}

function toErrorResponse(error: unknown, request: FastifyRequest): ErrorResponse {
  if (error instanceof OAuthError) return toOAuthErrorResponse(error)
  const appError = toAppError(error)
  logServerError(appError, request)
  if (request.routeOptions.config.oauth) return toOAuthErrorResponse(toOAuthError(appError))
  return { status: appError.status, headers: appError.headers, body: toErrorBody(appError, request.id) }
}

const toOAuthErrorResponse = ({ status, headers, code, message }: OAuthError): ErrorResponse => ({
  status,
  headers: { Pragma: 'no-cache', ...headers },
  body: { error: code, error_description: message },
})

const OAUTH_CODES: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  RATE_LIMITED: 'temporarily_unavailable',
  UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL_ERROR: 'server_error',
}
/** Errors with another status become 400 at an OAuth endpoint. */
const PRESERVED_STATUSES = [413, 429, 500, 503]

function toOAuthError({ code, status, message, details, headers }: AppError): OAuthError {
  const [first] = Array.isArray(details) ? details : []
  const sentence = first ? `The parameter ${first.field} ${first.message}.` : message
  return new OAuthError(OAUTH_CODES[code] ?? 'invalid_request', toPrintable(sentence), {
    status: PRESERVED_STATUSES.includes(status) ? status : 400,
    headers,
  })
}

/** RFC 6749 §5.2 allows printable ASCII without the quotation mark and the backslash. */
export const toPrintable = (text: string): string => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '')
