import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { contestAddress } from '../users/registration.ts'
import { guardLinks } from './store.ts'

/**
 * Somebody else has shown that the address of a person who has not proven it may be theirs. From now on the links
 * that were mailed to it work only with the password chosen along with them: followed in good faith, they must not
 * confirm a stranger's account.
 */
export async function contest(
  ctx: Ctx,
  tx: Tx,
  { id: userId, passwordHash }: { id: string; passwordHash: string | null },
): Promise<void> {
  await contestAddress(ctx, tx, userId)
  await guardLinks(tx, { userId, purpose: 'verify-email' }, passwordHash)
}
