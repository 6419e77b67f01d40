import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { parseEmail } from '../lib/email.ts'
import { type CredentialsCheck, checkCredentials } from '../users/credentials.ts'
import { type GuessLimit, limitGuesses } from '../users/guess-limit.ts'
import { withPasswordAdmission } from '../users/passwords.ts'
import { findUserByEmail } from '../users/service.ts'
import { isKnownDevice } from './devices.ts'
import { establishSession, type SignInResult } from './establish-session.ts'
import type { LoginTransaction } from './login-transaction.ts'
import { countSignIn } from './metrics.ts'
import { recordRefusedSignIn } from './refusals.ts'
import { rememberMethod } from './used-methods.ts'

const WINDOW_SECONDS = 15 * 60

export interface PasswordSignIn {
  email: string
  password: string
  /** Cancel the scheduled deletion of the account. */
  cancelsDeletion?: boolean
  login?: LoginTransaction | undefined
}

/**
 * Signs in with a password. Failures are limited per account and network, per network, and per account; the last limit
 * does not apply to known devices, so that strangers cannot lock the user out.
 */
export const signIn = (ctx: Ctx, exchange: Exchange, input: PasswordSignIn): Promise<SignInResult> =>
  countSignIn(
    ctx,
    'password',
    withPasswordAdmission(ctx, { request: exchange.request, account: input.email.trim().toLowerCase() }, () =>
      signInByPassword(ctx, exchange, input),
    ),
  )

async function signInByPassword(
  ctx: Ctx,
  exchange: Exchange,
  { email, password, cancelsDeletion = false, login }: PasswordSignIn,
): Promise<SignInResult> {
  const { request } = exchange
  const refusal = { request, method: 'password', email, login } as const
  let checked: CredentialsCheck | undefined
  const user = await limitGuesses(ctx.db, guessLimits(ctx, exchange, email), {
    async attempt() {
      checked = await checkCredentials(ctx, email, password)
      return checked.user
    },
    toError: () => new AppError('INVALID_CREDENTIALS'),
    async recordRefusal(refused) {
      const failed =
        refused === 'wrong' && checked && !checked.user ? checked : await findRateLimitedAccount(ctx, email)
      await recordRefusedSignIn(ctx, { ...refusal, reason: failed.reason, userId: failed.holderId })
    },
  })
  const result = await establishSession(ctx, exchange, { user, amr: ['pwd'], cancelsDeletion, login })
  rememberMethod(ctx, exchange, 'password')
  return result
}

/** The password was not checked, so the account is looked up for the audit event. */
async function findRateLimitedAccount(ctx: Ctx, email: string) {
  const address = parseEmail(email)
  const holder = address === undefined ? undefined : await findUserByEmail(ctx.db, address)
  return { reason: 'rate_limited', holderId: holder?.id }
}

function guessLimits(ctx: Ctx, exchange: Exchange, email: string): GuessLimit[] {
  const { signInFailures } = ctx.config.limits
  const limitOf = (name: string, factor: number) => ({
    name,
    max: signInFailures * factor,
    seconds: WINDOW_SECONDS,
  })
  // Keyed by what was typed, so that the limit does not disclose whether the account exists.
  const address = email.trim().toLowerCase()
  const account = createHash('sha256').update(address).digest('base64url')
  const network = clientNetwork(exchange.request)
  const isExempt = () => isKnownDevice(ctx, exchange, address)
  return [
    { limit: limitOf('sign-in', 1), key: `${account}:${network}`, clearOnSuccess: true },
    { limit: limitOf('sign-in-address', 50), key: network },
    { limit: limitOf('sign-in-account', 10), key: account, isExempt },
  ]
}
