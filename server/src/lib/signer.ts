export type Claims = Record<string, unknown>

/** The `typ` header, which keeps a token of one kind from being accepted as one of another. */
export type TokenType = 'at+jwt' | 'JWT' | 'logout+jwt'

/** RFC 7518 §3.1, RFC 8037 §3.1 (with Ed25519). */
export const SIGNING_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** There is always a key for this one. */
export const DEFAULT_ALGORITHM = 'RS256'

/** Signs and verifies the tokens of this service. */
export interface Signer {
  /** The first of the algorithms for which a key signs now; RS256 if there is none. */
  chooseAlgorithm(wanted: readonly SigningAlgorithm[]): Promise<SigningAlgorithm>
  /** With RS256 by default. */
  sign(type: TokenType, claims: Claims, algorithm?: SigningAlgorithm): Promise<string>
  /**
   * The claims if this service signed the token with this type and issuer, and with the algorithm of the key that it
   * names. Does not check expiry.
   */
  verify(type: TokenType, token: string): Promise<Claims | undefined>
  /** The JWK Set as text: the current keys, the next ones, and former ones whose tokens may still be valid. */
  publishedKeys(): Promise<string>
}
