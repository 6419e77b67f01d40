import type { OAuthErrorCode } from '../errors.ts'

/** What can be wrong with a DPoP proof. */
export const PROOF_ERRORS = ['invalid_dpop_proof', 'use_dpop_nonce'] as const

/** The errors of the token endpoint. */
export const TOKEN_ERRORS: OAuthErrorCode[] = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  ...PROOF_ERRORS,
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
]
