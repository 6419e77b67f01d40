import type { FastifyRequest } from 'fastify'
import { person, record } from '../audit/record.ts'
import { GOOGLE, type SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { nameBrowser } from '../http/browser-cookie.ts'
import { clientNetwork } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { contest } from '../sessions/contest.ts'
import { type Journey, openJourney } from '../sessions/journey.ts'
import { noteRefusal } from '../sessions/refusals.ts'
import { secondFactorsOf } from '../users/factors/factors.ts'
import { addNewcomer } from '../users/newcomers.ts'
import { findUserByEmail, lockUser, type User } from '../users/service.ts'
import { beginAttempt } from './attempts.ts'
import type { Identity } from './identity.ts'
import { addLink, hasLinkTo, shownOf } from './links.ts'
import { findLinkedUser, updateLink } from './store.ts'

/** Each is a row that anybody can have us write. */
const LIMIT = { name: 'sso', most: 2_000, seconds: 15 * 60 }

/** Sends whoever uses this browser to a provider. */
export async function beginSignIn(
  ctx: Ctx,
  exchange: Exchange,
  { provider, sealedJourney }: { provider: SsoProvider; sealedJourney: string | undefined },
): Promise<string> {
  const wait = await createLimiter(ctx.db, LIMIT).count(clientNetwork(exchange.request))
  if (wait !== undefined) throw tooManyAttempts(wait)
  const journey = openJourney(ctx, sealedJourney)
  const demanded = journey !== undefined && mustSignInAgain(provider, journey)
  return beginAttempt(ctx, provider, {
    browser: nameBrowser(ctx, exchange),
    returnTo: journey && sealedJourney,
    hints: journey && { ...freshnessHints(provider, journey, demanded), ...loginHint(journey) },
    demanded,
  })
}

/**
 * Who must sign in again here must do so there: else the provider would just wave them through. One that does not say
 * when they signed in, but is trusted, is asked for a new sign-in where the application wants one of a certain age.
 */
const mustSignInAgain = (
  { trustReauthentication }: SsoProvider,
  { again = false, maxAge }: Journey,
): boolean => again || maxAge === 0 || (maxAge !== undefined && trustReauthentication)

function freshnessHints(
  { issuer }: SsoProvider,
  { maxAge }: Journey,
  demanded: boolean,
): Record<string, string> {
  // Google knows neither, and answers with an error.
  if (issuer === GOOGLE) return demanded ? { prompt: 'select_account' } : {}
  if (demanded) return { prompt: 'login', max_age: '0' }
  // OpenID Connect Core §2: whoever is asked for an age must answer with auth_time.
  return maxAge === undefined ? {} : { max_age: String(maxAge) }
}

const loginHint = ({ loginHint }: Journey): Record<string, string> =>
  loginHint === undefined ? {} : { login_hint: loginHint }

interface Visitor {
  provider: SsoProvider
  identity: Identity
  request: FastifyRequest
  journey: Journey | undefined
}

/** Why nobody here may be meant, and whose account it would have been. */
interface Unwelcome {
  reason: 'disabled' | 'not_linked' | 'unproven_address'
  userId?: string
}

/** The person behind an identity: whose it is, whose verified address it bears, or somebody new. */
export async function findOrWelcome(ctx: Ctx, visitor: Visitor): Promise<User> {
  const { identity } = visitor
  const known = await findLinkedUser(ctx.db, identity)
  if (known) {
    if (known.disabled) {
      await noteUnwelcome(ctx, visitor, { reason: 'disabled', userId: known.id })
      throw disabled()
    }
    await updateLink(ctx.db, identity, { ...shownOf(identity), last_used_at: ctx.now() })
    return known
  }
  const welcomed = await meet(ctx, visitor)
  if (!('reason' in welcomed)) return welcomed
  await noteUnwelcome(ctx, visitor, welcomed)
  throw notLinked(visitor)
}

async function meet(ctx: Ctx, visitor: Visitor): Promise<User | Unwelcome> {
  const { email, emailVerified } = visitor.identity
  if (email === undefined || !emailVerified) return { reason: 'not_linked' }
  try {
    return await ctx.db.transaction().execute((tx) => welcome(ctx, tx, { ...visitor, email }))
  } catch (error) {
    // It was undone: somebody else has the identity since.
    if (error instanceof AppError && error.code === 'FORBIDDEN') return { reason: 'not_linked' }
    throw error
  }
}

const noteUnwelcome = (ctx: Ctx, visitor: Visitor, { reason, userId }: Unwelcome): Promise<void> =>
  noteRefusal(ctx, {
    ...{ request: visitor.request, journey: visitor.journey, method: 'sso', reason, userId },
    ...{ provider: visitor.provider.name, email: visitor.identity.email },
  })

/** Whatever is written down stays written, also when nobody here may be meant. */
async function welcome(ctx: Ctx, tx: Tx, visitor: Visitor & { email: string }): Promise<User | Unwelcome> {
  const { provider, identity, request, email } = visitor
  const newcomer = await addNewcomer(ctx, tx, { ...identity, email })
  if (!newcomer) return recogniseOwner(ctx, tx, visitor)
  const { id: userId } = newcomer
  const entry = { action: 'user.registered', actor: person(userId), userId, request } as const
  await record(ctx, tx, { ...entry, details: { provider: provider.name }, personal: { email } })
  const outcome = await addLink(ctx, tx, { provider, identity, request, user: newcomer, silent: true })
  // Somebody else has it since: then there is nobody new.
  if (outcome !== 'linked') throw notLinked(visitor)
  return newcomer
}

/** Whoever has proven, here too, that the address is theirs. From then on the identity itself tells who it is. */
async function recogniseOwner(
  ctx: Ctx,
  tx: Tx,
  { provider, identity, request, email }: Visitor & { email: string },
): Promise<User | Unwelcome> {
  const holder = await findUserByEmail(tx, email)
  const user = holder && (await lockUser(tx, holder.id))
  if (!user || user.email !== email) return { reason: 'not_linked' }
  const { id: userId } = user
  if (user.disabled) return { reason: 'disabled', userId }
  if (!user.email_verified) {
    await contest(ctx, tx, { id: userId, passwordHash: user.password_hash })
    return { reason: 'unproven_address', userId }
  }
  const unlinked = { reason: 'not_linked', userId } as const
  // Who has a second factor has not shown it yet: until then the way in is not made a lasting one.
  if ((await secondFactorsOf(tx, userId)).length > 0) {
    return (await hasLinkTo(tx, userId, provider.name)) ? unlinked : user
  }
  const outcome = await addLink(ctx, tx, { provider, identity, request, user })
  // Somebody else has it since, or they have linked another account of this provider themselves.
  return outcome === 'taken' || outcome === 'other' ? unlinked : user
}

/** The same words whether or not there is an account with that address: nobody learns who is here. */
const notLinked = ({ provider: { label } }: Visitor): AppError =>
  new AppError('FORBIDDEN', {
    message: `This account of ${label} is not linked to an account here. Sign in with your password, or choose one by "Forgot your password?", and link it in your account.`,
    cause: 'no link, and no address that is verified on both sides',
  })

const disabled = (): AppError =>
  new AppError('FORBIDDEN', {
    message: 'Your account is disabled. Ask whoever runs this service.',
    cause: 'the account is disabled',
  })
