import { createPublicKey, hash, type KeyObject } from 'node:crypto'
import { toChoiceText } from '../languages/choice-text.ts'
import { t } from '../languages/translate.ts'

/** A JSON Web Key (RFC 7517) as it was received. */
export type Jwk = Record<string, unknown>

/** The signature algorithms of clients, best first, with the keys that they need. Ed25519 is EdDSA by its newer name (RFC 9864). */
const ALGORITHMS = {
  PS256: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
  RS256: { kty: 'RSA' },
} as const

export type KeyAlgorithm = keyof typeof ALGORITHMS

export const KEY_ALGORITHMS = Object.keys(ALGORITHMS) as KeyAlgorithm[]

export const isKeyAlgorithm = (name: unknown): name is KeyAlgorithm => KEY_ALGORITHMS.includes(name as KeyAlgorithm)

export const MIN_RSA_BITS = 2048
/** A longer key would make every verification slow. */
export const MAX_RSA_BITS = 8192
/** Small exponents are weak, and with 1 every signature can be forged. Large ones are slow. */
const RSA_EXPONENTS = { min: 65_537n, max: 0xff_ff_ff_ffn }

/** The members that make the key, in the order of RFC 7638 §3.2. */
const REQUIRED_MEMBERS: Record<string, readonly string[]> = {
  RSA: ['e', 'kty', 'n'],
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
}
export const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']
const DESCRIPTIVE_MEMBERS = ['kid', 'alg', 'use', 'key_ops', 'ext', 'x5c', 'x5t', 'x5t#S256']
/** Why this is not a public key that can verify signatures of clients. */
export function findPublicKeyProblem(
  jwk: unknown,
  { allowUnknownMembers = false }: { allowUnknownMembers?: boolean } = {},
): string | undefined {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return t('must be a JWK')
  const members = jwk as Jwk
  const secret = PRIVATE_MEMBERS.find((name) => Object.hasOwn(members, name))
  if (secret !== undefined) return t('must be a public key: it has the private member {member}', { member: secret })
  const required = REQUIRED_MEMBERS[String(members.kty)]
  if (!required) return t('must have the kty RSA, EC or OKP')
  const unknown = Object.keys(members).find((name) => !required.includes(name) && !DESCRIPTIVE_MEMBERS.includes(name))
  if (unknown !== undefined && !allowUnknownMembers)
    return t('has the unknown member {member}', { member: unknown.slice(0, 50) })
  return findUseProblem(members) ?? findMaterialProblem(members)
}

function findUseProblem({ kid, alg, use, key_ops, kty, crv }: Jwk): string | undefined {
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > 200)) {
    return t('must have a kid of 1 to 200 characters, or none')
  }
  if (use !== undefined && use !== 'sig') return t('must have the use sig, or none')
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) {
    return t('must have verify among its key_ops, or none')
  }
  const fitting = KEY_ALGORITHMS.filter((name) => fits(name, { kty, crv }))
  if (fitting.length === 0) return t('must be on the curve P-256 or Ed25519')
  return alg === undefined || fitting.includes(alg as KeyAlgorithm)
    ? undefined
    : t('must have the alg {allowed}', { allowed: toChoiceText(fitting) })
}

function findMaterialProblem(jwk: Jwk): string | undefined {
  const key = toKeyObject(jwk)
  if (!key) return t('is not a valid key')
  if (!hasUsualSize(key)) return t('must have {min} to {max} bits', { min: MIN_RSA_BITS, max: MAX_RSA_BITS })
  return hasUsualExponent(key) ? undefined : t('must have a usual exponent, such as AQAB')
}

/** Also true for a key that is not an RSA key. */
export function hasUsualSize({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength: bits = MIN_RSA_BITS } = asymmetricKeyDetails ?? {}
  return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS
}

/** Also true for a key that is not an RSA key. */
export function hasUsualExponent({ asymmetricKeyDetails }: KeyObject): boolean {
  const { publicExponent = RSA_EXPONENTS.min } = asymmetricKeyDetails ?? {}
  return publicExponent >= RSA_EXPONENTS.min && publicExponent <= RSA_EXPONENTS.max
}

const fits = (algorithm: KeyAlgorithm, { kty, crv }: Jwk): boolean => {
  const needed: { kty: string; crv?: string } = ALGORITHMS[algorithm]
  return kty === needed.kty && (needed.crv === undefined || crv === needed.crv)
}

/** Whether a valid key may verify signatures of this algorithm. */
export const mayVerify = (jwk: Jwk, algorithm: KeyAlgorithm): boolean =>
  fits(algorithm, jwk) && (jwk.alg === undefined || jwk.alg === algorithm || jwk.crv === 'Ed25519')

const requiredOf = (jwk: Jwk): Jwk =>
  Object.fromEntries((REQUIRED_MEMBERS[String(jwk.kty)] ?? []).map((name) => [name, jwk[name]]))

/** Undefined if it is not a valid key. */
export function toKeyObject(jwk: Jwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: requiredOf(jwk), format: 'jwk' })
  } catch {
    return undefined
  }
}

/** The JWK thumbprint (RFC 7638). */
export const thumbprintOf = (jwk: Jwk): string => hash('sha256', JSON.stringify(requiredOf(jwk)), 'base64url')
