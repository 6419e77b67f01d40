import { defineJob } from '../../jobs/job.ts'
import { resealSecrets } from './reseal.ts'
import { deleteFinishedDeliveries, deleteIdlePartitions, deletePreviousSecrets } from './store.ts'

const RETENTION_MS = 30 * 86_400_000
const BATCH = 1_000

/** Deletes deliveries finished a month ago and expired previous secrets, and reseals secrets with the current key. */
export const sweepDeliveries = defineJob<unknown>({
  name: 'sweep_webhook_deliveries',
  schedule: '41 * * * *',
  async run(ctx) {
    const now = ctx.now()
    const before = new Date(now.getTime() - RETENTION_MS)
    while ((await deleteFinishedDeliveries(ctx.db, before, BATCH)) === BATCH);
    await deleteIdlePartitions(ctx.db)
    await deletePreviousSecrets(ctx.db, now)
    await resealSecrets(ctx)
  },
})
