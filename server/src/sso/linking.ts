import { knowsRedirectUri } from '../applications/clients.ts'
import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { HOME } from '../sessions/arrival.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { findUser, lockUser } from '../users/service.ts'
import { type Attempt, beginAttempt } from './attempts.ts'
import type { Identity } from './identity.ts'
import { addLink, listLinks } from './links.ts'
import { getProvider } from './providers.ts'
import { redeem } from './redeem.ts'

/** Sends a person to a provider, to link the account they have there; the answer is the address. */
export async function beginLink(
  ctx: Ctx,
  {
    userId,
    provider: name,
    redirectUri,
  }: { userId: string; provider: string; redirectUri?: string | undefined },
): Promise<string> {
  const provider = getProvider(ctx, name)
  const returnTo = redirectUri === undefined ? undefined : await toReturnAddress(ctx, redirectUri)
  const user = await findUser(ctx.db, userId)
  if (!user?.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  const links = await listLinks(ctx, userId)
  if (links.some((link) => link.provider === provider.name)) throw new AppError('SSO_ALREADY_LINKED')
  return beginAttempt(ctx, provider, { userId, returnTo })
}

/** A path of ours, an address of ours, or one to which some client sends people anyway. */
async function toReturnAddress(ctx: Ctx, text: string): Promise<string> {
  const { baseUrl } = ctx.config
  const isPath = /^\/(?![/\\])/.test(text)
  // Read as a browser reads it: what looks like a path may lead elsewhere.
  const base = isPath ? baseUrl : undefined
  const address = URL.canParse(text, base) ? new URL(text, base) : undefined
  if (address?.origin === baseUrl && !address.username && !address.password) return address.href
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

/**
 * Links what a person has come back with; the answer is where they go on. Only they themselves may finish what they
 * began: else somebody could be lured into linking their account elsewhere to a stranger's account here.
 */
export async function finishLink(
  ctx: Ctx,
  exchange: Exchange,
  { provider, attempt, search }: { provider: SsoProvider; attempt: Attempt; search: string },
): Promise<string> {
  const session = await findBrowserSession(ctx, exchange)
  if (!session || session.userId !== attempt.userId) {
    throw new AppError('FORBIDDEN', {
      message: `Whoever asked to link an account of ${provider.label} is not signed in in this browser. Nothing was linked.`,
      cause: 'another person, or nobody, is signed in',
    })
  }
  const identity = await redeem(ctx, provider, { attempt, search })
  await link(ctx, exchange, { provider, identity, userId: session.userId })
  return attempt.returnTo ?? HOME
}

async function link(
  ctx: Ctx,
  { request }: Exchange,
  { provider, identity, userId }: { provider: SsoProvider; identity: Identity; userId: string },
): Promise<void> {
  const outcome = await ctx.db.transaction().execute(async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user?.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
    return addLink(ctx, tx, { provider, identity, user, request })
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
