import { forgetOldCounts } from '../db/limiter.ts'
import { defineJob } from '../jobs/job.ts'
import { sweepSessions } from '../sessions/browser-session.ts'
import { sweep } from './store.ts'

const BATCH = 5_000

/** Removes what has run out by itself. No answer waits for it: expiry is judged when asked. */
export const sweepExpired = defineJob<unknown>({
  name: 'sweep_expired',
  schedule: '23 * * * *',
  async run(ctx) {
    while ((await sweep(ctx.db, { now: ctx.now(), limit: BATCH })) >= BATCH);
    await sweepSessions(ctx)
    await forgetOldCounts(ctx.db, ctx.now())
  },
})
