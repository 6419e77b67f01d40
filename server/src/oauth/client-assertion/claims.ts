import { findTimeProblem, type JsonObject, type JwtProblem, toFact } from '../client-jwts/jwt.ts'

/** The longest time that an assertion may be valid for. */
const MAX_LIFETIME_SECONDS = 300

export interface UsedOnce {
  jti: string
  expiresAt: Date
}

/** The claims besides iss and sub (RFC 7523 §3, FAPI 2.0 Security Profile §5.3.2.1). */
export function checkClaims(claims: JsonObject, { issuer, now }: { issuer: string; now: Date }): UsedOnce | JwtProblem {
  const { aud, jti } = claims
  // A list, or the URL of an endpoint, would make an assertion for another server usable here.
  if (aud !== issuer) return { problem: 'wrong_audience', audience: toFact(aud), expected: issuer }
  const problem = findTimeProblem(claims, { now, maxSeconds: MAX_LIFETIME_SECONDS })
  if (problem) return problem
  if (typeof jti !== 'string' || jti === '') return { problem: 'no_jti' }
  return { jti, expiresAt: new Date(Number(claims.exp) * 1000) }
}
