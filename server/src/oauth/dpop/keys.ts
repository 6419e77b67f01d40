import { constants, createPublicKey, hash, type KeyObject, type SigningOptions, verify } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hasUsualExponent, hasUsualSize, MAX_RSA_BITS, MIN_RSA_BITS, PRIVATE_MEMBERS } from '../../lib/public-keys.ts'

/** The public keys of DPoP proofs. */

interface Algorithm {
  kty: string
  crv?: string
  /** The members that make up the key, in the order of the thumbprint (RFC 7638 §3.2). */
  members: readonly string[]
  digest: 'sha256' | null
  options: SigningOptions
}

const RSA = { kty: 'RSA', members: ['e', 'kty', 'n'], digest: 'sha256' } as const
const ED25519 = { kty: 'OKP', crv: 'Ed25519', members: ['crv', 'kty', 'x'], digest: null, options: {} } as const

const ALGORITHMS = new Map<string, Algorithm>([
  ['PS256', { ...RSA, options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } }],
  [
    'ES256',
    {
      kty: 'EC',
      crv: 'P-256',
      members: ['crv', 'kty', 'x', 'y'],
      digest: 'sha256',
      options: { dsaEncoding: 'ieee-p1363' },
    },
  ],
  ['EdDSA', ED25519],
  ['RS256', { ...RSA, options: {} }],
  // RFC 9864 §2.2: the newer name of EdDSA with Ed25519, which several libraries send.
  ['Ed25519', ED25519],
])

/** The names of the algorithms that proofs may be signed with. */
export const PROOF_ALGORITHMS: readonly string[] = [...ALGORITHMS.keys()]

export interface ProofKey {
  /** The thumbprint of the key (RFC 7638). */
  jkt: string
  verifies(signed: string, signature: Buffer): boolean
}

/** Reads the key of a proof. Returns a sentence if it must be refused. */
export function readProofKey(alg: unknown, jwk: unknown): ProofKey | string {
  const algorithm = typeof alg === 'string' ? ALGORITHMS.get(alg) : undefined
  if (!algorithm) return `The alg of the DPoP proof must be one of ${PROOF_ALGORITHMS.join(', ')}.`
  if (typeof jwk !== 'object' || jwk === null) return 'The DPoP proof has no jwk.'
  const given = jwk as Record<string, unknown>
  if (PRIVATE_MEMBERS.some((name) => name in given)) return 'The jwk of the DPoP proof must be a public key.'
  if (given.kty !== algorithm.kty || (algorithm.crv !== undefined && given.crv !== algorithm.crv)) {
    return 'The jwk of the DPoP proof does not match its alg.'
  }
  if ((given.alg ?? alg) !== alg || (given.use ?? 'sig') !== 'sig')
    return 'The jwk of the DPoP proof is for another use.'
  const members = Object.fromEntries(algorithm.members.map((name) => [name, given[name]]))
  const text = JSON.stringify(members)
  const key = recentKeys.get(text) ?? parseKey(members)
  if (!key) return 'The jwk of the DPoP proof is not a valid key.'
  if (!hasUsualSize(key) || !hasUsualExponent(key)) {
    return `The jwk of the DPoP proof must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits and a usual exponent.`
  }
  recentKeys.set(text, key)
  const { digest, options } = algorithm
  return {
    jkt: hash('sha256', text, 'base64url'),
    verifies: (signed, signature) => verify(digest, Buffer.from(signed), { key, ...options }, signature),
  }
}

/** Clients use their key again, and reading it takes as long as a verification. */
const recentKeys = new LRUCache<string, KeyObject>({ max: 1_000 })

/** One key must have one thumbprint, so another spelling of its members is refused. */
function parseKey(members: Record<string, unknown>): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: members, format: 'jwk' })
    const canonical = key.export({ format: 'jwk' })
    return Object.entries(members).every(([name, value]) => canonical[name] === value) ? key : undefined
  } catch {
    return undefined
  }
}
