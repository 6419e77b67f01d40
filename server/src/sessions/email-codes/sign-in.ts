import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { clientNetwork } from '../../http/request/client-address.ts'
import type { Exchange } from '../../http/routing/exchange.ts'
import { fingerprintOf } from '../../lib/secrets.ts'
import { type GuessLimit, limitGuesses } from '../../users/guess-limit.ts'
import { findUser, findUserByEmail, type User } from '../../users/service.ts'
import { isKnownDevice } from '../devices.ts'
import { establishSession, type SignInResult } from '../establish-session.ts'
import type { LoginTransaction } from '../login-transaction.ts'
import { countSignIn } from '../metrics.ts'
import { recordRefusedSignIn } from '../refusals.ts'
import { rememberMethod } from '../used-methods.ts'
import {
  type AskingBrowser,
  clearAskingBrowser,
  findAskingBrowser,
  toBrowserHash,
  toCodeHash,
} from './asking-browser.ts'
import { findCodeOffer } from './policy.ts'
import { tryCode } from './store.ts'

/** Wrong codes before a new one is needed. */
const MAX_ATTEMPTS = 5
const WINDOW_SECONDS = 15 * 60
const DAY_SECONDS = 86_400

interface CodeSignIn {
  code: string
  login: LoginTransaction | undefined
}

/** Signs in with a mailed code, in the browser that asked for it. A second factor is still required. */
export const signInWithMailedCode = (ctx: Ctx, exchange: Exchange, input: CodeSignIn): Promise<SignInResult> =>
  countSignIn(ctx, 'email_code', verifyCode(ctx, exchange, input))

async function verifyCode(ctx: Ctx, exchange: Exchange, { code, login }: CodeSignIn): Promise<SignInResult> {
  const asking = findAskingBrowser(ctx, exchange)
  // The switch may have been turned off since.
  if (!asking || !(await findCodeOffer(ctx, login))) throw new AppError('INVALID_CODE')
  const { request } = exchange
  const { email } = asking
  const user = await limitGuesses(ctx.db, guessLimits(ctx, exchange, asking), {
    attempt: () => useCode(ctx, asking, code.replace(/\s/g, '')),
    toError: () => new AppError('INVALID_CODE'),
    async recordRefusal(refused) {
      const reason = refused === 'wrong' ? 'wrong_code' : 'rate_limited'
      const holder = await findUserByEmail(ctx.db, email)
      await recordRefusedSignIn(ctx, { request, login, reason, method: 'email_code', email, userId: holder?.id })
    },
  })
  const result = await establishSession(ctx, exchange, { user, amr: ['otp'], login })
  clearAskingBrowser(ctx, exchange)
  rememberMethod(ctx, exchange, 'email_code')
  return result
}

async function useCode(ctx: Ctx, asking: AskingBrowser, code: string): Promise<User | undefined> {
  const userId = await tryCode(ctx.db, {
    browserHash: toBrowserHash(asking),
    codeHash: toCodeHash(asking, code),
    maxAttempts: MAX_ATTEMPTS,
    now: ctx.now(),
  })
  const user = userId === undefined ? undefined : await findUser(ctx.db, userId)
  // A change of the account ends its codes, so this is only for a change since the statement above.
  const isUsable = user && !user.disabled && user.email_verified && user.password_sign_in && user.email === asking.email
  return isUsable ? user : undefined
}

/**
 * Keyed by the address that was typed, so that the limits do not disclose whether it has an account. Anybody may guess,
 * so guesses are limited per network before they lock the person out elsewhere.
 */
function guessLimits(ctx: Ctx, exchange: Exchange, { email }: AskingBrowser): GuessLimit[] {
  const { confirmFailures, signInFailures } = ctx.config.limits
  const network = clientNetwork(exchange.request)
  const account = fingerprintOf(email)
  const isExempt = () => isKnownDevice(ctx, exchange, email)
  const accountLimit = { name: 'mailed-code-account', max: confirmFailures * 5, seconds: DAY_SECONDS }
  const networkLimit = { name: 'mailed-code-address', max: signInFailures * 50, seconds: WINDOW_SECONDS }
  return [
    { limit: networkLimit, key: network },
    {
      limit: { name: 'mailed-code', max: confirmFailures, seconds: DAY_SECONDS },
      key: `${account}:${network}`,
      isExempt,
    },
    { limit: accountLimit, key: account, isExempt },
  ]
}
