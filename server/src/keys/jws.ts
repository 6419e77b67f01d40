import type { KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { decodeBase64Url } from '../lib/base64url.ts'
import type { Claims, SigningAlgorithm, TokenType } from '../lib/signer.ts'
import { isSignature } from './algorithms.ts'

const MAX_TOKEN_LENGTH = 16 * 1024
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

/** A parsed but unverified token. */
interface Jws {
  algorithm: string
  kid: string
  payload: string
  signed: string
  signature: string
}

interface SignatureKey {
  kid: string
  algorithm: SigningAlgorithm
  key: KeyObject
}

/** Signs claims (RFC 7515 §3.1) on the thread pool. */
export const signJws = (type: TokenType, claims: Claims, { kid, algorithm, key }: SignatureKey): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ: type, kid }).sign(key)

/**
 * Parses a token of this type; undefined if its header is not exactly alg, typ and kid. Any other header parameter
 * (crit, b64, jwk, jku, x5c …) is refused (RFC 8725 §3.10).
 */
export function parseJws(type: TokenType, token: string): Jws | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined
  const [, first = '', payload = '', signature = ''] = COMPACT.exec(token) ?? []
  const header = decode(first)
  if (!header || Object.keys(header).length !== 3) return undefined
  const { alg, typ, kid } = header
  if (typeof alg !== 'string' || typeof typ !== 'string' || typeof kid !== 'string') return undefined
  // RFC 7515 §4.1.9: typ is a media type, so its case does not matter.
  if (typ.toLowerCase() !== type.toLowerCase()) return undefined
  return { algorithm: alg, kid, payload, signed: `${first}.${payload}`, signature }
}

/**
 * Returns the claims if the signature is valid. The algorithm is that of the key, and the header must name it
 * (RFC 8725 §3.1). Verification is synchronous: it is cheap, and on the thread pool, where jose verifies, it would queue
 * behind password hashes.
 */
export function verifyJws(
  { algorithm, signed, signature: encoded, payload }: Jws,
  { algorithm: expected, publicKey: key }: { algorithm: SigningAlgorithm; publicKey: KeyObject },
): Claims | undefined {
  if (algorithm !== expected) return undefined
  // The encoding of the signature itself is not signed, so only canonical base64url is accepted.
  const signature = decodeBase64Url(encoded)
  const genuine = signature !== undefined && isSignature(expected, { signed, signature, key })
  return genuine ? decode(payload) : undefined
}

function decode(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(decodeBase64Url(text)?.toString() ?? '')
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
