import { OAuthError } from '../../errors.ts'
import type { Proof } from './request-proof.ts'

/**
 * A code or refresh token that is bound to a key is valid only with a proof of this key (RFC 9449 §5, §10). With
 * `anyKey`, the proof may be of another key: refresh tokens of confidential clients are bound to the client.
 */
export function requireProofOfKey(
  jkt: string | null,
  proof: Proof | undefined,
  { anyKey = false }: { anyKey?: boolean } = {},
): void {
  if (jkt === null) return
  if (!proof)
    throw new OAuthError('invalid_grant', 'This grant is bound to a key, so the request must have a DPoP proof.')
  if (!anyKey && proof.jkt !== jkt) {
    throw new OAuthError('invalid_grant', 'The DPoP proof is not of the key that this grant is bound to.')
  }
}
