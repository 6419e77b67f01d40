import { createHash, timingSafeEqual } from 'node:crypto'
import type { PkceMethod } from '../db/tables.ts'

/** RFC 7636 §4.1: 43 to 128 unreserved characters. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/
/** A base64url SHA-256 has 43 characters. */
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/

export const isPkceMethod = (text: string): text is PkceMethod => text === 'S256' || text === 'plain'

export const isChallenge = (text: string, method: PkceMethod): boolean =>
  (method === 'S256' ? S256_CHALLENGE : VERIFIER).test(text)

/** RFC 7636 §4.6. */
export function matchesChallenge(verifier: string, challenge: string, method: PkceMethod): boolean {
  if (!VERIFIER.test(verifier)) return false
  const derived = method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
  const [a, b] = [Buffer.from(derived), Buffer.from(challenge)]
  return a.length === b.length && timingSafeEqual(a, b)
}
