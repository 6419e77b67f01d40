import { createPrivateKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { OperatorError } from '../errors.ts'
import { beginSlowWork } from '../lib/concurrency/slow-work.ts'
import type { Sealer } from '../lib/seal.ts'
import { DEFAULT_ALGORITHM, type SigningAlgorithm } from '../lib/signer.ts'
import { generateKeyFor, toPublicMembers } from './algorithms.ts'
import type { StoredKey } from './store.ts'

const SEAL = 'signing-key'

export type KeyPair = Pick<StoredKey, 'kid' | 'algorithm' | 'public_jwk' | 'sealed_private_key'>

/** Generates a key on the thread pool. Its kid is the JWK thumbprint (RFC 7638). */
export async function generateSigningKey(
  sealer: Sealer,
  algorithm: SigningAlgorithm = DEFAULT_ALGORITHM,
): Promise<KeyPair> {
  beginSlowWork('key generation')
  const { publicKey, privateKey } = await generateKeyFor(algorithm)
  const jwk = publicKey.export({ format: 'jwk' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return {
    kid: await calculateJwkThumbprint(jwk),
    algorithm,
    public_jwk: toPublicMembers(algorithm, jwk),
    sealed_private_key: sealer.seal(SEAL, pem.toString()),
  }
}

type SealedKey = Pick<StoredKey, 'kid' | 'sealed_private_key'>

export function openPrivateKey(sealer: Sealer, { kid, sealed_private_key }: SealedKey): KeyObject {
  if (!sealed_private_key) throw new Error(`the signing key ${kid} has lost its private half`)
  try {
    return createPrivateKey(sealer.unseal(SEAL, sealed_private_key))
  } catch (error) {
    throw new OperatorError(
      `The signing key ${kid} does not open: it was sealed with another encryption key. ` +
        'Add that one to LATCHKEY_ENCRYPTION_KEY, after a comma.',
      { cause: error },
    )
  }
}
