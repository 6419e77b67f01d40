import { removeClientWithApplication } from '../../applications/clients/own-application.ts'
import { sweepRegistrationTokens } from '../../applications/registration-tokens/service.ts'
import { OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { retryOnDeadlock } from '../../db/errors.ts'
import { AppError } from '../../errors.ts'
import { listUnused } from './store.ts'

/** How long a client may exist before the first person consents to it. */
const UNUSED_DAYS = 7
const DAY_MS = 86_400_000
const BATCH_SIZE = 1_000

/** Deletes clients that registered themselves and that nobody has used, and registration tokens that expired long ago. */
export async function sweepRegistrations(ctx: Ctx): Promise<void> {
  await sweepRegistrationTokens(ctx)
  await removeUnusedClients(ctx, { olderThanMs: UNUSED_DAYS * DAY_MS, limit: BATCH_SIZE })
}

/** Deletes clients of that age to which nobody has ever consented, the oldest first. */
export async function removeUnusedClients(
  ctx: Ctx,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<void> {
  const before = new Date(ctx.now().getTime() - olderThanMs)
  for (const { id, applicationId } of await listUnused(ctx.db, { before, limit })) {
    const removal = { id, applicationId, source: OPERATOR_SOURCE }
    try {
      await retryOnDeadlock(() => ctx.db.transaction().execute((tx) => removeClientWithApplication(ctx, tx, removal)))
    } catch (error) {
      // Another node or the client itself has deleted it.
      if (!(error instanceof AppError)) throw error
    }
  }
}
