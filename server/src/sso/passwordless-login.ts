import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { findFactors } from '../users/factors/factors.ts'
import { hasUsableLink } from './links.ts'

/** Whether the person can sign in without a password: with a passkey, or through a provider that is still configured. */
export const hasPasswordlessLogin = async (ctx: Ctx, tx: Tx, userId: string): Promise<boolean> =>
  (await findFactors(tx, userId)).passkeys > 0 || hasUsableLink(ctx, tx, userId)
