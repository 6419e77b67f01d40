import { recordAuditEvent, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { t } from '../languages/translate.ts'
import { listSecondFactors, type SecondFactor } from '../users/factors/factors.ts'
import { useRecoveryCode } from '../users/factors/recovery-codes.ts'
import { useTotp } from '../users/factors/totp.ts'
import { type GuessLimit, limitGuesses } from '../users/guess-limit.ts'
import { queueNotice } from '../users/notices.ts'
import { findUser, type User } from '../users/service.ts'
import { findBrowserSession } from './browser-session.ts'
import { isKnownDevice } from './devices.ts'
import { establishSession, type SignInResult } from './establish-session.ts'
import type { LoginTransaction } from './login-transaction.ts'
import { countSecondFactor } from './metrics.ts'
import { findPending, usePending } from './pending-sign-ins.ts'
import { recordRefusedSignIn } from './refusals.ts'

/** A user who must show a second factor: a pending sign-in, or a session without one. */
export interface ChallengedUser {
  user: User
  /** The authentication methods used so far. */
  amr: string[]
  /** When, if not now: a second factor does not renew the first. */
  authTime: Date | undefined
  authTimeAssumed: boolean
  cancelsDeletion: boolean
  /** Undefined for a pending sign-in, which is used up. */
  sessionId: string | undefined
}

/** Finds the user who must show a second factor in this browser. */
export async function findChallengedUser(ctx: Ctx, exchange: Exchange): Promise<ChallengedUser | undefined> {
  const pending = await findPending(ctx, exchange)
  const session = pending ? undefined : await findBrowserSession(ctx, exchange)
  const pendingOrSession = pending ?? (session && !session.amr.includes('mfa') ? session : undefined)
  const user = pendingOrSession && (await findUser(ctx.db, pendingOrSession.userId))
  if (!pendingOrSession || !user || user.disabled) return undefined
  return {
    user,
    amr: pendingOrSession.amr,
    authTime: pendingOrSession.authTime,
    authTimeAssumed: pendingOrSession.authTimeAssumed,
    cancelsDeletion: pending?.cancelsDeletion ?? false,
    sessionId: session?.id,
  }
}

export const listMethods = (ctx: Ctx, { user }: ChallengedUser): Promise<SecondFactor[]> =>
  listSecondFactors(ctx.db, user.id)

/** Completes the challenge with a TOTP code or a recovery code. */
export const signInWithCode = (ctx: Ctx, exchange: Exchange, input: CodeInput): Promise<SignInResult> =>
  countSecondFactor(ctx, methodOf(normalizeCode(input)), verifyCode(ctx, exchange, input))

interface CodeInput {
  code: string
  login?: LoginTransaction | undefined
}

const normalizeCode = ({ code }: CodeInput): string => code.replace(/\s/g, '')

async function verifyCode(ctx: Ctx, exchange: Exchange, input: CodeInput): Promise<SignInResult> {
  const challenged = await requireChallengedUser(ctx, exchange)
  const { user } = challenged
  const code = normalizeCode(input)
  const { login } = input
  await limitGuesses(ctx.db, guessLimits(ctx, exchange, user), {
    attempt: async () => ((await useCode(ctx, exchange, { user, code })) ? true : undefined),
    toError: () => new AppError('INVALID_CODE'),
    recordRefusal: (refused) =>
      recordRefusedSignIn(ctx, {
        action: 'session.second_factor_refused',
        request: exchange.request,
        login,
        userId: user.id,
        email: user.email,
        reason: refused === 'wrong' ? 'wrong_code' : 'rate_limited',
        method: methodOf(code),
      }),
  })
  return completeChallenge(ctx, exchange, { challenged, amr: ['otp'], login })
}

export async function requireChallengedUser(ctx: Ctx, exchange: Exchange): Promise<ChallengedUser> {
  const challenged = await findChallengedUser(ctx, exchange)
  if (challenged) return challenged
  throw new AppError('UNAUTHORIZED', {
    message: t('Sign in with your password first.'),
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

const DIGITS = /^\d+$/

/** Only TOTP codes are all digits. */
const methodOf = (code: string) => (DIGITS.test(code) ? 'totp' : 'recovery_code')

async function useCode(
  ctx: Ctx,
  { request }: Exchange,
  { user, code }: { user: User; code: string },
): Promise<boolean> {
  if (DIGITS.test(code)) return useTotp(ctx, ctx.db, user.id, code)
  return ctx.db.transaction().execute(async (tx) => {
    if (!(await useRecoveryCode(tx, user.id, code))) return false
    await queueNotice(ctx, tx, { to: user, kind: 'recovery-code-used' })
    await recordAuditEvent(ctx, tx, {
      action: 'user.recovery_code_used',
      actor: userActor(user.id),
      userId: user.id,
      request,
    })
    return true
  })
}

/** Completes a pending sign-in, or adds the second factor to a session. */
export async function completeChallenge(
  ctx: Ctx,
  exchange: Exchange,
  { challenged, amr, login }: { challenged: ChallengedUser; amr: string[]; login?: LoginTransaction | undefined },
): Promise<SignInResult> {
  const { user, cancelsDeletion, sessionId, authTime, authTimeAssumed } = challenged
  if (sessionId === undefined && !(await usePending(ctx, exchange))) throw new AppError('INVALID_CODE')
  const allMethods = [...new Set([...challenged.amr, ...amr, 'mfa'])]
  const authentication = {
    user,
    amr: allMethods,
    cancelsDeletion,
    authTime,
    authTimeAssumed,
    sessionId,
    login,
  }
  return establishSession(ctx, exchange, authentication)
}

const WINDOW_SECONDS = 15 * 60
const DAY_SECONDS = 86_400

/**
 * Whoever guesses codes knows the password. Guesses are limited per network, so that they do not lock the user out
 * elsewhere, and per account on unknown devices.
 */
function guessLimits(ctx: Ctx, exchange: Exchange, { id, email }: User): GuessLimit[] {
  const { confirmFailures: max } = ctx.config.limits
  const network = clientNetwork(exchange.request)
  const accountLimit = { name: 'code-account', max: max * 5, seconds: DAY_SECONDS }
  return [
    {
      limit: { name: 'code', max, seconds: WINDOW_SECONDS },
      key: `${id}:${network}`,
      clearOnSuccess: true,
    },
    { limit: accountLimit, key: id, isExempt: () => isKnownDevice(ctx, exchange, email) },
  ]
}
