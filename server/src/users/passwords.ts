import { availableParallelism } from 'node:os'
import { hash } from '@node-rs/argon2'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Admission, type Asking, createAdmission } from '../http/admission.ts'
import { hashSettings } from '../lib/hash-settings.ts'
import { createQueue, type Queue } from '../lib/queue.ts'
import { beginSlowWork } from '../lib/slow-work.ts'
import { matchesHash } from './password-hashes.ts'

const KIB_PER_MIB = 1_024

/** OWASP's parameters for argon2id, the library's own algorithm, with at least OWASP's memory. */
const hashParameters = () => ({
  memoryCost: hashSettings().memoryMib * KIB_PER_MIB,
  timeCost: 2,
  parallelism: 1,
})

function hashPrefix(): string {
  const { memoryCost, timeCost, parallelism } = hashParameters()
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`
}

const SALT_AND_DIGEST = `${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * Stands in for the hash of a person who does not exist or has no password, so that both take the same time. It is
 * all zeros: nobody knows a password for it.
 */
export const nobodysHash = () => hashPrefix() + SALT_AND_DIGEST

/** A line that would take many seconds is not joined, and left when it takes them all the same. */
const LINE = { waiting: 300, patienceMs: 10_000 }

/**
 * Hashing is made to be slow. One for each core, and one more that lies ready for the thread that is free first: it
 * would have nothing to do until whoever answers gives it the next.
 */
const hashesAtOnce = () => Math.max(2, Math.ceil(availableParallelism() / hashSettings().processes)) + 1

/** Besides those whose password is being hashed, so many may ask the database. */
const BESIDE_HASHES = 2

/** Of all places, so many are for one account at one network, and for one network: a third is left for others. */
const PER_ACCOUNT = 100
const PER_NETWORK = 200

const RETRY_AFTER_SECONDS = 5
const FULL = 'Too many people are signing in just now. Try again shortly.'

let hashes: Queue | undefined
let attempts: Admission | undefined

async function inLine<T>(work: () => Promise<T>): Promise<T> {
  beginSlowWork('password hash')
  hashes ??= createQueue({ ...LINE, atOnce: hashesAtOnce() })
  const done = await hashes.run(work)
  if ('result' in done) return done.result
  throw new AppError('UNAVAILABLE', {
    message: FULL,
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  })
}

/**
 * Whoever shows or chooses a password waits here first, so that a crowd of them does not take the database from everybody
 * else. The work must not come here again: it would wait for itself.
 */
export function inPasswordLine<T>(ctx: Ctx, asking: Asking, work: () => Promise<T>): Promise<T> {
  attempts ??= createAdmission({
    ...{ queue: 'passwords', ...LINE, atOnce: hashesAtOnce() + BESIDE_HASHES },
    ...{ perAccount: PER_ACCOUNT, perNetwork: PER_NETWORK },
    ...{ retryAfterSeconds: RETRY_AFTER_SECONDS, full: FULL },
  })
  return attempts.admit(ctx, asking, work)
}

/** Normalised first, so that the same password typed on another keyboard is the same password. */
export const hashPassword = (password: string): Promise<string> =>
  inLine(() => hash(password.normalize('NFKC'), hashParameters()))

/** Whether a hash is as `hashPassword` makes them today. One that is not came from elsewhere, or is old. */
export const isCurrentHash = (passwordHash: string): boolean =>
  passwordHash.startsWith(hashPrefix()) && passwordHash.length === nobodysHash().length

/** Whether this is the password behind the hash. Without a hash the answer is no, after the same work. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const known = passwordHash ?? nobodysHash()
  const matches = await inLine(() => matchesHash(known, password))
  // Some hashes of other systems take no time at all, and that would tell that there is an account.
  if (!matches && !isCurrentHash(known)) await inLine(() => matchesHash(nobodysHash(), password))
  return matches && passwordHash !== null
}
