import type { Ctx } from '../../context.ts'
import { createLinkAttempt, type LinkRequest } from '../../sso/linking.ts'
import { getProvider } from '../../sso/providers.ts'
import { type PersonExchange, requireRecentSignIn, requireSessionMfa } from '../confirm-identity.ts'

/** Starts linking an account of a provider. Returns the URL to send the browser to. */
export async function startLinking(
  ctx: Ctx,
  exchange: PersonExchange,
  { link, password }: { link: Omit<LinkRequest, 'userId'>; password: string | undefined },
): Promise<string> {
  const { caller } = exchange
  // An unknown provider is reported before the person is asked to reauthenticate.
  getProvider(ctx, link.provider)
  await requireRecentSignIn(ctx, exchange, password)
  await requireSessionMfa(ctx.db, caller)
  return createLinkAttempt(ctx, exchange, { ...link, userId: caller.userId })
}
