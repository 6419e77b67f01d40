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
import { type Journey, openJourney } from '../sessions/journey.ts'
import { addNewcomer } from '../users/newcomers.ts'
import { findUserByEmail, lockUser, type User } from '../users/service.ts'
import { beginAttempt } from './attempts.ts'
import type { Identity } from './identity.ts'
import { addLink, shownOf } from './links.ts'
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
  })
}

/** Who must sign in again here must do so there: else the provider would just wave them through. */
function hintsFrom({ issuer }: SsoProvider, journey: Journey | undefined): Record<string, string> {
  // Google knows no prompt of that name, and answers with an error.
  const again = issuer === 'https://accounts.google.com' ? 'select_account' : 'login'
  return {
    ...(journey?.again && { prompt: again }),
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
  return ctx.db.transaction().execute((tx) => welcome(ctx, tx, { ...visitor, email }))
}

async function welcome(ctx: Ctx, tx: Tx, visitor: Visitor & { email: string }): Promise<User> {
  const { provider, identity, request, email } = visitor
  const newcomer = await addNewcomer(ctx, tx, { ...identity, email })
  const user = newcomer ?? (await lockOwner(tx, email))
  if (!user) throw notLinked(visitor)
  if (newcomer) {
    const entry = { action: 'user.registered', actor: person(user.id), userId: user.id, request } as const
    await record(ctx, tx, { ...entry, details: { provider: provider.name }, personal: { email } })
  }
  const outcome = await addLink(ctx, tx, {
    provider,
    identity,
    request,
    user,
    silent: newcomer !== undefined,
  })
  // Somebody else has it since, or they have linked another account of this provider themselves.
  if (outcome === 'taken' || outcome === 'other') throw notLinked(visitor)
  return user
}

/** Who has proven, here too, that the address is theirs. */
async function lockOwner(tx: Tx, email: string): Promise<User | undefined> {
  const holder = await findUserByEmail(tx, email)
  const user = holder && (await lockUser(tx, holder.id))
  return user?.email === email && user.email_verified && !user.disabled ? user : undefined
}

/** The same words whether or not there is an account with that address: nobody learns who is here. */
const notLinked = ({ provider: { label } }: Visitor): AppError =>
  new AppError('FORBIDDEN', {
    message: `This account of ${label} is not linked to an account here. Sign in with your password, and link it in your account.`,
    cause: 'no link, and no address that is verified on both sides',
  })

const disabled = (): AppError =>
  new AppError('FORBIDDEN', {
    message: 'Your account is disabled. Ask whoever runs this service.',
    cause: 'the account is disabled',
  })
