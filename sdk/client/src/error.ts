import type { ErrorCode } from './types.ts'

/** A validation error of one field. */
export interface FieldProblem {
  field: string
  message: string
}

/** An error response of the service, with a code for programs and a message for users. */
export class LatchkeyError extends Error {
  override readonly name = 'LatchkeyError'
  readonly status: number
  /** Such as NO_SEATS_AVAILABLE; for the OAuth endpoints a code of RFC 6749, such as invalid_grant. */
  readonly code: ErrorCode | (string & {})
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined
  /** The validation errors. */
  readonly fields: FieldProblem[]
  readonly details: unknown
  /** The Retry-After header in seconds. */
  readonly retryAfter: number | undefined

  constructor({ status, code, message, ...rest }: ErrorProperties) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = rest.requestId
    this.details = rest.details
    this.retryAfter = rest.retryAfter
    this.fields = Array.isArray(rest.details) ? rest.details.filter(isFieldProblem) : []
  }

  static from({ status, headers }: Response, body: unknown): LatchkeyError {
    const { error, message, requestId, details, error_description } = (
      typeof body === 'object' && body !== null ? body : {}
    ) as Record<string, unknown>
    const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
    return new LatchkeyError({
      status,
      code: typeof error === 'string' ? error : 'UNKNOWN',
      message: String(message ?? error_description ?? `The service answered ${status}.`),
      requestId: typeof requestId === 'string' ? requestId : (headers.get('x-request-id') ?? undefined),
      details,
      retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
    })
  }
}

interface ErrorProperties {
  status: number
  code: string
  message: string
  requestId?: string | undefined
  details?: unknown
  retryAfter?: number | undefined
}

const isFieldProblem = (detail: unknown): detail is FieldProblem =>
  typeof detail === 'object' && detail !== null && 'field' in detail && 'message' in detail
