import { OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { retryOnDeadlock } from '../../db/errors.ts'
import { removeClientWithApplication } from '../clients/own-application.ts'
import { listUnusedClients, lockIfUnused, type Unused } from './store.ts'

const DAY_MS = 86_400_000
const UNUSED_DAYS = 90
const BATCH_SIZE = 100
/** In an instance that is full, a client without any consent makes room sooner than one that a user allowed. */
const ROOM_AFTER_MS = { created: 3_600_000, allowed: DAY_MS }

/** Deletes clients that were described by a document and have not been used for long, with their applications. */
export async function sweepDocumentClients(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - UNUSED_DAYS * DAY_MS)
  await removeUnusedClients(ctx, { createdBefore: before, allowedBefore: before })
}

/** Deletes the oldest clients without a grant that nobody has allowed lately. */
export async function makeRoom(ctx: Ctx): Promise<void> {
  const now = ctx.now().getTime()
  await removeUnusedClients(ctx, {
    createdBefore: new Date(now - ROOM_AFTER_MS.created),
    allowedBefore: new Date(now - ROOM_AFTER_MS.allowed),
  })
}

async function removeUnusedClients(ctx: Ctx, unused: Unused): Promise<void> {
  for (const { id, application_id: applicationId } of await listUnusedClients(ctx.db, unused, BATCH_SIZE)) {
    await retryOnDeadlock(() =>
      ctx.db.transaction().execute(async (tx) => {
        if (!(await lockIfUnused(tx, id, unused))) return
        await removeClientWithApplication(ctx, tx, { id, applicationId, source: OPERATOR_SOURCE })
      }),
    )
  }
}
