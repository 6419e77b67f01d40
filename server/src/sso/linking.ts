import { isKnownRedirectUri } from '../applications/clients.ts'
import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { countAgainstLimit } from '../db/limiter.ts'
import { AppError } from '../errors.ts'
import { ensureBrowserId } from '../http/request/browser-cookie.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { t } from '../languages/translate.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { DEFAULT_PAGE } from '../sessions/establish-session.ts'
import { findUser, lockUser } from '../users/service.ts'
import { type Attempt, createAttempt } from './attempts.ts'
import { exchangeCallback } from './exchange-callback.ts'
import type { Identity } from './identity.ts'
import { addLink, listLinks } from './links.ts'
import { getProvider } from './providers.ts'

/** Each attempt is a row. */
const LIMIT = { name: 'sso-link', max: 100, seconds: 15 * 60 }

export interface LinkRequest {
  userId: string
  provider: string
  /** The URL to return to. */
  redirectUri?: string | undefined
}

/** Starts linking an account of a provider. Returns the authorization URL. */
export async function createLinkAttempt(ctx: Ctx, exchange: Exchange, request: LinkRequest): Promise<string> {
  const { userId, redirectUri } = request
  await countAgainstLimit(ctx.db, LIMIT, userId)
  const provider = getProvider(ctx, request.provider)
  const returnTo = redirectUri === undefined ? undefined : await requireReturnUrl(ctx, redirectUri)
  const user = await findUser(ctx.db, userId)
  if (!user?.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  const links = await listLinks(ctx, userId)
  if (links.some((link) => link.provider === provider.name)) throw new AppError('SSO_ALREADY_LINKED')
  // A request with a token does not come from the user's browser, so the attempt cannot be bound to it.
  const isFromBrowser = exchange.request.headers.authorization === undefined
  const browser = isFromBrowser ? ensureBrowserId(ctx, exchange) : undefined
  return createAttempt(ctx, provider, { userId, returnTo, browser })
}

/** Requires a path or URL of this service, or the registered redirect URI of a client. */
async function requireReturnUrl(ctx: Ctx, text: string): Promise<string> {
  const { baseUrl } = ctx.config
  const isPath = /^\/(?![/\\])/.test(text)
  // Parsed like in a browser, because something like `/\evil.example` is not a path.
  const base = isPath ? baseUrl : undefined
  const address = URL.canParse(text, base) ? new URL(text, base) : undefined
  const isOwnUrl = address?.origin === baseUrl && address.href.startsWith(`${baseUrl}/`)
  if (isOwnUrl && !address.username && !address.password) return address.href
  if (await isKnownRedirectUri(ctx, text)) return text
  throw new AppError('VALIDATION_FAILED', {
    details: [
      {
        field: 'redirectUri',
        message: t('must be an address here, or a redirect URI that a client has registered'),
      },
    ],
  })
}

/** An identity to be linked, once the user has confirmed it. */
export interface LinkProposal {
  userId: string
  provider: string
  identity: Identity
  returnTo: string
}

/**
 * Exchanges the callback for an identity. Only the user who started linking may finish it: otherwise an attacker could
 * make a victim link their provider account to the attacker's account.
 */
export async function receiveIdentity(
  ctx: Ctx,
  exchange: Exchange,
  { provider, attempt, search }: { provider: SsoProvider; attempt: Attempt; search: string },
): Promise<LinkProposal> {
  const userId = await requireSignedIn(ctx, exchange, { provider, userId: attempt.userId })
  const identity = await exchangeCallback(ctx, provider, { attempt, search })
  return { userId, provider: provider.name, identity, returnTo: attempt.returnTo ?? DEFAULT_PAGE }
}

async function requireSignedIn(
  ctx: Ctx,
  exchange: Exchange,
  { provider, userId }: { provider: SsoProvider; userId: string | undefined },
): Promise<string> {
  const session = await findBrowserSession(ctx, exchange)
  if (session && session.userId === userId) return userId
  throw new AppError('FORBIDDEN', {
    message: t(
      'The user who asked to link an account of {provider} is not signed in in this browser. Nothing was linked.',
      { provider: provider.label },
    ),
    cause: 'another user, or nobody, is signed in',
  })
}

/** Links the identity if the user who asked for it is still signed in. */
export async function acceptProposal(
  ctx: Ctx,
  exchange: Exchange,
  { provider, proposal }: { provider: SsoProvider; proposal: LinkProposal },
): Promise<void> {
  const { identity } = proposal
  const userId = await requireSignedIn(ctx, exchange, { provider, userId: proposal.userId })
  const outcome = await ctx.db.transaction().execute(async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user?.email_verified || user.disabled) throw new AppError('EMAIL_NOT_VERIFIED')
    return addLink(ctx, tx, { provider, identity, user, request: exchange.request })
  })
  const values = { provider: provider.label }
  if (outcome === 'taken') {
    const message = t('This account of {provider} is linked to another account here. Nothing was changed.', values)
    throw new AppError('SSO_ALREADY_LINKED', { message, cause: 'the identity is linked to another account' })
  }
  if (outcome === 'other') {
    const message = t('You have linked another account of {provider}. Unlink it first.', values)
    throw new AppError('SSO_ALREADY_LINKED', { message, cause: 'another identity is linked already' })
  }
}
