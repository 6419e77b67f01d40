import { t } from './languages/translate.ts'

/**
 * Every error code with its HTTP status and a message that tells the caller what to do. `docs/errors.md` is generated
 * from this table.
 */
export const ERRORS = {
  INVALID_REQUEST: [400, 'The request could not be understood.'],
  INVALID_TOKEN: [400, 'This link is not valid any more. Ask for a new one.'],
  INVALID_CODE: [400, 'This code is wrong, used up or too old.'],
  INVALID_PASSKEY: [400, 'This passkey could not be verified. Try again.'],
  CURRENT_PASSWORD_INCORRECT: [400, 'The current password is wrong.'],
  PASSWORD_REQUIRED: [400, 'Set a password first: without one you could not sign in any more.'],
  LAST_LOGIN_METHOD: [400, 'This is your only way to sign in, so it cannot be removed.'],
  TENANT_OWNER: [400, 'You are the last owner of a tenant. Make somebody else its owner first.'],
  INCORRECT_CONFIRMATION: [400, 'The confirmation text does not match.'],
  SSO_PROVIDER_NOT_CONFIGURED: [400, 'This sign-in provider is not set up here.'],
  INVALID_APPLICATION_ID: [400, 'There is no application with this applicationId.'],
  MEMBER_NOT_ACTIVE: [400, 'This person is invited or suspended: only active members can hold a license.'],
  ALREADY_LICENSED: [400, 'This person has a license for the application already.'],
  NO_SEATS_AVAILABLE: [400, 'No seat of this license type is available; details says why.'],
  UNAUTHORIZED: [401, 'Sign in first, or send a valid access token.'],
  INVALID_CREDENTIALS: [401, 'The email address or the password is wrong.'],
  FORBIDDEN: [403, 'You may not do this.'],
  EMAIL_NOT_VERIFIED: [403, 'Confirm your email address first.'],
  OWNER_REQUIRED: [403, 'Only an owner of the tenant may do this.'],
  INVITATION_EMAIL_MISMATCH: [403, 'This invitation is for another email address. Sign in with that one.'],
  MFA_REQUIRED: [
    403,
    'A second factor is required here. Set one up at /mfa/setup, or sign in again with the one you have.',
  ],
  REAUTHENTICATION_REQUIRED: [403, 'Your sign-in is too old for this. Sign in again, or give your password.'],
  TENANT_SUSPENDED: [403, 'This tenant is suspended. Only an operator can reactivate it.'],
  ACCOUNT_SCHEDULED_FOR_DELETION: [403, 'This account is about to be deleted. Restore it to sign in.'],
  NOT_FOUND: [404, 'There is nothing at this address.'],
  APPLICATION_NOT_FOUND: [404, 'There is no such application.'],
  CLIENT_NOT_FOUND: [404, 'There is no such client.'],
  RESOURCE_NOT_FOUND: [404, 'There is no such resource.'],
  REGISTRATION_TOKEN_NOT_FOUND: [404, 'There is no such registration token.'],
  SECRET_NOT_FOUND: [404, 'This client has no such secret.'],
  TENANT_NOT_FOUND: [404, 'There is no such tenant.'],
  MEMBER_NOT_FOUND: [404, 'The tenant has no such member.'],
  USER_NOT_FOUND: [404, 'There is no such user.'],
  LICENSE_NOT_FOUND: [404, 'This person has no license for the application.'],
  LICENSE_TYPE_NOT_FOUND: [404, 'The application has no such license type.'],
  SUBSCRIPTION_NOT_FOUND: [404, 'There is no such subscription.'],
  INVITATION_NOT_FOUND: [404, 'There is no such invitation. It may have been sent again since: use the latest mail.'],
  SESSION_NOT_FOUND: [404, 'You have no such session.'],
  CONSENT_NOT_FOUND: [404, 'You have not given consent to this application.'],
  SSO_LINK_NOT_FOUND: [404, 'No account of this provider is linked to yours.'],
  MFA_NOT_ENROLLED: [404, 'This second factor is not set up.'],
  PASSKEY_NOT_FOUND: [404, 'You have no such passkey.'],
  WEBHOOK_NOT_FOUND: [404, 'There is no such webhook.'],
  MAIL_TEMPLATE_NOT_FOUND: [404, 'There is no mail of this kind whose texts can be edited here.'],
  DELIVERY_NOT_FOUND: [404, 'There is no such delivery. It may be too old to be kept.'],
  METHOD_NOT_ALLOWED: [405, 'This address does not answer to that method; see the Allow header.'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  SLUG_TAKEN: [409, 'This slug is taken. Choose another.'],
  CLIENT_ID_TAKEN: [409, 'This client id is taken. Choose another.'],
  RESOURCE_URI_TAKEN: [409, 'This URI is registered already. Change that resource, or choose another URI.'],
  TOO_MANY_SECRETS: [409, 'This client has two secrets already. End one of them first.'],
  EMAIL_TAKEN: [409, 'Another account has this email address by now.'],
  LAST_SUPER_ADMIN: [409, 'This is the last Super Admin who can sign in. Make somebody else one first.'],
  OWN_ACCOUNT: [409, 'Nobody can do this to their own account here. Ask another administrator.'],
  NOT_SCHEDULED_FOR_DELETION: [409, 'This account is not about to be deleted.'],
  LAST_OWNER: [409, 'This is the last owner of the tenant. Make somebody else an owner first.'],
  ALREADY_MEMBER: [409, 'This person is a member of the tenant already.'],
  INVITATION_EXISTS: [409, 'This address is invited already. Send that invitation again, or revoke it.'],
  INVITATION_PENDING: [409, 'This person has not accepted the invitation yet. Only they can.'],
  INVITATION_NOT_PENDING: [409, 'This invitation is accepted, revoked or expired. Make a new one.'],
  INVITATION_ALREADY_ACCEPTED: [409, 'This invitation has been accepted already. Sign in instead.'],
  SUBSCRIPTION_EXISTS: [409, 'The tenant has a subscription of this license type already. Change that one.'],
  SEATS_IN_USE: [409, 'More seats are in use than this. Revoke some first.'],
  SUPPORT_ACCESS_OFF: [409, 'The tenant does not allow support access. An owner or admin of it can, in its settings.'],
  SUPPORT_ACCESS_REFUSED: [409, 'Nobody can act as this member.'],
  SSO_ALREADY_LINKED: [409, 'An account of this provider is linked already.'],
  MFA_ALREADY_ENROLLED: [409, 'An authenticator app is set up already. Remove it first.'],
  TOO_MANY_WEBHOOKS: [409, 'The maximum number of webhooks is reached. Delete one first.'],
  INVITATION_EXPIRED: [410, 'This invitation has expired. Ask for a new one.'],
  INVITATION_REVOKED: [410, 'This invitation was withdrawn.'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send this body as application/json in UTF-8.'],
  VALIDATION_FAILED: [422, 'Some fields are not valid; details says which.'],
  WEAK_PASSWORD: [422, 'The password is too weak.'],
  SAME_PASSWORD: [422, 'The new password is the current one.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'This Idempotency-Key was used before with another request.'],
  RATE_LIMITED: [429, 'Too many attempts. Wait a while; Retry-After says how long.'],
  HEADERS_TOO_LARGE: [431, 'The address or the headers of the request are too long.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side. The request id identifies it in the log.'],
  UNAVAILABLE: [503, 'The service cannot answer just now. Try again shortly.'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof ERRORS

/**
 * The error codes of the OAuth endpoints (RFC 6749 §5.2, RFC 6750 §3.1, RFC 7591 §3.2.2, RFC 8628 §3.5, RFC 8707 §2,
 * RFC 9449 §12.2, OpenID Connect Core §3.1.2.6, OpenID Connect Core Error Code unmet_authentication_requirements §2), with
 * the HTTP status for responses that are not redirects.
 */
export const OAUTH_ERRORS = {
  invalid_request: 400,
  invalid_client: 400,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  unapproved_software_statement: 400,
  invalid_token: 401,
  invalid_dpop_proof: 400,
  use_dpop_nonce: 400,
  insufficient_scope: 403,
  access_denied: 403,
  login_required: 400,
  interaction_required: 400,
  consent_required: 400,
  unmet_authentication_requirements: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  invalid_request_uri: 400,
  invalid_request_object: 400,
  server_error: 500,
  temporarily_unavailable: 503,
} as const satisfies Record<string, number>

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS

/** A validation error of one field. */
export interface FieldProblem {
  field: string
  message: string
}

export interface AppErrorOptions {
  /** Replaces the default message of the code. Shown to the caller, in the current language: `t('…')`. */
  message?: string
  details?: FieldProblem[] | Record<string, unknown>
  headers?: Record<string, string>
  /** The underlying error. Logged, never shown. */
  cause?: unknown
}

/** An error response with a public code and message and a private cause. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** The message is that of the code, and not written for this case. */
  readonly isGeneral: boolean
  readonly details: AppErrorOptions['details']
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const [status, message] = ERRORS[code]
    super(options.message ?? t(message), { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.isGeneral = options.message === undefined
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}

/** The rate limit was exceeded. */
export const tooManyAttempts = (seconds: number, message?: string): AppError =>
  new AppError('RATE_LIMITED', { ...(message && { message }), headers: { 'Retry-After': String(seconds) } })

interface OAuthErrorOptions {
  status?: number
  headers?: Record<string, string>
  /** The value that was sent and what is registered. Logged, never shown, and never secret. */
  facts?: Record<string, unknown>
}

/** An OAuth error response. The description is public and printable ASCII without quotes and backslashes. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly status: number
  readonly headers: Record<string, string>
  readonly facts: OAuthErrorOptions['facts']

  constructor(code: OAuthErrorCode, description: string, { status, headers, facts }: OAuthErrorOptions = {}) {
    super(description)
    this.facts = facts
    this.code = code
    this.status = status ?? OAUTH_ERRORS[code]
    this.headers = headers ?? {}
  }
}

/** An error that the operator can fix. It is printed without a stack trace. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
