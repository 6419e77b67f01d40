import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { markContested } from '../users/registration.ts'
import { requirePasswordOnLinks } from './store.ts'

/**
 * Marks an unverified address as contested: somebody else has claimed it too. From now on, verification links require
 * the password chosen with them, so that the owner of the mailbox does not confirm another person's account.
 */
export async function markAddressContested(
  ctx: Ctx,
  tx: Tx,
  { id: userId, passwordHash }: { id: string; passwordHash: string | null },
): Promise<void> {
  await markContested(ctx, tx, userId)
  await requirePasswordOnLinks(tx, { userId, purpose: 'verify-email' }, passwordHash)
}
