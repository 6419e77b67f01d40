import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { findByCredentials } from '../users/credentials.ts'
import { exempting, type GuessCount, guess } from '../users/guesses.ts'
import { type Arrival, arrive } from './arrival.ts'
import { isKnownDevice } from './devices.ts'
import { countSignIn } from './figures.ts'

const WINDOW_SECONDS = 15 * 60

export interface PasswordSignIn {
  email: string
  password: string
  /** They want the deletion of their account undone. */
  restores?: boolean
}

/**
 * Signs a person in with a password. Failures are counted for the account at one address, for the address, and for
 * the account from anywhere; the last keeps strangers out, but nobody on a device of their own.
 */
export const signIn = (ctx: Ctx, exchange: Exchange, shown: PasswordSignIn): Promise<Arrival> =>
  countSignIn(ctx, 'password', signInByPassword(ctx, exchange, shown))

async function signInByPassword(
  ctx: Ctx,
  exchange: Exchange,
  { email, password, restores = false }: PasswordSignIn,
): Promise<Arrival> {
  const user = await guess(
    countsFor(ctx, exchange, email),
    () => findByCredentials(ctx, email, password),
    () => new AppError('INVALID_CREDENTIALS'),
  )
  return arrive(ctx, exchange, { user, amr: ['pwd'], restores })
}

function countsFor(ctx: Ctx, exchange: Exchange, email: string): GuessCount[] {
  const { signInFailures } = ctx.config.limits
  const limiterOf = (name: string, factor: number) =>
    createLimiter(ctx.db, { name, most: signInFailures * factor, seconds: WINDOW_SECONDS })
  // Whatever was typed is the account: nobody learns from the count whether it exists.
  const address = email.trim().toLowerCase()
  const account = createHash('sha256').update(address).digest('base64url')
  const network = clientNetwork(exchange.request)
  const strangers = limiterOf('sign-in-account', 10)
  return [
    { limiter: limiterOf('sign-in', 1), key: `${account}:${network}`, forgiven: true },
    { limiter: limiterOf('sign-in-address', 50), key: network },
    { limiter: exempting(strangers, () => isKnownDevice(ctx, exchange, address)), key: account },
  ]
}
