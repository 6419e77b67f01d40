import { defineJob } from '../jobs/job.ts'
import { deleteExpiredAttempts } from './store.ts'

/** Removes ways to a provider that nobody came back from in time. */
export const sweepSsoAttempts = defineJob<unknown>({
  name: 'sweep_sso_attempts',
  schedule: '41 * * * *',
  run: (ctx) => deleteExpiredAttempts(ctx.db, ctx.now()),
})
