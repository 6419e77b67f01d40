/** A field that was refused, and why. */
export interface FieldProblem {
  field: string
  message: string
}

/** What the service answers when it refuses: the code to tell by, the sentence to show. */
export class LatchkeyError extends Error {
  override readonly name = 'LatchkeyError'
  readonly status: number
  /** Such as NO_SEATS_AVAILABLE; every code is listed in docs/errors.md. */
  readonly code: string
  /** The number by which operators find the request in their log. */
  readonly requestId: string | undefined
  /** Which fields were refused. */
  readonly fields: FieldProblem[]
  readonly details: unknown
  /** After how many seconds it makes sense to try again. */
  readonly retryAfter: number | undefined

  constructor({ status, code, message, ...rest }: Refusal) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = rest.requestId
    this.details = rest.details
    this.retryAfter = rest.retryAfter
    this.fields = Array.isArray(rest.details) ? rest.details.filter(isFieldProblem) : []
  }

  static from({ status, headers }: Response, answer: unknown): LatchkeyError {
    const { error, message, requestId, details, error_description } = (
      typeof answer === 'object' && answer !== null ? answer : {}
    ) as Record<string, unknown>
    const wait = Number(headers.get('retry-after') ?? Number.NaN)
    return new LatchkeyError({
      status,
      code: typeof error === 'string' ? error : 'UNKNOWN',
      message: String(message ?? error_description ?? `The service answered ${status}.`),
      requestId: typeof requestId === 'string' ? requestId : (headers.get('x-request-id') ?? undefined),
      details,
      retryAfter: Number.isNaN(wait) ? undefined : wait,
    })
  }
}

interface Refusal {
  status: number
  code: string
  message: string
  requestId?: string | undefined
  details?: unknown
  retryAfter?: number | undefined
}

const isFieldProblem = (detail: unknown): detail is FieldProblem =>
  typeof detail === 'object' && detail !== null && 'field' in detail && 'message' in detail
