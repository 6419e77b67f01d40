import { OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { retryOnDeadlock } from '../../db/errors.ts'
import { removeClientWithApplication } from '../clients/own-application.ts'
import { listUnusedClients, lockIfUnused } from './store.ts'

const UNUSED_DAYS = 90
const BATCH_SIZE = 100

/** Deletes clients that were described by a document and have not been used for long, with their applications. */
export async function sweepDocumentClients(ctx: Ctx): Promise<void> {
  const before = new Date(ctx.now().getTime() - UNUSED_DAYS * 86_400_000)
  for (const { id, application_id: applicationId } of await listUnusedClients(ctx.db, { before, limit: BATCH_SIZE })) {
    await retryOnDeadlock(() =>
      ctx.db.transaction().execute(async (tx) => {
        if (!(await lockIfUnused(tx, { id, before }))) return
        await removeClientWithApplication(ctx, tx, { id, applicationId, source: OPERATOR_SOURCE })
      }),
    )
  }
}
