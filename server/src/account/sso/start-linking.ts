import type { Ctx } from '../../context.ts'
import { beginLink, type WantedLink } from '../../sso/linking.ts'
import { getProvider } from '../../sso/providers.ts'
import { type Managing, requireRecentSignIn, requireShownFactor } from '../confirm-identity.ts'

/** Begins to add a way to sign in, for who has signed in lately, with all that they are asked for. */
export async function startLinking(
  ctx: Ctx,
  managing: Managing,
  { wanted, password }: { wanted: Omit<WantedLink, 'userId'>; password: string | undefined },
): Promise<string> {
  const { caller } = managing
  // Whatever is not set up here is nobody's to link.
  getProvider(ctx, wanted.provider)
  await requireRecentSignIn(ctx, managing, password)
  await requireShownFactor(ctx.db, caller)
  return beginLink(ctx, managing, { ...wanted, userId: caller.userId })
}
