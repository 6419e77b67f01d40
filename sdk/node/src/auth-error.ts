export type AuthErrorCode =
  | 'invalid_token'
  | 'invalid_dpop_proof'
  | 'insufficient_scope'
  | 'license_required'
  | 'unavailable'

/** Why a request was refused, with the response to send. */
export class AuthError extends Error {
  override readonly name = 'AuthError'
  readonly status: 401 | 403 | 503
  readonly code: AuthErrorCode
  /** The WWW-Authenticate header (RFC 6750 §3, RFC 9449 §7.1), for a 401 and for a missing role or scope. */
  readonly challenge: string | undefined

  constructor(code: AuthErrorCode, message: string, options: { challenge?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = STATUS[code]
    this.challenge = options.challenge
  }

  /** The JSON body of the response. */
  toBody(): { error: AuthErrorCode; message: string } {
    return { error: this.code, message: this.message }
  }

  /** The headers of the response. */
  toHeaders(): Record<string, string> {
    return {
      ...(this.challenge !== undefined && { 'www-authenticate': this.challenge }),
      ...(this.status === 503 && { 'retry-after': '1' }),
    }
  }
}

const STATUS = {
  invalid_token: 401,
  invalid_dpop_proof: 401,
  insufficient_scope: 403,
  license_required: 403,
  unavailable: 503,
} as const satisfies Record<AuthErrorCode, number>
