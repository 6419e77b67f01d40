import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, userActor } from '../audit/record.ts'
import { GOOGLE_ISSUER, type SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { countAgainstLimit } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { ensureBrowserId } from '../http/request/browser-cookie.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { findRequestLanguage } from '../languages/current-language.ts'
import { t } from '../languages/translate.ts'
import { markAddressContested } from '../sessions/contested-address.ts'
import { type LoginTransaction, readLoginTransaction } from '../sessions/login-transaction.ts'
import { recordRefusedSignIn } from '../sessions/refusals.ts'
import { listSecondFactors } from '../users/factors/factors.ts'
import { findUserByEmail, lockUser, type User } from '../users/service.ts'
import { createVerifiedUser } from '../users/verified-user.ts'
import { createAttempt } from './attempts.ts'
import type { Identity } from './identity.ts'
import { addLink, hasLinkTo, toDisplayColumns } from './links.ts'
import { findLinkedUser, updateLink } from './store.ts'

/** Each attempt is a row, and needs no authentication. */
const LIMIT = { name: 'sso', max: 2_000, seconds: 15 * 60 }

/** Starts a sign-in. Returns the authorization URL of the provider. */
export async function beginSignIn(
  ctx: Ctx,
  exchange: Exchange,
  { provider, sealedLogin }: { provider: SsoProvider; sealedLogin: string | undefined },
): Promise<string> {
  await countAgainstLimit(ctx.db, LIMIT, clientNetwork(exchange.request))
  const login = readLoginTransaction(ctx, sealedLogin)
  const mustReauthenticate = login !== undefined && mustReauthenticateAtProvider(provider, login)
  return createAttempt(ctx, provider, {
    browser: ensureBrowserId(ctx, exchange),
    returnTo: login && sealedLogin,
    hints: login && { ...freshnessHints(provider, login, mustReauthenticate), ...loginHint(login) },
    mustReauthenticate,
  })
}

/**
 * A user who must reauthenticate here must also do so at the provider, which may have an active session. A trusted
 * provider without auth_time is asked for reauthentication whenever the application sets max_age.
 */
const mustReauthenticateAtProvider = (
  { trustReauthentication }: SsoProvider,
  { mustReauthenticate = false, maxAge }: LoginTransaction,
): boolean => mustReauthenticate || maxAge === 0 || (maxAge !== undefined && trustReauthentication)

function freshnessHints(
  { issuer }: SsoProvider,
  { maxAge }: LoginTransaction,
  mustReauthenticate: boolean,
): Record<string, string> {
  // Google rejects prompt=login and max_age.
  if (issuer === GOOGLE_ISSUER) return mustReauthenticate ? { prompt: 'select_account' } : {}
  if (mustReauthenticate) return { prompt: 'login', max_age: '0' }
  // OpenID Connect Core §2: with max_age the provider must send auth_time.
  return maxAge === undefined ? {} : { max_age: String(maxAge) }
}

const loginHint = ({ loginHint }: LoginTransaction): Record<string, string> =>
  loginHint === undefined ? {} : { login_hint: loginHint }

interface SsoSignIn {
  provider: SsoProvider
  identity: Identity
  request: FastifyRequest
  login: LoginTransaction | undefined
}

/** The reason why no user was matched, and the account if it is known. */
interface UnmatchedIdentity {
  reason: 'disabled' | 'not_linked' | 'unproven_address'
  userId?: string
}

/** Returns the user who has linked the identity, the user with the same verified address, or a new user. */
export async function findOrCreateUser(ctx: Ctx, signIn: SsoSignIn): Promise<User> {
  const { identity } = signIn
  const linked = await findLinkedUser(ctx.db, identity)
  if (linked) {
    if (linked.disabled) {
      await recordRefusal(ctx, signIn, { reason: 'disabled', userId: linked.id })
      throw disabled()
    }
    await updateLink(ctx.db, identity, { ...toDisplayColumns(identity), last_used_at: ctx.now() })
    return linked
  }
  const matched = await matchByEmail(ctx, signIn)
  if (!('reason' in matched)) return matched
  await recordRefusal(ctx, signIn, matched)
  throw notLinked(signIn)
}

async function matchByEmail(ctx: Ctx, signIn: SsoSignIn): Promise<User | UnmatchedIdentity> {
  const { email, emailVerified } = signIn.identity
  if (email === undefined || !emailVerified) return { reason: 'not_linked' }
  try {
    return await ctx.db.transaction().execute((tx) => createOrMatchUser(ctx, tx, { ...signIn, email }))
  } catch (error) {
    // Rolled back: another user has linked the identity concurrently.
    if (error instanceof AppError && error.code === 'FORBIDDEN') return { reason: 'not_linked' }
    throw error
  }
}

const recordRefusal = (ctx: Ctx, signIn: SsoSignIn, { reason, userId }: UnmatchedIdentity): Promise<void> =>
  recordRefusedSignIn(ctx, {
    request: signIn.request,
    login: signIn.login,
    method: 'sso',
    reason,
    userId,
    provider: signIn.provider.name,
    email: signIn.identity.email,
  })

/** Returns a refusal instead of throwing, because the transaction must commit in that case too. */
async function createOrMatchUser(
  ctx: Ctx,
  tx: Tx,
  signIn: SsoSignIn & { email: string },
): Promise<User | UnmatchedIdentity> {
  const { provider, identity, request, email } = signIn
  const user = await createVerifiedUser(ctx, tx, { ...identity, email, locale: findRequestLanguage() ?? null })
  if (!user) return linkByEmail(ctx, tx, signIn)
  const { id: userId } = user
  await recordAuditEvent(ctx, tx, {
    action: 'user.registered',
    actor: userActor(userId),
    userId,
    request,
    details: { provider: provider.name },
    personal: { email },
  })
  const outcome = await addLink(ctx, tx, { provider, identity, request, user, silent: true })
  // Another user has linked the identity concurrently. The new user is rolled back.
  if (outcome !== 'linked') throw notLinked(signIn)
  return user
}

/** Matches and links the user who has verified the same address here. */
async function linkByEmail(
  ctx: Ctx,
  tx: Tx,
  { provider, identity, request, email }: SsoSignIn & { email: string },
): Promise<User | UnmatchedIdentity> {
  const holder = await findUserByEmail(tx, email)
  const user = holder && (await lockUser(tx, holder.id))
  if (!user || user.email !== email) return { reason: 'not_linked' }
  const { id: userId } = user
  if (user.disabled) return { reason: 'disabled', userId }
  if (!user.email_verified) {
    await markAddressContested(ctx, tx, { id: userId, passwordHash: user.password_hash })
    return { reason: 'unproven_address', userId }
  }
  const unlinked = { reason: 'not_linked', userId } as const
  // The second factor is not shown yet, so the identity is not linked permanently.
  if ((await listSecondFactors(tx, userId)).length > 0) {
    return (await hasLinkTo(tx, userId, provider.name)) ? unlinked : user
  }
  const outcome = await addLink(ctx, tx, { provider, identity, request, user })
  // Another user has linked the identity, or this user has linked another account of the provider.
  return outcome === 'taken' || outcome === 'other' ? unlinked : user
}

/** The same message whether or not an account with this address exists. */
const notLinked = ({ provider: { label } }: SsoSignIn): AppError =>
  new AppError('FORBIDDEN', {
    message: t(
      'This account of {provider} is not linked to an account here. Sign in with your password, or choose one by "Forgot your password?", and link it in your account.',
      { provider: label },
    ),
    cause: 'no link, and no address that is verified on both sides',
  })

const disabled = (): AppError =>
  new AppError('FORBIDDEN', {
    message: t('Your account is disabled. Ask the administrator of this service.'),
    cause: 'the account is disabled',
  })
