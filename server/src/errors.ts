/**
 * Every error code of the product, once: its HTTP status and a sentence a stranger can act on.
 * `docs/errors.md` is generated from this table.
 */
export const ERRORS = {
  INVALID_REQUEST: [400, 'The request could not be understood.'],
  NOT_FOUND: [404, 'There is nothing at this address.'],
  METHOD_NOT_ALLOWED: [405, 'This address does not answer to that method; see the Allow header.'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send this body as application/json in UTF-8.'],
  VALIDATION_FAILED: [422, 'Some fields are not valid; details says which.'],
  HEADERS_TOO_LARGE: [431, 'The address or the headers of the request are too long.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side. The request id identifies it in the log.'],
  UNAVAILABLE: [503, 'The service cannot answer just now. Try again shortly.'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof ERRORS

/** One refused field of a request. */
export interface FieldProblem {
  field: string
  message: string
}

export interface AppErrorOptions {
  /** Replaces the code's own sentence where a more precise one helps. Shown to the caller. */
  message?: string
  details?: FieldProblem[] | Record<string, unknown>
  headers?: Record<string, string>
  /** What really happened. Logged, never shown. */
  cause?: unknown
}

/** An answer that is not a success: a public code and sentence, with a private cause. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: AppErrorOptions['details']
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const [status, sentence] = ERRORS[code]
    super(options.message ?? sentence, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}

/** A reason not to start, or not to carry out a command, in words for the operator. Printed without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
