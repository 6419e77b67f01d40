import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { decodeBase64Url } from './base64url.ts'

/**
 * Authenticated encryption for what must be readable again (mail waiting to be sent, private keys, what travels
 * through a browser). Layout: version 1 | key fingerprint 4 | salt 16 | tag 16 | ciphertext. The purpose is bound in,
 * so that a sealed value copied to another place does not open.
 *
 * Every value has a key of its own, derived from the salt and the purpose: anybody can make us seal by asking for a
 * page, and one AES-GCM key must not be used billions of times.
 */
export interface Sealer {
  seal(purpose: string, plaintext: string): Buffer
  unseal(purpose: string, sealed: Buffer): string
  /** How everything begins that is sealed with the newest key. */
  readonly mark: Buffer
  /**
   * What tells a text from others without telling the text, also to whoever can guess it: under each key, the first
   * first. What was kept under a key that has been replaced since is found among them while that key is still here.
   */
  macs(purpose: string, text: string): [Buffer, ...Buffer[]]
}

const VERSION = 2
const HEADER = 1 + 4 + 16 + 16
/** Good because no two values share a key. */
const NONCE = Buffer.alloc(12)

const fingerprint = (key: Buffer) =>
  createHash('sha256').update('latchkey-key-id').update(key).digest().subarray(0, 4)

const derive = (key: Buffer, salt: Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key, salt, `latchkey:${purpose}`, 32))

/** Of a key of its own, which seals nothing. */
const mac = (key: Buffer, purpose: string, text: string) =>
  createHmac('sha256', derive(key, Buffer.alloc(0), `mac:${purpose}`))
    .update(text)
    .digest()

/** The first key seals; the others still open what they sealed, so that a key can be replaced. */
export function createSealer(keys: readonly [Buffer, ...Buffer[]]): Sealer {
  const [current] = keys
  const byFingerprint = new Map(keys.map((key) => [fingerprint(key).toString('hex'), key]))
  const mark = Buffer.concat([Buffer.from([VERSION]), fingerprint(current)])
  return {
    mark,
    seal(purpose, plaintext) {
      const salt = randomBytes(16)
      const cipher = createCipheriv('aes-256-gcm', derive(current, salt, purpose), NONCE)
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([mark, salt, cipher.getAuthTag(), body])
    },
    unseal(purpose, sealed) {
      if (sealed[0] === 1) return unsealFirst(byFingerprint, purpose, sealed)
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

/** A sealed value in characters that can stand in an address or a form. */
export const sealText = (sealer: Sealer, purpose: string, text: string): string =>
  sealer.seal(purpose, text).toString('base64url')

/** Undefined for whatever was not sealed by us for this purpose. */
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

/** The first layout (version | fingerprint | nonce 12 | tag 16 | ciphertext), of mail that still waits in old databases. */
function unsealFirst(byFingerprint: Map<string, Buffer>, purpose: string, sealed: Buffer): string {
  if (sealed.length < 33) throw new Error('not a sealed value')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(byFingerprint, sealed), sealed.subarray(5, 17))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(sealed.subarray(17, 33))
  return decipher.update(sealed.subarray(33), undefined, 'utf8') + decipher.final('utf8')
}
