import { constants, generateKeyPair, type KeyObject, type SignKeyObjectInput, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { SigningAlgorithm } from '../lib/signer.ts'

/**
 * What differs between the signature algorithms. A key is for one algorithm only (RFC 8725 §3.1), so RS256 and PS256
 * have separate keys.
 */
interface AlgorithmFacts {
  generate(): Promise<{ publicKey: KeyObject; privateKey: KeyObject }>
  /** The members of the public key (RFC 7518 §6, RFC 8037 §2), besides kid, use and alg. */
  members: readonly string[]
  /** The hash of the signature; null: the algorithm hashes itself. */
  hash: 'sha256' | null
  options: Omit<SignKeyObjectInput, 'key'>
}

const generate = promisify(generateKeyPair)
const generateRsa = () => generate('rsa', { modulusLength: 2048 })

const FACTS: Record<SigningAlgorithm, AlgorithmFacts> = {
  RS256: { generate: generateRsa, members: ['kty', 'n', 'e'], hash: 'sha256', options: {} },
  PS256: {
    generate: generateRsa,
    members: ['kty', 'n', 'e'],
    hash: 'sha256',
    // RFC 7518 §3.5: the salt is as long as the hash.
    options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  },
  ES256: {
    generate: () => generate('ec', { namedCurve: 'P-256' }),
    members: ['kty', 'crv', 'x', 'y'],
    hash: 'sha256',
    // RFC 7518 §3.4: the signature is R and S, not DER.
    options: { dsaEncoding: 'ieee-p1363' },
  },
  EdDSA: { generate: () => generate('ed25519'), members: ['kty', 'crv', 'x'], hash: null, options: {} },
}

/** Generates a key on the thread pool. */
export const generateKeyFor = (algorithm: SigningAlgorithm) => FACTS[algorithm].generate()

export function toPublicMembers(algorithm: SigningAlgorithm, jwk: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(FACTS[algorithm].members.map((name) => [name, jwk[name]]))
}

export function isSignature(
  algorithm: SigningAlgorithm,
  { signed, signature, key }: { signed: string; signature: Buffer; key: KeyObject },
): boolean {
  const { hash, options } = FACTS[algorithm]
  return verify(hash, Buffer.from(signed), { ...options, key }, signature)
}
