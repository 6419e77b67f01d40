import { hash, randomBytes } from 'node:crypto'

/** A secret that nobody can guess: 256 bits, in characters that need no escaping anywhere. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** What is kept of a secret. It has too many bits to be tried out, so a fast hash does. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** The same as text, to find something by. */
export const fingerprintOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** Whether this could be one. */
export const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text)
