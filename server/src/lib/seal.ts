import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/**
 * Authenticated encryption for what must be readable again (mail waiting to be sent, private keys).
 * Layout: version 1 | key fingerprint 4 | nonce 12 | tag 16 | ciphertext. The purpose is bound in, so that a
 * sealed value copied into another column does not open.
 */
export interface Sealer {
  seal(purpose: string, plaintext: string): Buffer
  unseal(purpose: string, sealed: Buffer): string
}

const VERSION = 1
const HEADER = 1 + 4 + 12 + 16

const fingerprint = (key: Buffer) =>
  createHash('sha256').update('latchkey-key-id').update(key).digest().subarray(0, 4)

/** The first key seals; the others still open what they sealed, so that a key can be replaced. */
export function createSealer(keys: readonly [Buffer, ...Buffer[]]): Sealer {
  const [current] = keys
  const byFingerprint = new Map(keys.map((key) => [fingerprint(key).toString('hex'), key]))
  return {
    seal(purpose, plaintext) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(purpose))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.from([VERSION]), fingerprint(current), nonce, cipher.getAuthTag(), body])
    },
    unseal(purpose, sealed) {
      if (sealed.length < HEADER || sealed[0] !== VERSION) throw new Error('not a sealed value')
      const key = byFingerprint.get(sealed.subarray(1, 5).toString('hex'))
      if (!key) throw new Error('sealed with a key that is not configured')
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(5, 17))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(sealed.subarray(17, 33))
      return decipher.update(sealed.subarray(33), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
