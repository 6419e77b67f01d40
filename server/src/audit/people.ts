import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { record, SYSTEM } from './record.ts'
import { depersonalise, listEntriesOf } from './store.ts'

/** What the log holds of one person, for the person. */
export { listEntriesOf }

/** How many ids one entry lists. */
const MOST_LISTED = 500

/**
 * Forgets who an erased person was. Which entries an address alone led to is written down, so that whoever verifies the
 * log can tell them from those that somebody emptied without a reason.
 */
export async function forgetPerson(
  ctx: Ctx,
  tx: Tx,
  { userId, addresses }: { userId: string; addresses: string[] },
): Promise<void> {
  const emptied = await depersonalise(tx, userId, addresses)
  for (let start = 0; start < emptied.length; start += MOST_LISTED) {
    const details = { entries: emptied.slice(start, start + MOST_LISTED) }
    await record(ctx, tx, { action: 'audit.emptied', actor: SYSTEM, userId, details })
  }
}
