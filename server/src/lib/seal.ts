import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { decodeBase64Url } from './base64url.ts'

/**
 * Authenticated encryption, for example of queued mail, private keys and values in forms. Layout in bytes: version 1 |
 * key fingerprint 4 | salt 16 | tag 16 | ciphertext. A value can only be unsealed with the purpose it was sealed for.
 *
 * Every value has its own key, derived from the salt and the purpose: anyone who requests a page causes a seal, and one
 * AES-GCM key must not be used billions of times.
 */
export interface Sealer {
  seal(purpose: string, plaintext: string): Buffer
  unseal(purpose: string, sealed: Buffer): string
  /** The prefix of every value that is sealed with the current key. */
  readonly currentKeyPrefix: Buffer
  /** The MAC of a text under each configured key, the current key first. Older MACs match while their key is configured. */
  macs(purpose: string, text: string): [Buffer, ...Buffer[]]
}

const VERSION = 2
const HEADER = 1 + 4 + 16 + 16
/** A constant nonce is safe because every value has its own key. */
const NONCE = Buffer.alloc(12)

const fingerprint = (key: Buffer) => createHash('sha256').update('latchkey-key-id').update(key).digest().subarray(0, 4)

const derive = (key: Buffer, salt: Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key, salt, `latchkey:${purpose}`, 32))

/** Uses a derived key that is never used for encryption. */
const mac = (key: Buffer, purpose: string, text: string) =>
  createHmac('sha256', derive(key, Buffer.alloc(0), `mac:${purpose}`))
    .update(text)
    .digest()

/** The first key is current; the others only unseal, so that keys can be rotated. */
export function createSealer(keys: readonly [Buffer, ...Buffer[]]): Sealer {
  const [current] = keys
  const byFingerprint = new Map(keys.map((key) => [fingerprint(key).toString('hex'), key]))
  const currentKeyPrefix = Buffer.concat([Buffer.from([VERSION]), fingerprint(current)])
  return {
    currentKeyPrefix,
    seal(purpose, plaintext) {
      const salt = randomBytes(16)
      const cipher = createCipheriv('aes-256-gcm', derive(current, salt, purpose), NONCE)
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([currentKeyPrefix, salt, cipher.getAuthTag(), body])
    },
    unseal(purpose, sealed) {
      if (sealed[0] === 1) return unsealVersion1(byFingerprint, purpose, sealed)
      if (sealed.length < HEADER || sealed[0] !== VERSION) throw new Error('not a sealed value')
      const key = keyOf(byFingerprint, sealed)
      const decipher = createDecipheriv('aes-256-gcm', derive(key, sealed.subarray(5, 21), purpose), NONCE)
      decipher.setAuthTag(sealed.subarray(21, 37))
      return decipher.update(sealed.subarray(37), undefined, 'utf8') + decipher.final('utf8')
    },
    macs(purpose, text) {
      const [first, ...rest] = keys
      return [mac(first, purpose, text), ...rest.map((key) => mac(key, purpose, text))]
    },
  }
}

/** The sealed value as base64url, for URLs and forms. */
export const sealText = (sealer: Sealer, purpose: string, text: string): string =>
  sealer.seal(purpose, text).toString('base64url')

/** Returns undefined if the text is not a value that was sealed for this purpose. */
export function unsealText(sealer: Sealer, purpose: string, sealed: string | undefined): string | undefined {
  const bytes = sealed === undefined ? undefined : decodeBase64Url(sealed)
  if (!bytes) return undefined
  try {
    return sealer.unseal(purpose, bytes)
  } catch {
    return undefined
  }
}

function keyOf(byFingerprint: Map<string, Buffer>, sealed: Buffer): Buffer {
  const key = byFingerprint.get(sealed.subarray(1, 5).toString('hex'))
  if (!key) throw new Error('sealed with a key that is not configured')
  return key
}

/** Layout of version 1: version | fingerprint | nonce 12 | tag 16 | ciphertext. Old databases may contain such mail. */
function unsealVersion1(byFingerprint: Map<string, Buffer>, purpose: string, sealed: Buffer): string {
  if (sealed.length < 33) throw new Error('not a sealed value')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(byFingerprint, sealed), sealed.subarray(5, 17))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(sealed.subarray(17, 33))
  return decipher.update(sealed.subarray(33), undefined, 'utf8') + decipher.final('utf8')
}
