import { defineJob } from '../jobs/job.ts'
import { deleteExpiredAttempts } from './store.ts'

/** Deletes expired attempts. */
export const sweepSsoAttempts = defineJob<unknown>({
  name: 'sweep_sso_attempts',
  schedule: '41 * * * *',
  run: (ctx) => deleteExpiredAttempts(ctx.db, ctx.now()),
})
