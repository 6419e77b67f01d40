import { availableParallelism } from 'node:os'
import { hash } from '@node-rs/argon2'
import { AppError } from '../errors.ts'
import { createQueue, type Queue } from '../lib/queue.ts'
import { beginSlowWork } from '../lib/slow-work.ts'
import { matchesHash } from './password-hashes.ts'

/** OWASP's parameters for argon2id, the library's own algorithm unless told otherwise. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const { memoryCost, timeCost, parallelism } = PARAMETERS
const PREFIX = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`

/**
 * Stands in for the hash of a person who does not exist or has no password, so that both take the same time. It is
 * all zeros: nobody knows a password for it.
 */
export const NOBODYS_HASH = `${PREFIX}${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * Hashing is made to be slow. One for each core, and a line that would take many seconds is not joined. One more lies
 * ready for the thread that is free first: it would have nothing to do until whoever answers gives it the next.
 */
let queue = createLine(1)

function createLine(processes: number): Queue {
  const cores = Math.max(2, Math.ceil(availableParallelism() / processes))
  return createQueue({ atOnce: cores + 1, waiting: 300 })
}

/** For the start of one of several processes, which share the cores. */
export function shareCores(processes: number): void {
  queue = createLine(processes)
}

async function inLine<T>(work: () => Promise<T>): Promise<T> {
  beginSlowWork('password hash')
  const done = await queue.run(work)
  if (done) return done.result
  throw new AppError('UNAVAILABLE', {
    message: 'Too many people are signing in just now. Try again shortly.',
    headers: { 'Retry-After': '5' },
  })
}

/** Normalised first, so that the same password typed on another keyboard is the same password. */
export const hashPassword = (password: string): Promise<string> =>
  inLine(() => hash(password.normalize('NFKC'), PARAMETERS))

/** Whether a hash is as `hashPassword` makes them today. One that is not came from elsewhere, or is old. */
export const isCurrentHash = (passwordHash: string): boolean =>
  passwordHash.startsWith(PREFIX) && passwordHash.length === NOBODYS_HASH.length

/** Whether this is the password behind the hash. Without a hash the answer is no, after the same work. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const known = passwordHash ?? NOBODYS_HASH
  const matches = await inLine(() => matchesHash(known, password))
  // Some hashes of other systems take no time at all, and that would tell that there is an account.
  if (!matches && !isCurrentHash(known)) await inLine(() => matchesHash(NOBODYS_HASH, password))
  return matches && passwordHash !== null
}
