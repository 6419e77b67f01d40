import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { createLimiter, type Limiter } from '../db/limiter.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { clientNetwork } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { findByCredentials } from '../users/credentials.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import { startBrowserSession } from './browser-session.ts'
import { isKnownAt } from './store.ts'

const WINDOW_SECONDS = 15 * 60

/**
 * Signs a person in with a password. Failures are counted for the account at one address, for the address, and for
 * the account from anywhere; the last keeps strangers out, but nobody from where they are signed in already.
 */
export async function signIn(
  ctx: Ctx,
  exchange: Exchange,
  { email, password }: { email: string; password: string },
): Promise<{ user: SignedInUser; session: { id: string } }> {
  const counts = countsFor(ctx, email, clientNetwork(exchange.request))
  await refuseWhenBlocked(counts)
  const user = await findByCredentials(ctx, email, password)
  if (!user) {
    const waits = await Promise.all(counts.map(({ limiter, key }) => limiter.count(key)))
    throw tooMany(waits) ?? new AppError('INVALID_CREDENTIALS')
  }
  // Guesses sent all at once passed the first look together. Beyond the limit right and wrong get the same answer.
  await refuseWhenBlocked(counts)
  const [own] = counts
  await own?.limiter.forgive(own.key)
  const session = await startBrowserSession(ctx, exchange, { userId: user.id, amr: ['pwd'] })
  return { user: toSignedInUser(user), session }
}

interface Count {
  limiter: Limiter
  key: string
}

function countsFor(ctx: Ctx, email: string, network: string): Count[] {
  const { signInFailures } = ctx.config.limits
  const limiterOf = (name: string, factor: number) =>
    createLimiter(ctx.db, { name, most: signInFailures * factor, seconds: WINDOW_SECONDS })
  // Whatever was typed is the account: nobody learns from the count whether it exists.
  const address = email.trim().toLowerCase()
  const account = createHash('sha256').update(address).digest('base64url')
  const strangers = limiterOf('sign-in-account', 10)
  return [
    { limiter: limiterOf('sign-in', 1), key: `${account}:${network}` },
    { limiter: limiterOf('sign-in-address', 50), key: network },
    { limiter: exempting(strangers, () => isKnownAt(ctx.db, address, network)), key: account },
  ]
}

/** A count that does not stop those whom others' failures must not lock out. */
const exempting = (limiter: Limiter, isExempt: () => Promise<boolean>): Limiter => {
  const unlessExempt = async (wait: number | undefined) =>
    wait === undefined || (await isExempt()) ? undefined : wait
  return {
    blockedFor: async (key) => unlessExempt(await limiter.blockedFor(key)),
    count: async (key) => unlessExempt(await limiter.count(key)),
    forgive: limiter.forgive,
  }
}

async function refuseWhenBlocked(counts: Count[]): Promise<void> {
  const refusal = tooMany(await Promise.all(counts.map(({ limiter, key }) => limiter.blockedFor(key))))
  if (refusal) throw refusal
}

function tooMany(waits: (number | undefined)[]): AppError | undefined {
  const wait = Math.max(0, ...waits.map((seconds) => seconds ?? 0))
  return wait > 0 ? tooManyAttempts(wait) : undefined
}
