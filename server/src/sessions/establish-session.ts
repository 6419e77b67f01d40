import { userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { rememberLanguage } from '../http/request/language-cookie.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { toRequestOrigin } from '../mail/device-facts.ts'
import { restoreAccount, toErasureDate } from '../users/deletion.ts'
import { listSecondFactors, type SecondFactor, selectUnchangedUserForUpdate } from '../users/factors/factors.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import { lockUser, type User } from '../users/service.ts'
import { forgetAwaitedLinks } from './awaited-links.ts'
import { startBrowserSession, startSessionIfEligible } from './browser-session.ts'
import { identifyDevice, notifyNewDevice } from './devices.ts'
import { type LoginTransaction, pageUrl } from './login-transaction.ts'
import { clearPendingCookie, savePending } from './pending-sign-ins.ts'
import { type RefusedSignIn, recordRefusedSignIn, type SignInMethod } from './refusals.ts'
import { sessionExists } from './store.ts'

/** The result of a successful authentication step: signed in, or another step is required. */
export type SignInResult =
  | { state: 'signed-in'; user: SignedInUser; session: { id: string } }
  | { state: 'second-factor'; methods: SecondFactor[] }
  | { state: 'deletion-scheduled'; erasureDate: Date }

/** A verified authentication, to be turned into a session. */
export interface VerifiedAuthentication {
  /** The user as read before the authentication. `establishSession` checks that nothing relevant has changed since. */
  user: User
  /** Authentication methods (RFC 8176). With `mfa` no second factor is required. */
  amr: string[]
  /** Now unless set. */
  authTime?: Date | undefined
  /** The provider sent no auth_time. */
  authTimeAssumed?: boolean
  /** Cancel the scheduled deletion of the account. */
  cancelsDeletion?: boolean
  /**
   * Set for a step-up: the session that this second factor upgrades. It must still exist; `startBrowserSession` finds it
   * by its cookie.
   */
  sessionId?: string | undefined
  login?: LoginTransaction | undefined
}

/**
 * Every sign-in ends here, so that password, passkey and provider are checked alike. The caller has already refused
 * disabled users.
 */
export async function establishSession(
  ctx: Ctx,
  exchange: Exchange,
  authentication: VerifiedAuthentication,
): Promise<SignInResult> {
  try {
    const result = await retryOnDeadlock(
      async () =>
        (await signInDirectly(ctx, { exchange, authentication })) ??
        ctx.db.transaction().execute((tx) => signInLocked(ctx, tx, { exchange, authentication })),
    )
    if (result.state === 'signed-in') {
      clearPendingCookie(ctx, exchange)
      rememberLanguage(ctx, exchange.reply, authentication.user.locale)
      await forgetAwaitedLinks(ctx, exchange)
    }
    return result
  } catch (error) {
    // The credentials were verified before, so this code only means that the recheck found a change.
    if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS') {
      await recordRefusedSignIn(ctx, refusalOf(exchange, authentication))
    }
    throw error
  }
}

const isByPassword = (amr: string[]): boolean => amr.includes('pwd')

const refusalOf = ({ request }: Exchange, { user, amr, login }: VerifiedAuthentication): RefusedSignIn => ({
  request,
  login,
  userId: user.id,
  email: user.email,
  reason: 'changed_meanwhile',
  method: methodOf(amr),
})

/** The first factor. */
function methodOf(amr: string[]): SignInMethod {
  if (amr.includes('fed')) return 'sso'
  if (isByPassword(amr)) return 'password'
  return amr.includes('otp') ? 'email_code' : 'passkey'
}

export interface SignIn {
  exchange: Exchange
  authentication: VerifiedAuthentication
}

/**
 * Signs in with one statement: no existing session, a known device, no second factor. In every other case it changes
 * nothing and returns undefined, and the caller uses `signInLocked`. Both must make the same checks
 * (establish-session.test.ts).
 */
export async function signInDirectly(
  ctx: Ctx,
  { exchange, authentication }: SignIn,
): Promise<SignInResult | undefined> {
  const { user, amr, sessionId } = authentication
  if (user.deletion_requested_at !== null || amr.includes('mfa') || sessionId !== undefined) return undefined
  const lockedUserQuery = selectUnchangedUserForUpdate(user, { byPassword: isByPassword(amr) })
  const session = await startSessionIfEligible(ctx, exchange, {
    ...toSessionStart(ctx, exchange, authentication),
    lockedUserQuery,
  })
  return session && { state: 'signed-in', user: toSignedInUser(user), session }
}

/**
 * Signs in within a transaction that locks the user, so that the checks hold until the session is written. The
 * transaction cannot be avoided: after waiting for a lock, PostgreSQL rechecks the locked row only, so the second factors
 * need a statement of their own.
 */
export async function signInLocked(ctx: Ctx, tx: Tx, signIn: SignIn): Promise<SignInResult> {
  const { user, cancelsDeletion = false } = signIn.authentication
  const factors = await recheckUser(tx, signIn.authentication)
  if (user.deletion_requested_at !== null && !cancelsDeletion) {
    await savePendingSignIn(ctx, tx, signIn)
    return { state: 'deletion-scheduled', erasureDate: toErasureDate(user.deletion_requested_at) }
  }
  if (factors.length > 0) {
    await savePendingSignIn(ctx, tx, signIn)
    return { state: 'second-factor', methods: factors }
  }
  return completeSignIn(ctx, tx, signIn)
}

/** Another step is required: stores the pending sign-in. */
async function savePendingSignIn(ctx: Ctx, tx: Tx, { exchange, authentication }: SignIn): Promise<void> {
  const { user, amr, authTime, authTimeAssumed = false, cancelsDeletion = false } = authentication
  const pending = { userId: user.id, amr, authTime, authTimeAssumed, cancelsDeletion }
  await savePending({ ...ctx, db: tx }, exchange, pending)
}

async function completeSignIn(ctx: Ctx, tx: Tx, { exchange, authentication }: SignIn): Promise<SignInResult> {
  const { user } = authentication
  // Without `cancelsDeletion` a scheduled deletion does not get here.
  if (user.deletion_requested_at !== null) {
    await restoreAccount(ctx, tx, { user, actor: userActor(user.id), request: exchange.request })
  }
  const session = await startSession(ctx, tx, { exchange, authentication })
  return { state: 'signed-in', user: toSignedInUser(user), session }
}

/**
 * Locks the user and checks that nothing relevant has changed since the authentication: a password or factor change
 * must also lock out those who authenticated just before it. Returns the second factors of which one is still required.
 */
async function recheckUser(tx: Tx, { user, amr, sessionId }: VerifiedAuthentication): Promise<SecondFactor[]> {
  const current = await lockUser(tx, user.id)
  if (!current) throw new AppError('INVALID_CREDENTIALS')
  const isUnchanged =
    !current.disabled &&
    current.password_hash === user.password_hash &&
    (current.password_sign_in || !isByPassword(amr)) &&
    (current.deletion_requested_at === null) === (user.deletion_requested_at === null)
  // Read after the lock: a factor may have been added or removed while this transaction waited for it.
  const factors = await listSecondFactors(tx, user.id)
  const usedSecondFactor = amr.includes('mfa')
  const isFactorCurrent = !usedSecondFactor || factors.length > 0
  const isSessionCurrent = sessionId === undefined || (await sessionExists(tx, sessionId))
  if (!isUnchanged || !isFactorCurrent || !isSessionCurrent) throw new AppError('INVALID_CREDENTIALS')
  return usedSecondFactor ? [] : factors
}

async function startSession(ctx: Ctx, tx: Tx, { exchange, authentication }: SignIn): Promise<{ id: string }> {
  const start = toSessionStart(ctx, exchange, authentication)
  const { id, isNewDevice } = await startBrowserSession({ ...ctx, db: tx }, exchange, start)
  if (isNewDevice) {
    const { user, login } = authentication
    await notifyNewDevice(ctx, tx, { device: toRequestOrigin(exchange.request), user, login })
  }
  return { id }
}

function toSessionStart(ctx: Ctx, exchange: Exchange, authentication: VerifiedAuthentication) {
  const { amr, authTime, authTimeAssumed, sessionId, login } = authentication
  const { id: userId } = authentication.user
  const action = sessionId === undefined ? 'session.started' : 'session.second_factor_shown'
  const entry = { action, actor: userActor(userId), userId, request: exchange.request } as const
  return {
    userId,
    amr,
    authTime,
    authTimeAssumed,
    marks: identifyDevice(ctx, exchange),
    toAuditEvent: (id: string) => ({ ...entry, clientId: login?.clientId, details: { sessionId: id, amr } }),
  }
}

/** The page after a sign-in without a login transaction. */
export const DEFAULT_PAGE = '/account'

/** The page for the next step after this result. */
export function nextPage(
  ctx: Ctx,
  { state }: Pick<SignInResult, 'state'>,
  login: LoginTransaction | undefined,
): string {
  const paths = {
    'signed-in': login?.next ?? DEFAULT_PAGE,
    'second-factor': '/mfa',
    'deletion-scheduled': '/restore',
  }
  return pageUrl(ctx, paths[state], login)
}
