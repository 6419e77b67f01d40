import { hash, randomFillSync, randomInt } from 'node:crypto'

/** A pool of random bytes: generating many takes hardly longer than generating a few. */
const randomPool = Buffer.allocUnsafe(4096)
let used = randomPool.length

/** Random bytes as base64url. */
export function randomText(bytes: number): string {
  if (used + bytes > randomPool.length) {
    randomFillSync(randomPool)
    used = 0
  }
  const from = used
  used += bytes
  const text = randomPool.toString('base64url', from, used)
  // Erase the used bytes, because they are part of a secret now.
  randomPool.fill(0, from, used)
  return text
}

/** A secret with 256 random bits. */
export const newSecret = (): string => randomText(32)

/** A code that people type: decimal digits, each as likely as the others. */
export const newDigits = (count: number): string => String(randomInt(10 ** count)).padStart(count, '0')

/** The hash to store. A secret has too many bits for brute force, so a fast hash is enough. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** The hash as text, for use as a key. */
export const fingerprintOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** True if the text has the format of `newSecret`. */
export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text)
