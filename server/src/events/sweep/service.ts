import { defineJob } from '../../jobs/job.ts'
import { resealSecrets } from './reseal.ts'
import { deleteFinished, deleteIdleLanes, forgetPreviousSecrets } from './store.ts'

const KEPT_MS = 30 * 86_400_000
const BATCH = 1_000

/** Lets go of deliveries that are over for a month, of secrets that sign no more, and of old encryption keys. */
export const sweepDeliveries = defineJob<unknown>({
  name: 'sweep_webhook_deliveries',
  schedule: '41 * * * *',
  async run(ctx) {
    const now = ctx.now()
    const before = new Date(now.getTime() - KEPT_MS)
    while ((await deleteFinished(ctx.db, before, BATCH)) === BATCH);
    await deleteIdleLanes(ctx.db)
    await forgetPreviousSecrets(ctx.db, now)
    await resealSecrets(ctx)
  },
})
