import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { isSameOrigin } from '../http/request/csrf.ts'
import type { Person } from '../http/routing/callers.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { requestLog } from '../http/server/request-log.ts'
import { t } from '../languages/translate.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { recordRefusedSignIn } from '../sessions/refusals.ts'
import { findFactors, hasSecondFactor } from '../users/factors/factors.ts'
import { limitGuesses } from '../users/guess-limit.ts'
import { verifyPassword, withPasswordAdmission } from '../users/passwords.ts'
import { findUser, lockUser, type User } from '../users/service.ts'
import { findSessionAuthentication } from './store.ts'

const WINDOW_SECONDS = 15 * 60
/** How recently a person without a password must have signed in. */
const PASSWORDLESS_MINUTES = 15
const RECENT_MINUTES = 60

/** The signed-in person and their request. */
export interface PersonRequest {
  caller: Person
  request: FastifyRequest
}

/** With the reply, which may set a new session cookie. */
export type PersonExchange = PersonRequest & Exchange

/**
 * Reauthenticates the person before a sensitive change, so that an unattended session cannot make it: with the password,
 * or, without one, by a sign-in of the last minutes in this browser.
 */
export async function confirmIdentity(ctx: Ctx, exchange: PersonExchange, password: string | undefined): Promise<User> {
  const { caller, request } = exchange
  const user = await getCurrentUser(ctx, caller)
  if (user.password_hash === null) {
    if (!(await isInBrowser(ctx, exchange))) throw passwordOrBrowserRequired(ctx)
    if (!(await signedInWithin(ctx, caller, PASSWORDLESS_MINUTES))) {
      throw new AppError('REAUTHENTICATION_REQUIRED')
    }
    return user
  }
  const toError = () => {
    requestLog(request).info({ userId: user.id }, 'a current password was wrong')
    return new AppError('CURRENT_PASSWORD_INCORRECT')
  }
  await requirePassword(ctx, { caller, request }, { user, password: password ?? '', toError })
  return user
}

/** Requires a sign-in of the last hour, or the password. Callers also require the second factor of the session. */
export async function requireRecentSignIn(ctx: Ctx, personRequest: PersonRequest, password?: string): Promise<void> {
  if (await signedInWithin(ctx, personRequest.caller, RECENT_MINUTES)) return
  const toError = () => new AppError('REAUTHENTICATION_REQUIRED')
  await requireGivenPassword(ctx, personRequest, { password, toError })
}

/**
 * For adding a second factor. An access token always needs the password too, so that a stolen token cannot become a
 * lasting sign-in. In the browser a sign-in of the last hour is enough.
 */
export async function requireReauthenticationToAddFactor(
  ctx: Ctx,
  exchange: PersonExchange,
  password?: string,
): Promise<void> {
  if (await isInBrowser(ctx, exchange)) return requireRecentSignIn(ctx, exchange, password)
  await requireGivenPassword(ctx, exchange, { password, toError: () => passwordOrBrowserRequired(ctx) })
}

/** Requires the right password; a missing one gives the same error as a wrong one. */
async function requireGivenPassword(
  ctx: Ctx,
  personRequest: PersonRequest,
  { password, toError }: { password: string | undefined; toError: () => AppError },
): Promise<void> {
  if (password === undefined) throw toError()
  const user = await getCurrentUser(ctx, personRequest.caller)
  await requirePassword(ctx, personRequest, { user, password, toError })
}

/** Whether the request carries the session cookie, alone or, as from the console, with a token of the same session. */
async function isInBrowser(ctx: Ctx, { caller, request, reply }: PersonExchange): Promise<boolean> {
  if (caller.clientId === undefined) return true
  if (!isSameOrigin(ctx, request)) return false
  const session = await findBrowserSession(ctx, { request, reply })
  return session?.id === caller.sessionId
}

const passwordOrBrowserRequired = ({ config }: Ctx) =>
  new AppError('REAUTHENTICATION_REQUIRED', {
    message: t('Send your password along, or do this on your account page: {address}.', {
      address: `${config.baseUrl}/account/security`,
    }),
  })

/**
 * For changes to the second factors: a person who has one must have used it in this session. The session may be older
 * than the factor, and a password alone must not replace it.
 */
export async function requireSessionMfa(db: Db, { userId, sessionId }: Person): Promise<void> {
  if (!hasSecondFactor(await findFactors(db, userId))) return
  const authentication = await findSessionAuthentication(db, sessionId)
  if (authentication?.amr.includes('mfa')) return
  throw new AppError('REAUTHENTICATION_REQUIRED', {
    message: t('Show the second factor you have first: sign in again with it.'),
  })
}

/** The calling person; UNAUTHORIZED when the account was erased after the request was authenticated. */
export async function getCurrentUser(ctx: Ctx, { userId }: Person): Promise<User> {
  const user = await findUser(ctx.db, userId)
  if (!user) throw sessionEnded()
  return user
}

/** Locks the calling person for the transaction, and checks that account and session are still active. */
export async function lockCurrentUser(tx: Tx, { userId, sessionId }: Person): Promise<User> {
  const user = await lockUser(tx, userId)
  if (!user || user.disabled || user.deletion_requested_at !== null) throw sessionEnded()
  if (!(await findSessionAuthentication(tx, sessionId))) throw sessionEnded()
  return user
}

/** Like `lockCurrentUser`, after `confirmIdentity`: the password must not have changed since. */
export async function lockConfirmedUser(tx: Tx, { caller }: PersonRequest, { password_hash }: User): Promise<User> {
  const user = await lockCurrentUser(tx, caller)
  if (user.password_hash !== password_hash) throw new AppError('CURRENT_PASSWORD_INCORRECT')
  return user
}

const sessionEnded = () => new AppError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': 'Bearer' } })

async function signedInWithin(ctx: Ctx, { sessionId }: Person, minutes: number): Promise<boolean> {
  const authentication = await findSessionAuthentication(ctx.db, sessionId)
  if (authentication === undefined) return false
  return authentication.auth_time.getTime() >= ctx.now().getTime() - minutes * 60_000
}

interface PasswordCheck {
  user: User
  password: string
  toError: () => AppError
}

/** Failures are limited and audited, so that a stolen session cannot be used to guess the password. */
async function requirePassword(
  ctx: Ctx,
  { caller, request }: PersonRequest,
  { user, password, toError }: PasswordCheck,
): Promise<void> {
  const limit = { name: 'confirm', max: ctx.config.limits.confirmFailures, seconds: WINDOW_SECONDS }
  await withPasswordAdmission(ctx, { request, account: user.id }, () =>
    limitGuesses(ctx.db, [{ limit, key: user.id, clearOnSuccess: true }], {
      attempt: async () => ((await verifyPassword(user.password_hash, password)) ? true : undefined),
      toError: toError,
      recordRefusal: (refused) =>
        recordRefusedSignIn(ctx, {
          request,
          method: 'password',
          userId: user.id,
          email: user.email,
          clientId: caller.clientId,
          reason: refused === 'unchecked' ? 'rate_limited' : reasonOf(user),
        }),
    }),
  )
}

const reasonOf = ({ password_hash }: User) => (password_hash === null ? 'no_password' : 'wrong_password')
