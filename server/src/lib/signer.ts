export type Claims = Record<string, unknown>

/** The `typ` header, which keeps an ID token from being accepted as an access token. */
export type TokenType = 'at+jwt' | 'JWT'

/** Signs and verifies the tokens of this service. */
export interface Signer {
  sign(type: TokenType, claims: Claims): Promise<string>
  /** The claims if this service signed the token with this type and issuer (RS256). Does not check expiry. */
  verify(type: TokenType, token: string): Promise<Claims | undefined>
  /** The JWK Set as text: the current key, the next one, and former ones whose tokens may still be valid. */
  publishedKeys(): Promise<string>
}
