export type AuthErrorName =
  /** An option of the provider is wrong. */
  | 'ConfigurationError'
  /** There is no Latchkey at `issuer`, or it has another address. */
  | 'IssuerError'
  /** The service did not answer, or the browser hid the answer. */
  | 'NetworkError'
  /** The user, or the service, refused the sign-in. */
  | 'AccessDeniedError'
  /** The clock of the device is wrong. */
  | 'ClockSkewError'
  /** The service refused the sign-in for another reason. */
  | 'SignInError'
  /** Nobody is signed in. */
  | 'SignedOutError'
  /** The access token has expired, and only a redirect can renew it. */
  | 'RenewalError'

interface AuthErrorOptions {
  advice: string
  cause?: unknown
  retry?: () => Promise<void>
}

/** Why a sign-in or the renewal of a token failed. */
export class AuthError extends Error {
  override readonly name: AuthErrorName
  /** What to do about it, in one or two sentences for the developer. */
  readonly advice: string
  /** Tries again. Present if that may help, as after a failed connection. */
  readonly retry: (() => Promise<void>) | undefined

  constructor(name: AuthErrorName, message: string, { advice, cause, retry }: AuthErrorOptions) {
    super(message, { cause })
    this.name = name
    this.advice = advice
    this.retry = retry
  }

  /** The same error, with a way to try again. */
  withRetry(retry: () => Promise<void>): AuthError {
    return new AuthError(this.name, this.message, { advice: this.advice, cause: this.cause, retry })
  }
}

export const signedOutError = (): AuthError =>
  new AuthError('SignedOutError', 'Nobody is signed in.', { advice: 'Call signIn().' })

export const renewalError = (): AuthError =>
  new AuthError('RenewalError', 'The access token has expired.', {
    advice:
      'Call getAccessToken({ redirect: true }) when the page may be left, or add offline_access to scope. Then tokens are renewed without a redirect.',
  })
