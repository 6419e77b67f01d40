import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isDatabaseAway } from '../db/away.ts'
import type { Role } from '../db/tables.ts'
import { AppError, type ErrorCode, type FieldProblem, OAuthError, type OAuthErrorCode } from '../errors.ts'
import { groupBy } from '../lib/group-by.ts'
import type { CallerKind } from './callers.ts'
import type { Route } from './define-route.ts'
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

/** What a route may answer because of who may enter and how, without saying so itself. */
export const impliedErrors = ({
  caller,
  roles,
  idempotent,
  admission,
}: Pick<Route, 'caller' | 'roles' | 'idempotent' | 'admission'>): ErrorCode[] => [
  ...(caller === 'anyone' ? [] : (['UNAUTHORIZED', 'FORBIDDEN'] as const)),
  ...(NEEDS_FACTOR.includes(caller) ? (['MFA_REQUIRED'] as const) : []),
  // The tenant may be suspended or deleted while they wait.
  ...(caller === 'member' || caller === 'license-writer'
    ? (['TENANT_SUSPENDED', 'TENANT_NOT_FOUND'] as const)
    : []),
  ...(isForOwners(roles) ? (['OWNER_REQUIRED'] as const) : []),
  ...(idempotent ? (['IDEMPOTENCY_KEY_REUSED'] as const) : []),
  ...(admission ? (['RATE_LIMITED'] as const) : []),
]

/** Those of whom a second factor may be required: members by their tenant, Super Admins by the instance. */
const NEEDS_FACTOR: readonly CallerKind[] = ['member', 'administrator', 'auditor', 'event-reader']

/** Whoever is refused what only an owner may do is told so. */
export const isForOwners = (roles: readonly Role[]): boolean => roles.length === 1 && roles[0] === 'owner'

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
  if (error instanceof OAuthError) return new AppError('INVALID_REQUEST', { message: error.message })
  if (isDatabaseAway(error)) return new AppError('UNAVAILABLE', { cause: error, headers: RETRY_AFTER })
  if (!(error instanceof Error)) return new AppError('INTERNAL_ERROR', { cause: error })
  const { validation, validationContext, code } = error as FastifyError
  if (validation) {
    return new AppError('VALIDATION_FAILED', { details: toFieldProblems(validation, validationContext) })
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

/** One problem a field: where several kinds of value would do, the validator complains once for each. */
function toFieldProblems(validation: Validation[], part: string | undefined): FieldProblem[] {
  const byField = groupBy(validation, (problem) => fieldOf(problem) || (part ?? 'body'))
  return [...byField]
    .slice(0, MOST_DETAILS)
    .map(([field, problems]) => ({ field, message: describe(problems) }))
}

function fieldOf({ instancePath, keyword, params }: Validation): string {
  const path = instancePath.split('/').slice(1)
  return [...path, ...(keyword === 'required' ? [String(params.missingProperty)] : [])].join('.')
}

function describe(problems: Validation[]): string {
  const allowed = problems.flatMap(({ keyword, params }) =>
    keyword === 'const'
      ? [params.allowedValue]
      : keyword === 'enum'
        ? (params.allowedValues as unknown[])
        : [],
  )
  if (allowed.length > 0) return `must be ${allowed.join(', ')}`.replace(/, ([^,]*)$/, ' or $1')
  const [first] = problems
  return first?.keyword === 'required' ? 'is required' : (first?.message ?? 'is not valid')
}

export function toBody({ status, code, message, details }: AppError, requestId: string): ErrorBody {
  return { statusCode: status, error: code, message, requestId, ...(details && { details }) }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers errors in the words of OAuth. */
    oauth?: boolean
  }
}

/** What went wrong on our side is worth a line with its cause; what the caller did wrong is not. */
export function logServerError(error: AppError, request: FastifyRequest): void {
  if (error.status < 500) return
  request.log.error({ err: error.cause ?? error, code: error.code }, 'request failed')
}

/** The one way an error leaves the house. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = describeError(error, request)
  // An oversized body is drained, not cut off: a client still sending would never see the answer.
  if (status === 413) reply.removeHeader('connection')
  reply
    .code(status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body)
}

interface Refusal {
  status: number
  headers: Record<string, string>
  body: object
}

function describeError(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof OAuthError) return describeOAuthError(error)
  const known = toAppError(error)
  logServerError(known, request)
  if (request.routeOptions.config.oauth) return describeOAuthError(toOAuthError(known))
  return { status: known.status, headers: known.headers, body: toBody(known, request.id) }
}

const describeOAuthError = ({ status, headers, code, message }: OAuthError): Refusal => ({
  status,
  headers: { Pragma: 'no-cache', ...headers },
  body: { error: code, error_description: message },
})

const OAUTH_CODES: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  RATE_LIMITED: 'temporarily_unavailable',
  UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL_ERROR: 'server_error',
}
const KEPT_STATUSES = [413, 429, 500, 503]

/** What the framework or the house refuses, as an OAuth endpoint says it: a 400, but for what is no client's fault. */
function toOAuthError({ code, status, message, details, headers }: AppError): OAuthError {
  const [first] = Array.isArray(details) ? details : []
  const sentence = first ? `The parameter ${first.field} ${first.message}.` : message
  return new OAuthError(OAUTH_CODES[code] ?? 'invalid_request', toPrintable(sentence), {
    status: KEPT_STATUSES.includes(status) ? status : 400,
    headers,
  })
}

/** RFC 6749 §5.2: printable ASCII without quotation mark and backslash. */
const toPrintable = (text: string): string => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '')
