import { knowsRedirectUri } from '../applications/clients.ts'
import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { nameBrowser } from '../http/browser-cookie.ts'
import type { Exchange } from '../http/exchange.ts'
import { HOME } from '../sessions/arrival.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { findUser, lockUser } from '../users/service.ts'
import { type Attempt, beginAttempt } from './attempts.ts'
import type { Identity } from './identity.ts'
import { addLink, listLinks } from './links.ts'
import { getProvider } from './providers.ts'
import { redeem } from './redeem.ts'

/** Each is a row that a person can have us write. */
const LIMIT = { name: 'sso-link', most: 100, seconds: 15 * 60 }

export interface WantedLink {
  userId: string
  provider: string
  /** Where to go afterwards. */
  redirectUri?: string | undefined
}

/** Sends a person to a provider, to link the account they have there; the answer is the address. */
export async function beginLink(ctx: Ctx, exchange: Exchange, wanted: WantedLink): Promise<string> {
  const { userId, redirectUri } = wanted
  const wait = await createLimiter(ctx.db, LIMIT).count(userId)
  if (wait !== undefined) throw tooManyAttempts(wait)
  const provider = getProvider(ctx, wanted.provider)
  const returnTo = redirectUri === undefined ? undefined : await toReturnAddress(ctx, redirectUri)
  const user = await findUser(ctx.db, userId)
  if (!user?.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  const links = await listLinks(ctx, userId)
  if (links.some((link) => link.provider === provider.name)) throw new AppError('SSO_ALREADY_LINKED')
  // Whoever asks with a token asks from nobody knows where.
  const isHere = exchange.request.headers.authorization === undefined
  const browser = isHere ? nameBrowser(ctx, exchange) : undefined
  return beginAttempt(ctx, provider, { userId, returnTo, browser })
}

/** A path of ours, an address of ours, or one to which some client sends people anyway. */
async function toReturnAddress(ctx: Ctx, text: string): Promise<string> {
  const { baseUrl } = ctx.config
  const isPath = /^\/(?![/\\])/.test(text)
  // Read as a browser reads it: what looks like a path may lead elsewhere.
  const base = isPath ? baseUrl : undefined
  const address = URL.canParse(text, base) ? new URL(text, base) : undefined
  const isOurs = address?.origin === baseUrl && address.href.startsWith(`${baseUrl}/`)
  if (isOurs && !address.username && !address.password) return address.href
  if (await knowsRedirectUri(ctx, text)) return text
  throw new AppError('VALIDATION_FAILED', {
    details: [
      {
        field: 'redirectUri',
        message: 'must be an address here, or a redirect URI that a client has registered',
      },
    ],
  })
}

/** What a person has come back with, to be linked. */
export interface Proposal {
  userId: string
  provider: string
  identity: Identity
  returnTo: string
}

/**
 * What a person has come back with. Only they themselves may finish what they began: else somebody could be lured into
 * linking their account elsewhere to a stranger's account here.
 */
export async function receiveIdentity(
  ctx: Ctx,
  exchange: Exchange,
  { provider, attempt, search }: { provider: SsoProvider; attempt: Attempt; search: string },
): Promise<Proposal> {
  const userId = await requireSignedIn(ctx, exchange, { provider, userId: attempt.userId })
  const identity = await redeem(ctx, provider, { attempt, search })
  return { userId, provider: provider.name, identity, returnTo: attempt.returnTo ?? HOME }
}

async function requireSignedIn(
  ctx: Ctx,
  exchange: Exchange,
  { provider, userId }: { provider: SsoProvider; userId: string | undefined },
): Promise<string> {
  const session = await findBrowserSession(ctx, exchange)
  if (session && session.userId === userId) return userId
  throw new AppError('FORBIDDEN', {
    message: `Whoever asked to link an account of ${provider.label} is not signed in in this browser. Nothing was linked.`,
    cause: 'another person, or nobody, is signed in',
  })
}

/** Links it, for who is still signed in as the one who asked for it. */
export async function acceptProposal(
  ctx: Ctx,
  exchange: Exchange,
  { provider, proposal }: { provider: SsoProvider; proposal: Proposal },
): Promise<void> {
  const { identity } = proposal
  const userId = await requireSignedIn(ctx, exchange, { provider, userId: proposal.userId })
  const outcome = await ctx.db.transaction().execute(async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user?.email_verified || user.disabled) throw new AppError('EMAIL_NOT_VERIFIED')
    return addLink(ctx, tx, { provider, identity, user, request: exchange.request })
  })
  const { label } = provider
  if (outcome === 'taken') {
    const message = `This account of ${label} is linked to another account here. Nothing was changed.`
    throw new AppError('SSO_ALREADY_LINKED', { message, cause: 'the identity is linked to another account' })
  }
  if (outcome === 'other') {
    const message = `You have linked another account of ${label}. Unlink it first.`
    throw new AppError('SSO_ALREADY_LINKED', { message, cause: 'another identity is linked already' })
  }
}
