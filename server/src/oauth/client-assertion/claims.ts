import { decodeBase64Url } from '../../lib/base64url.ts'
import { parseJson } from '../../lib/json.ts'
import { isKeyAlgorithm, type KeyAlgorithm } from '../../lib/public-keys.ts'

/** What was wrong, for the log. The client is not told. */
export interface AssertionProblem {
  problem: string
  [fact: string]: unknown
}

type JsonObject = Record<string, unknown>

/** An assertion whose signature was not verified yet. */
export interface DecodedAssertion {
  text: string
  header: JsonObject
  claims: JsonObject
}

/** Undefined if it is not a signed JWT. Names that occur twice are refused, because parsers disagree on them. */
export function decodeAssertion(text: string): DecodedAssertion | undefined {
  const [header, claims, signature, ...rest] = text.split('.')
  if (!signature || rest.length > 0) return undefined
  const decoded = { text, header: decodeObject(header), claims: decodeObject(claims) }
  return isDecoded(decoded) ? decoded : undefined
}

const isDecoded = (
  decoded: { [K in keyof DecodedAssertion]: DecodedAssertion[K] | undefined },
): decoded is DecodedAssertion => decoded.header !== undefined && decoded.claims !== undefined

function decodeObject(part = ''): JsonObject | undefined {
  const bytes = decodeBase64Url(part)
  const result = bytes && parseJson(bytes)
  if (!result?.ok) return undefined
  const { value } = result
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

/** Other kinds of signed JWT must not pass as an assertion. */
const TYPES = ['jwt', 'client-authentication+jwt']

/** The algorithm and key id of an assertion. */
export interface AssertionHeader {
  alg: KeyAlgorithm
  kid: string | undefined
}

export function checkHeader({ alg, kid, typ, crit, b64 }: JsonObject): AssertionHeader | AssertionProblem {
  if (!isKeyAlgorithm(alg)) return { problem: 'wrong_algorithm', algorithm: toFact(alg) }
  if (typ !== undefined && !(typeof typ === 'string' && TYPES.includes(typ.toLowerCase()))) {
    return { problem: 'wrong_type', type: toFact(typ) }
  }
  // RFC 7515 §4.1.11: no extension is understood here.
  if (crit !== undefined || b64 !== undefined) return { problem: 'unknown_extension' }
  if (kid !== undefined && typeof kid !== 'string') return { problem: 'wrong_kid' }
  return { alg, kid }
}

/** The longest time that an assertion may be valid for, and how far clocks may differ. */
const MAX_LIFETIME_SECONDS = 300
const CLOCK_DIFFERENCE_SECONDS = 60

export interface UsedOnce {
  jti: string
  expiresAt: Date
}

/** The claims besides iss and sub (RFC 7523 §3, FAPI 2.0 Security Profile §5.3.2.1). */
export function checkClaims(
  { aud, exp, nbf, iat, jti }: JsonObject,
  { issuer, now }: { issuer: string; now: Date },
): UsedOnce | AssertionProblem {
  const seconds = now.getTime() / 1000
  // A list, or the URL of an endpoint, would make an assertion for another server usable here.
  if (aud !== issuer) return { problem: 'wrong_audience', audience: toFact(aud), expected: issuer }
  if (!isTime(exp)) return { problem: 'no_expiry' }
  if (exp <= seconds) return { problem: 'expired', expiry: exp }
  if (exp > seconds + MAX_LIFETIME_SECONDS + CLOCK_DIFFERENCE_SECONDS)
    return { problem: 'expiry_too_late', expiry: exp }
  for (const [name, time] of Object.entries({ nbf, iat })) {
    if (time === undefined) continue
    if (!isTime(time)) return { problem: `wrong_${name}` }
    if (time > seconds + CLOCK_DIFFERENCE_SECONDS) return { problem: 'not_yet_valid', [name]: time }
  }
  if (typeof jti !== 'string' || jti === '') return { problem: 'no_jti' }
  return { jti, expiresAt: new Date(exp * 1000) }
}

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0

/** Claims may have any type. */
const toFact = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none'))
