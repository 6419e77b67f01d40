import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import type { Person } from '../http/callers.ts'
import { isSameOrigin } from '../http/csrf.ts'
import type { Exchange } from '../http/exchange.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { noteRefusal } from '../sessions/refusals.ts'
import { findFactors, hasSecondFactor } from '../users/factors/factors.ts'
import { guess } from '../users/guesses.ts'
import { inPasswordLine, verifyPassword } from '../users/passwords.ts'
import { findUser, lockUser, type User } from '../users/service.ts'
import { findProof } from './store.ts'

const WINDOW_SECONDS = 15 * 60
/** How long ago who has no password may have signed in. */
const PASSWORDLESS_MINUTES = 15
const RECENT_MINUTES = 60

/** Who asks for something, and the request they do it with. */
export interface Asking {
  caller: Person
  request: FastifyRequest
}

/** The same, where the answer may bring a new cookie. */
export type Managing = Asking & Exchange

/**
 * The person proves again who they are, before something that a stranger at their desk must not do: by their
 * password, or, if they have none, by having signed in just now in this browser.
 */
export async function confirmIdentity(
  ctx: Ctx,
  managing: Managing,
  password: string | undefined,
): Promise<User> {
  const { caller, request } = managing
  const user = await getSelf(ctx, caller)
  if (user.password_hash === null) {
    if (!(await isInBrowser(ctx, managing))) throw notByToken(ctx)
    if (!(await signedInWithin(ctx, caller, PASSWORDLESS_MINUTES))) {
      throw new AppError('REAUTHENTICATION_REQUIRED')
    }
    return user
  }
  const refusal = () => {
    request.log.info({ userId: user.id }, 'a current password was wrong')
    return new AppError('CURRENT_PASSWORD_INCORRECT')
  }
  await requirePassword(ctx, { caller, request }, { user, password: password ?? '', refusal })
  return user
}

/** Takes a sign-in of the last hour, or the password. For linking an account and removing a passkey, which ask for more. */
export async function requireRecentSignIn(ctx: Ctx, asking: Asking, password?: string): Promise<void> {
  if (await signedInWithin(ctx, asking.caller, RECENT_MINUTES)) return
  await requirePasswordOr(ctx, asking, { password, refusal: () => new AppError('REAUTHENTICATION_REQUIRED') })
}

/**
 * For adding a second factor. With an access token alone always the password: a stolen token must not
 * become a lasting sign-in. In the browser a sign-in of the last hour will do too.
 */
export async function requireToAddFactor(ctx: Ctx, managing: Managing, password?: string): Promise<void> {
  if (await isInBrowser(ctx, managing)) return requireRecentSignIn(ctx, managing, password)
  await requirePasswordOr(ctx, managing, { password, refusal: () => notByToken(ctx) })
}

async function requirePasswordOr(
  ctx: Ctx,
  asking: Asking,
  { password, refusal }: { password: string | undefined; refusal: () => AppError },
): Promise<void> {
  if (password === undefined) throw refusal()
  await requirePassword(ctx, asking, { user: await getSelf(ctx, asking.caller), password, refusal })
}

/** They came with the cookie of their browser, alone or, as our console, along with a token of the same session. */
async function isInBrowser(ctx: Ctx, { caller, request, reply }: Managing): Promise<boolean> {
  if (caller.clientId === undefined) return true
  if (!isSameOrigin(ctx, request)) return false
  const session = await findBrowserSession(ctx, { request, reply })
  return session?.id === caller.sessionId
}

const notByToken = ({ config }: Ctx) =>
  new AppError('REAUTHENTICATION_REQUIRED', {
    message: `Send your password along, or do this on your account page: ${config.baseUrl}/account/security.`,
  })

/**
 * For whatever makes the second step another: who has a second factor must have shown one in this session. It may have
 * begun before there was any, and a password alone must not put another in its place.
 */
export async function requireShownFactor(db: Db, { userId, sessionId }: Person): Promise<void> {
  if (!hasSecondFactor(await findFactors(db, userId))) return
  const proof = await findProof(db, sessionId)
  if (proof?.amr.includes('mfa')) return
  throw new AppError('REAUTHENTICATION_REQUIRED', {
    message: 'Show the second factor you have first: sign in again with it.',
  })
}

/** Whoever is calling. They may have been erased since the door asked. */
export async function getSelf(ctx: Ctx, { userId }: Person): Promise<User> {
  const user = await findUser(ctx.db, userId)
  if (!user) throw gone()
  return user
}

/**
 * The person behind a call, in the transaction of what they ask for: their session has not ended meanwhile, and nobody
 * else changes them until the transaction ends.
 */
export async function lockSelf(tx: Tx, { userId, sessionId }: Person): Promise<User> {
  const user = await lockUser(tx, userId)
  if (!user || user.disabled || user.deletion_requested_at !== null) throw gone()
  if (!(await findProof(tx, sessionId))) throw gone()
  return user
}

/** The same after they have confirmed who they are, which takes its time: they are still as they were then. */
export async function stayConfirmed(tx: Tx, { caller }: Asking, { password_hash }: User): Promise<User> {
  const user = await lockSelf(tx, caller)
  if (user.password_hash !== password_hash) throw new AppError('CURRENT_PASSWORD_INCORRECT')
  return user
}

const gone = () => new AppError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': 'Bearer' } })

async function signedInWithin(ctx: Ctx, { sessionId }: Person, minutes: number): Promise<boolean> {
  const proof = await findProof(ctx.db, sessionId)
  return proof !== undefined && proof.auth_time.getTime() >= ctx.now().getTime() - minutes * 60_000
}

interface Shown {
  user: User
  password: string
  refusal: () => AppError
}

/** Wrong ones are counted and told: whoever holds a session must not find the password out by guessing. */
async function requirePassword(
  ctx: Ctx,
  { caller, request }: Asking,
  { user, password, refusal }: Shown,
): Promise<void> {
  const most = ctx.config.limits.confirmFailures
  const limit = { name: 'confirm', most, seconds: WINDOW_SECONDS }
  await inPasswordLine(ctx, { request, account: user.id }, () =>
    guess(ctx.db, [{ limit, key: user.id, forgiven: true }], {
      attempt: async () => ((await verifyPassword(user.password_hash, password)) ? true : undefined),
      wrong: refusal,
      note: (refused) =>
        noteRefusal(ctx, {
          ...{ request, method: 'password', userId: user.id, email: user.email, clientId: caller.clientId },
          reason: refused === 'unseen' ? 'rate_limited' : reasonOf(user),
        }),
    }),
  )
}

const reasonOf = ({ password_hash }: User) => (password_hash === null ? 'no_password' : 'wrong_password')
