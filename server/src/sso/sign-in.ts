import type { FastifyRequest } from 'fastify'
import { person, record } from '../audit/record.ts'
import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { nameBrowser } from '../http/browser-cookie.ts'
import { clientNetwork } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { contest } from '../sessions/contest.ts'
import { type Journey, openJourney } from '../sessions/journey.ts'
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
  return beginAttempt(ctx, provider, {
    browser: nameBrowser(ctx, exchange),
    returnTo: journey && sealedJourney,
    hints: hintsFrom(provider, journey),
    demanded: journey?.again ?? false,
  })
}

/** Who must sign in again here must do so there: else the provider would just wave them through. */
function hintsFrom({ issuer }: SsoProvider, journey: Journey | undefined): Record<string, string> {
  // Google knows no prompt of that name, and answers with an error.
  const isGoogle = issuer === 'https://accounts.google.com'
  const again: Record<string, string> = isGoogle
    ? { prompt: 'select_account' }
    : { prompt: 'login', max_age: '0' }
  return {
    ...(journey?.again && again),
    ...(journey?.loginHint !== undefined && { login_hint: journey.loginHint }),
  }
}

interface Visitor {
  provider: SsoProvider
  identity: Identity
  request: FastifyRequest
}

/** The person behind an identity: whose it is, whose verified address it bears, or somebody new. */
export async function findOrWelcome(ctx: Ctx, visitor: Visitor): Promise<User> {
  const { identity } = visitor
  const known = await findLinkedUser(ctx.db, identity)
  if (known) {
    if (known.disabled) throw disabled()
    await updateLink(ctx.db, identity, { ...shownOf(identity), last_used_at: ctx.now() })
    return known
  }
  const { email, emailVerified } = identity
  if (email === undefined || !emailVerified) throw notLinked(visitor)
  const user = await ctx.db.transaction().execute((tx) => welcome(ctx, tx, { ...visitor, email }))
  if (!user) throw notLinked(visitor)
  return user
}

/** Undefined when nobody here may be meant. What is written down all the same stays written. */
async function welcome(ctx: Ctx, tx: Tx, visitor: Visitor & { email: string }): Promise<User | undefined> {
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
): Promise<User | undefined> {
  const holder = await findUserByEmail(tx, email)
  const user = holder && (await lockUser(tx, holder.id))
  if (!user || user.email !== email || user.disabled) return undefined
  if (!user.email_verified) {
    await contest(ctx, tx, { id: user.id, passwordHash: user.password_hash })
    return undefined
  }
  // Who has a second factor has not shown it yet: until then the way in is not made a lasting one.
  if ((await secondFactorsOf(tx, user.id)).length > 0) {
    return (await hasLinkTo(tx, user.id, provider.name)) ? undefined : user
  }
  const outcome = await addLink(ctx, tx, { provider, identity, request, user })
  // Somebody else has it since, or they have linked another account of this provider themselves.
  return outcome === 'taken' || outcome === 'other' ? undefined : user
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
