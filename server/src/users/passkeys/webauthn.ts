/**
 * The library for passkeys brings much along that few processes ever need, so it is loaded with the first passkey that
 * somebody uses.
 */
export const loadWebauthn = () => import('@simplewebauthn/server')
export const loadWebauthnHelpers = () => import('@simplewebauthn/server/helpers')

/** The algorithms of passkeys by their numbers in COSE (RFC 9053): ES256, EdDSA, RS256. */
export const ALGORITHMS = [-7, -8, -257]

export const toBytes = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(base64url, 'base64url'))

export const fromBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
