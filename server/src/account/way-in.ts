import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { hasUsableLink } from '../sso/links.ts'
import { findFactors } from '../users/factors/factors.ts'

/** Whether somebody can come in without a password: by a passkey, or through a provider that is still here. */
export const hasOtherWayIn = async (ctx: Ctx, tx: Tx, userId: string): Promise<boolean> =>
  (await findFactors(tx, userId)).passkeys > 0 || hasUsableLink(ctx, tx, userId)
