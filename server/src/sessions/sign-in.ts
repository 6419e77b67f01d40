import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { createLimiter, type Limiter } from '../db/limiter.ts'
import { AppError } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { findByCredentials } from '../users/credentials.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import { type Exchange, startBrowserSession } from './browser-session.ts'

const WINDOW_SECONDS = 15 * 60

/**
 * Signs a person in with a password. Failures are counted for the account at one address, so that nobody's guesses
 * lock anybody else out, and for the account as a whole and the address as a whole, more generously.
 */
export async function signIn(
  ctx: Ctx,
  exchange: Exchange,
  { email, password }: { email: string; password: string },
): Promise<{ user: SignedInUser; session: { id: string } }> {
  const counts = countsFor(ctx, email, clientAddress(exchange.request))
  await refuseWhenBlocked(counts)
  const user = await findByCredentials(ctx, email, password)
  if (!user) {
    await Promise.all(counts.map(({ limiter, key }) => limiter.fail(key)))
    throw new AppError('INVALID_CREDENTIALS')
  }
  // Guesses sent all at once have passed the first look together; their failures are counted by now.
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

function countsFor(ctx: Ctx, email: string, address: string): Count[] {
  const { signInFailures } = ctx.config.limits
  const limiterOf = (name: string, factor: number) =>
    createLimiter(ctx.db, { name, failures: signInFailures * factor, seconds: WINDOW_SECONDS })
  // Whatever was typed is the account: nobody learns from the count whether it exists.
  const account = createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')
  return [
    { limiter: limiterOf('sign-in', 1), key: `${account}:${address}` },
    { limiter: limiterOf('sign-in-account', 10), key: account },
    { limiter: limiterOf('sign-in-address', 20), key: address },
  ]
}

async function refuseWhenBlocked(counts: Count[]): Promise<void> {
  const waits = await Promise.all(counts.map(({ limiter, key }) => limiter.blockedFor(key)))
  const wait = Math.max(0, ...waits.map((seconds) => seconds ?? 0))
  if (wait > 0) throw new AppError('RATE_LIMITED', { headers: { 'Retry-After': String(wait) } })
}
