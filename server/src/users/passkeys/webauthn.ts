/** The WebAuthn library has many dependencies, so it is loaded on first use. */
export const loadWebauthn = () => import('@simplewebauthn/server')
export const loadWebauthnHelpers = () => import('@simplewebauthn/server/helpers')

/** COSE algorithm identifiers: ES256, EdDSA (RFC 9053) and RS256 (RFC 8812). */
export const ALGORITHMS = [-7, -8, -257]

export const toBytes = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(base64url, 'base64url'))

export const fromBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
