import type { Eventual } from './eventual.ts'

/** The claims of a token, as they stand in it. */
export type Claims = Record<string, unknown>

/** What kind of token: it stands in the header, so that one kind never passes for another. */
export type TokenType = 'at+jwt' | 'JWT'

/** Signs and recognises our tokens. */
export interface Signer {
  sign(type: TokenType, claims: Claims): Promise<string>
  /**
   * The claims of a token of this type that we signed with RS256 for our issuer; undefined for anything else.
   * Whether it has expired is for the caller to judge.
   */
  verify(type: TokenType, token: string): Promise<Claims | undefined>
  /** The public keys as the text of a JWK Set: those that sign, will sign soon, or have signed what still lives. */
  publishedKeys(): Eventual<string>
}
