import { person, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { type SecondFactor, secondFactorsOf } from '../users/factors/factors.ts'
import { spendRecoveryCode } from '../users/factors/recovery-codes.ts'
import { useTotp } from '../users/factors/totp.ts'
import { type GuessCount, guess } from '../users/guesses.ts'
import { notify } from '../users/notices.ts'
import { findUser, type User } from '../users/service.ts'
import { type Arrival, arrive } from './arrival.ts'
import { findBrowserSession } from './browser-session.ts'
import { isKnownDevice } from './devices.ts'
import { countSecondFactor } from './figures.ts'
import type { Journey } from './journey.ts'
import { findPending, usePending } from './pending.ts'
import { noteRefusal } from './refusals.ts'

/** Somebody who is asked for a second factor: half signed in, or signed in without one. */
export interface Challenged {
  user: User
  /** What they have shown before. */
  amr: string[]
  /** When, if not just now: a second factor alone is no new sign-in. */
  authTime: Date | undefined
  authTimeAssumed: boolean
  restores: boolean
  /** The session of somebody signed in; undefined: half a sign-in, to be used up. */
  sessionId: string | undefined
}

/** Whoever is asked for a second factor in this browser, if anybody is. */
export async function findChallenged(ctx: Ctx, exchange: Exchange): Promise<Challenged | undefined> {
  const pending = await findPending(ctx, exchange)
  const session = pending ? undefined : await findBrowserSession(ctx, exchange)
  const asked = pending ?? (session && !session.amr.includes('mfa') ? session : undefined)
  const user = asked && (await findUser(ctx.db, asked.userId))
  if (!asked || !user || user.disabled) return undefined
  return {
    user,
    amr: asked.amr,
    authTime: asked.authTime,
    authTimeAssumed: asked.authTimeAssumed,
    restores: pending?.restores ?? false,
    sessionId: session?.id,
  }
}

export const methodsOf = (ctx: Ctx, { user }: Challenged): Promise<SecondFactor[]> =>
  secondFactorsOf(ctx.db, user.id)

/** Answers the challenge with a code of the authenticator app, or a recovery code. */
export const answerWithCode = (ctx: Ctx, exchange: Exchange, answer: CodeAnswer): Promise<Arrival> =>
  countSecondFactor(ctx, methodOf(typedIn(answer)), checkCode(ctx, exchange, answer))

interface CodeAnswer {
  code: string
  journey?: Journey | undefined
}

const typedIn = ({ code }: CodeAnswer): string => code.replace(/\s/g, '')

async function checkCode(ctx: Ctx, exchange: Exchange, answer: CodeAnswer): Promise<Arrival> {
  const challenged = await requireChallenged(ctx, exchange)
  const { user } = challenged
  const typed = typedIn(answer)
  const { journey } = answer
  await guess(ctx.db, countsFor(ctx, exchange, user), {
    attempt: async () => ((await isRightCode(ctx, exchange, { user, code: typed })) ? true : undefined),
    wrong: () => new AppError('INVALID_CODE'),
    note: (refused) =>
      noteRefusal(ctx, {
        ...{ action: 'session.second_factor_refused', request: exchange.request, journey },
        ...{ userId: user.id, email: user.email },
        reason: refused === 'wrong' ? 'wrong_code' : 'rate_limited',
        method: methodOf(typed),
      }),
  })
  return passChallenge(ctx, exchange, { challenged, amr: ['otp'], journey })
}

export async function requireChallenged(ctx: Ctx, exchange: Exchange): Promise<Challenged> {
  const challenged = await findChallenged(ctx, exchange)
  if (challenged) return challenged
  throw new AppError('UNAUTHORIZED', {
    message: 'Sign in with your password first.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

const DIGITS = /^\d+$/

/** Recovery codes have letters in them. */
const methodOf = (typed: string) => (DIGITS.test(typed) ? 'totp' : 'recovery_code')

async function isRightCode(
  ctx: Ctx,
  { request }: Exchange,
  { user, code }: { user: User; code: string },
): Promise<boolean> {
  if (DIGITS.test(code)) return useTotp(ctx, ctx.db, user.id, code)
  return ctx.db.transaction().execute(async (tx) => {
    if (!(await spendRecoveryCode(tx, user.id, code))) return false
    await notify(ctx, tx, { to: user, kind: 'recovery-code-used' })
    const entry = { action: 'user.recovery_code_used', actor: person(user.id), userId: user.id } as const
    await record(ctx, tx, { ...entry, request })
    return true
  })
}

/** The second factor was shown: half a sign-in becomes a whole one, and a session is worth more than before. */
export async function passChallenge(
  ctx: Ctx,
  exchange: Exchange,
  { challenged, amr, journey }: { challenged: Challenged; amr: string[]; journey?: Journey | undefined },
): Promise<Arrival> {
  const { user, restores, sessionId, authTime, authTimeAssumed } = challenged
  if (sessionId === undefined && !(await usePending(ctx, exchange))) throw new AppError('INVALID_CODE')
  const shown = [...new Set([...challenged.amr, ...amr, 'mfa'])]
  const proof = { user, amr: shown, restores, authTime, authTimeAssumed, sessionId, journey }
  return arrive(ctx, exchange, proof)
}

const WINDOW_SECONDS = 15 * 60
const DAY_SECONDS = 86_400

/**
 * Whoever guesses codes has shown the password. They are counted for each part of the network, so that the person
 * themselves is not locked out by them, and more strictly on devices that the person never used.
 */
function countsFor(ctx: Ctx, exchange: Exchange, { id, email }: User): GuessCount[] {
  const { confirmFailures: most } = ctx.config.limits
  const network = clientNetwork(exchange.request)
  const strangers = { name: 'code-account', most: most * 5, seconds: DAY_SECONDS }
  return [
    {
      limit: { name: 'code', most, seconds: WINDOW_SECONDS },
      key: `${id}:${network}`,
      forgiven: true,
    },
    { limit: strangers, key: id, isExempt: () => isKnownDevice(ctx, exchange, email) },
  ]
}
