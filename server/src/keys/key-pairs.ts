import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint } from 'jose'
import { OperatorError } from '../errors.ts'
import { beginSlowWork } from '../lib/concurrency/slow-work.ts'
import type { Sealer } from '../lib/seal.ts'
import type { StoredKey } from './store.ts'

const SEAL = 'signing-key'
const generate = promisify(generateKeyPair)

type KeyPair = Pick<StoredKey, 'kid' | 'public_jwk' | 'sealed_private_key'>

/** Generates an RSA key on the thread pool. Its kid is the JWK thumbprint (RFC 7638). */
export async function generateSigningKey(sealer: Sealer): Promise<KeyPair> {
  beginSlowWork('key generation')
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2048 })
  const jwk = publicKey.export({ format: 'jwk' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  return {
    kid: await calculateJwkThumbprint(jwk),
    public_jwk: { kty: jwk.kty, n: jwk.n, e: jwk.e },
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
