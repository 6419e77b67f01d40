import { availableParallelism } from 'node:os'
import { hash } from '@node-rs/argon2'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Admission, type AdmissionRequest, createAdmission } from '../http/limits/admission.ts'
import { t, translatable } from '../languages/translate.ts'
import { createQueue, type Queue } from '../lib/concurrency/queue.ts'
import { beginSlowWork } from '../lib/concurrency/slow-work.ts'
import { getHashSettings } from '../lib/hash-settings.ts'
import { matchesHash } from './password-hashes.ts'

const KIB_PER_MIB = 1_024

/** The argon2id parameters that OWASP recommends, with configurable memory of at least OWASP's minimum. */
const hashParameters = () => ({
  memoryCost: getHashSettings().memoryMib * KIB_PER_MIB,
  timeCost: 2,
  parallelism: 1,
})

function hashPrefix(): string {
  const { memoryCost, timeCost, parallelism } = hashParameters()
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`
}

const SALT_AND_DIGEST = `${'A'.repeat(22)}$${'A'.repeat(43)}`

/**
 * A hash that no known password matches: salt and digest are zero bytes, which are "A" in base64. It is verified for a
 * user who does not exist or has no password, so that this takes the same time. It is stored when a password is
 * invalidated but the column must not be null.
 */
export const unusableHash = () => hashPrefix() + SALT_AND_DIGEST

/** Maximum queue length and waiting time: longer waits are refused with UNAVAILABLE. */
const QUEUE_LIMITS = { maxQueueLength: 300, maxWaitMs: 10_000 }

/** One hash per core of this process, at least two, and one more so that a thread that finishes has work immediately. */
const hashConcurrency = () => Math.max(2, Math.ceil(availableParallelism() / getHashSettings().processes)) + 1

/** Attempts that may query the database while the others are hashing. */
const EXTRA_ATTEMPTS = 2

/** How many requests of one account from one network, and of one network, may run or wait. A third of the queue stays free for others. */
const MAX_PER_ACCOUNT = 100
const MAX_PER_NETWORK = 200

const RETRY_AFTER_SECONDS = 5
const OVERLOAD_MESSAGE = translatable('Too many people are signing in just now. Try again shortly.')

let hashQueue: Queue | undefined
let admission: Admission | undefined

async function runInHashQueue<T>(work: () => Promise<T>): Promise<T> {
  beginSlowWork('password hash')
  hashQueue ??= createQueue({ ...QUEUE_LIMITS, maxConcurrent: hashConcurrency() })
  const outcome = await hashQueue.run(work)
  if ('result' in outcome) return outcome.result
  throw new AppError('UNAVAILABLE', {
    message: t(OVERLOAD_MESSAGE),
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  })
}

/**
 * Limits concurrent requests that check or set a password, so that they do not exhaust the database connections. The work
 * must not call this function: it would wait for itself.
 */
export function withPasswordAdmission<T>(
  ctx: Ctx,
  admissionRequest: AdmissionRequest,
  work: () => Promise<T>,
): Promise<T> {
  admission ??= createAdmission({
    queue: 'passwords',
    ...QUEUE_LIMITS,
    maxConcurrent: hashConcurrency() + EXTRA_ATTEMPTS,
    perAccount: MAX_PER_ACCOUNT,
    perNetwork: MAX_PER_NETWORK,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    fullMessage: OVERLOAD_MESSAGE,
  })
  return admission.admit(ctx, admissionRequest, work)
}

/** Normalizes to NFKC, so that the same password from different keyboards has the same hash. */
export const hashPassword = (password: string): Promise<string> =>
  runInHashQueue(() => hash(password.normalize('NFKC'), hashParameters()))

/** Whether the hash has the current algorithm and parameters. */
export const isCurrentHash = (passwordHash: string): boolean =>
  passwordHash.startsWith(hashPrefix()) && passwordHash.length === unusableHash().length

/** Whether the password matches. Without a hash it returns false after the same amount of work. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const checkedHash = passwordHash ?? unusableHash()
  const matches = await runInHashQueue(() => matchesHash(checkedHash, password))
  // Some imported hashes are fast to verify, which would reveal that the account exists.
  if (!matches && !isCurrentHash(checkedHash)) {
    await runInHashQueue(() => matchesHash(unusableHash(), password))
  }
  return matches && passwordHash !== null
}
