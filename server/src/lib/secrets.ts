import { hash, randomFillSync } from 'node:crypto'

/** To ask for many random bytes takes hardly longer than for a few. */
const reserve = Buffer.allocUnsafe(4096)
let used = reserve.length

/** So many random bytes as text, in characters that need no escaping anywhere. */
export function randomText(bytes: number): string {
  if (used + bytes > reserve.length) {
    randomFillSync(reserve)
    used = 0
  }
  const from = used
  used += bytes
  const text = reserve.toString('base64url', from, used)
  // Nobody finds here what was given out.
  reserve.fill(0, from, used)
  return text
}

/** A secret that nobody can guess: 256 bits. */
export const newSecret = (): string => randomText(32)

/** What is kept of a secret. It has too many bits to be tried out, so a fast hash does. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** The same as text, to find something by. */
export const fingerprintOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** Whether this could be one. */
export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text)
