import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit, createLimiter } from '../../db/limiter.ts'
import { AppError } from '../../errors.ts'
import { clientNetwork } from '../../http/request/client-address.ts'
import type { Exchange } from '../../http/routing/exchange.ts'
import { requestLog } from '../../http/server/request-log.ts'
import { t } from '../../languages/translate.ts'
import { limitGuesses } from '../../users/guess-limit.ts'
import {
  createSecondFactorOptions,
  createSignInOptions,
  type PasskeyRefusal,
  usePasskey,
} from '../../users/passkeys/assertion.ts'
import { findUser, type User } from '../../users/service.ts'
import { type ChallengedUser, completeChallenge, findChallengedUser } from '../challenge.ts'
import { establishSession, type SignInResult } from '../establish-session.ts'
import { countRefusal, countSecondFactor, countSignIn } from '../metrics.ts'
import { recordRefusedSignIn } from '../refusals.ts'
import { rememberMethod } from '../used-methods.ts'

const WINDOW_SECONDS = 15 * 60
/** Every request stores a challenge, and needs no authentication. */
const OPTIONS_LIMIT = { name: 'passkey-options', max: 2_000, seconds: WINDOW_SECONDS }
/** Counted apart: every view of a sign-in page in the same network asks for options, too. */
const SECOND_FACTOR_LIMIT = { name: 'passkey-second-factor', max: 100, seconds: WINDOW_SECONDS }

/**
 * Creates WebAuthn request options: for the second factor of a challenged user, else for a sign-in without a password.
 * `passwordless` forces the latter.
 */
export async function createPasskeyOptions(
  ctx: Ctx,
  exchange: Exchange,
  { passwordless }: { passwordless: boolean },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const challenged = passwordless ? undefined : await findChallengedUser(ctx, exchange)
  if (challenged) await countAgainstLimit(ctx.db, SECOND_FACTOR_LIMIT, challenged.user.id)
  else await countAgainstLimit(ctx.db, OPTIONS_LIMIT, clientNetwork(exchange.request))
  return (challenged && (await createSecondFactorOptions(ctx, challenged.user.id))) ?? createSignInOptions(ctx)
}

/** Signs in with a passkey, as a second factor or without a password. */
export async function signInWithPasskey(
  ctx: Ctx,
  exchange: Exchange,
  response: AuthenticationResponseJSON,
): Promise<SignInResult> {
  const max = ctx.config.limits.signInFailures * 50
  const limit = { name: 'passkey', max, seconds: WINDOW_SECONDS }
  const counts = [{ limit, key: clientNetwork(exchange.request) }]
  let outcome: AuthenticatedPasskey | RefusedPasskey | undefined
  const authenticated = limitGuesses(ctx.db, counts, {
    async attempt() {
      outcome = await authenticate(ctx, exchange, response)
      return outcome.user && outcome
    },
    toError: passkeyRefused,
    async recordRefusal(refused) {
      const refusal = refused === 'wrong' && outcome && !outcome.user ? outcome : RATE_LIMITED
      await recordRefusal(ctx, exchange, refusal)
    },
  })
  const { user, challenged } = await countRefusal(ctx, 'passkey', authenticated)
  const amr = ['pop', 'user', 'mfa']
  if (!challenged) {
    const result = await countSignIn(ctx, 'passkey', establishSession(ctx, exchange, { user, amr }))
    rememberMethod(ctx, exchange, 'passkey')
    return result
  }
  try {
    const completed = completeChallenge(ctx, exchange, { challenged, amr: ['pop'] })
    return await countSecondFactor(ctx, 'passkey', completed)
  } catch (error) {
    // A concurrent request has completed this sign-in.
    throw error instanceof AppError && error.code === 'INVALID_CODE' ? passkeyRefused() : error
  }
}

/** The same error for every reason. */
const passkeyRefused = () => new AppError('INVALID_CREDENTIALS', { message: t('This passkey was not accepted.') })

interface AuthenticatedPasskey {
  user: User
  /** Set if the passkey is a second factor. */
  challenged?: ChallengedUser
}

/** The reason of a refusal, and the account if it is known. */
interface RefusedPasskey {
  user: undefined
  reason: PasskeyRefusal | 'disabled' | 'rate_limited'
  userId: string | undefined
  isSecondFactor: boolean
}

const RATE_LIMITED: RefusedPasskey = {
  user: undefined,
  reason: 'rate_limited',
  userId: undefined,
  isSecondFactor: false,
}

async function authenticate(
  ctx: Ctx,
  exchange: Exchange,
  response: AuthenticationResponseJSON,
): Promise<AuthenticatedPasskey | RefusedPasskey> {
  const used = await usePasskey(ctx, response, requestLog(exchange.request))
  const isSecondFactor = used.purpose === 'second-factor'
  const refuse = (reason: RefusedPasskey['reason'], userId: string | undefined): RefusedPasskey => ({
    user: undefined,
    reason,
    userId,
    isSecondFactor,
  })
  if (!used.passkey) return refuse(used.reason, used.userId)
  const { user_id: userId } = used.passkey
  if (isSecondFactor) {
    const challenged = await findChallengedUser(ctx, exchange)
    // The challenge has ended, or belongs to another user.
    if (challenged?.user.id !== userId) return refuse('unknown_challenge', userId)
    return { user: challenged.user, challenged }
  }
  const user = await findUser(ctx.db, userId)
  return user && !user.disabled ? { user } : refuse('disabled', userId)
}

/** Records a refusal. Unknown challenges need no authentication, so they are recorded once per network and window. */
async function recordRefusal(ctx: Ctx, exchange: Exchange, refusal: RefusedPasskey): Promise<void> {
  const { request } = exchange
  const { reason, userId, isSecondFactor } = refusal
  if (reason === 'unknown_challenge') {
    const limiter = createLimiter(ctx.db, { name: 'passkey-challenge', max: 1, seconds: WINDOW_SECONDS })
    if (!(await limiter.isFirst(clientNetwork(request)))) return
  }
  const action = isSecondFactor ? 'session.second_factor_refused' : 'session.refused'
  await recordRefusedSignIn(ctx, { action, request, method: 'passkey', reason, userId })
}
