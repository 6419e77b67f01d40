import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { AppError } from '../errors.ts'
import { createQueue } from '../lib/queue.ts'

export const SHORTEST_PASSWORD = 8
/** Whoever can do everything should be hard to impersonate (NIST SP 800-63B-4 asks for this length). */
export const SHORTEST_SUPER_ADMIN_PASSWORD = 15
const LONGEST_PASSWORD = 1024

/** OWASP's parameters for argon2id, the library's own algorithm unless told otherwise. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashing is made to be slow. One for each core leaves threads free for signing tokens, and a line that would take
 * many seconds is not joined.
 */
const queue = createQueue({ atOnce: Math.max(2, availableParallelism()), waiting: 300 })

async function inLine<T>(work: () => Promise<T>): Promise<T> {
  const done = await queue.run(work)
  if (done) return done.result
  throw new AppError('UNAVAILABLE', {
    message: 'Too many people are signing in just now. Try again shortly.',
    headers: { 'Retry-After': '5' },
  })
}

/** Why a password cannot be used; undefined when it can. A character is a code point, after normalisation. */
export function passwordProblem(password: string, shortest: number): string | undefined {
  const length = [...password.normalize('NFKC')].length
  if (length < shortest) return `The password must have at least ${shortest} characters.`
  if (length > LONGEST_PASSWORD) return `The password must have at most ${LONGEST_PASSWORD} characters.`
  return undefined
}

/** Normalised first, so that the same password typed on another keyboard is the same password. */
export const hashPassword = (password: string): Promise<string> =>
  inLine(() => hash(password.normalize('NFKC'), PARAMETERS))

/** Stands in for the hash of a person who does not exist or has no password, so that both take the same time. */
let nobodysHash: Promise<string> | undefined

/** Whether this is the password behind the hash. Without a hash the answer is no, after the same work. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password')
  const known = passwordHash ?? (await nobodysHash)
  const matches = await inLine(() => verify(known, password.normalize('NFKC')))
  return matches && passwordHash !== null
}
