import { decodeBase64Url } from '../../lib/base64url.ts'
import { parseJson } from '../../lib/json.ts'
import { isKeyAlgorithm, type KeyAlgorithm } from '../../lib/public-keys.ts'

/** What is wrong with a JWT of a client, for the log. */
export interface JwtProblem {
  problem: string
  [fact: string]: unknown
}

export type JsonObject = Record<string, unknown>

/** A JWT of a client whose signature was not verified yet. */
export interface DecodedJwt {
  text: string
  header: JsonObject
  claims: JsonObject
}

const MAX_LENGTH = 16_384

/** Undefined if it is not a signed JWT. Names that occur twice are refused, because parsers disagree on them. */
export function decodeJwt(text: string): DecodedJwt | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [header, claims, signature, ...rest] = text.split('.')
  if (!signature || rest.length > 0) return undefined
  const decoded = { text, header: decodeObject(header), claims: decodeObject(claims) }
  return isDecoded(decoded) ? decoded : undefined
}

/** Whether the JWT says that nobody signed it (RFC 7515 §6). */
export const isUnsigned = (text: string): boolean => decodeObject(text.split('.', 1)[0])?.alg === 'none'

const isDecoded = (decoded: { [K in keyof DecodedJwt]: DecodedJwt[K] | undefined }): decoded is DecodedJwt =>
  decoded.header !== undefined && decoded.claims !== undefined

function decodeObject(part = ''): JsonObject | undefined {
  const bytes = decodeBase64Url(part)
  const result = bytes && parseJson(bytes)
  if (!result?.ok) return undefined
  const { value } = result
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

/** The algorithm and key id of a JWT. */
export interface JwtHeader {
  alg: KeyAlgorithm
  kid: string | undefined
}

/** `types` in lower case: JWTs of other kinds must not pass. */
export function checkHeader({ alg, kid, typ, crit, b64 }: JsonObject, types: string[]): JwtHeader | JwtProblem {
  if (!isKeyAlgorithm(alg)) return { problem: 'wrong_algorithm', algorithm: toFact(alg) }
  if (typ !== undefined && !(typeof typ === 'string' && types.includes(typ.toLowerCase()))) {
    return { problem: 'wrong_type', type: toFact(typ) }
  }
  // RFC 7515 §4.1.11: no extension is understood here.
  if (crit !== undefined || b64 !== undefined) return { problem: 'unknown_extension' }
  if (kid !== undefined && typeof kid !== 'string') return { problem: 'wrong_kid' }
  return { alg, kid }
}

/** How far clocks may differ. */
const CLOCK_DIFFERENCE_SECONDS = 60

/** Undefined if the JWT is valid now, and for no longer than it may be. */
export function findTimeProblem(
  { exp, nbf, iat }: JsonObject,
  { now, maxSeconds }: { now: Date; maxSeconds: number },
): JwtProblem | undefined {
  const seconds = now.getTime() / 1000
  if (!isTime(exp)) return { problem: 'no_expiry' }
  if (exp <= seconds) return { problem: 'expired', expiry: exp }
  if (exp > seconds + maxSeconds + CLOCK_DIFFERENCE_SECONDS) return { problem: 'expiry_too_late', expiry: exp }
  for (const [name, time] of Object.entries({ nbf, iat })) {
    if (time === undefined) continue
    if (!isTime(time)) return { problem: `wrong_${name}` }
    if (time > seconds + CLOCK_DIFFERENCE_SECONDS) return { problem: 'not_yet_valid', [name]: time }
  }
  return undefined
}

export const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0

/** Claims may have any type. */
export const toFact = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')
