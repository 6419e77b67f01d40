import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { recordAuditEvent, SYSTEM } from './record.ts'
import { deletePersonalData, listEntriesOfUser } from './store.ts'

/** For the personal data export of a user. */
export { listEntriesOfUser }

/** The number of ids in one entry. */
const MAX_IDS_PER_ENTRY = 500

/**
 * Erases the personal data of a user. Entries that only an address linked to the user are recorded, so that a
 * verification of the chain can tell them from entries that were manipulated.
 */
export async function erasePersonalData(
  ctx: Ctx,
  tx: Tx,
  { userId, addresses }: { userId: string; addresses: string[] },
): Promise<void> {
  const emptied = await deletePersonalData(tx, userId, addresses)
  for (let start = 0; start < emptied.length; start += MAX_IDS_PER_ENTRY) {
    const details = { entries: emptied.slice(start, start + MAX_IDS_PER_ENTRY) }
    await recordAuditEvent(ctx, tx, { action: 'audit.emptied', actor: SYSTEM, userId, details })
  }
}
