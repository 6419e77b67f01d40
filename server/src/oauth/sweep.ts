import { sweepDocumentClients } from '../applications/documents/sweep.ts'
import { deleteExpiredCounters } from '../db/limiter.ts'
import { defineJob } from '../jobs/job.ts'
import { sweepSessions } from '../sessions/sweep.ts'
import { deleteFinishedLogouts } from './back-channel-logout/store.ts'
import { deleteExpiredDevices } from './device/store.ts'
import { deleteExpiredProofs } from './dpop/store.ts'
import { deleteExpiredPushedRequests } from './pushed-requests/store.ts'
import { sweepRegistrations } from './registration/sweep.ts'
import { deleteExpiredTokens } from './store.ts'

const BATCH_SIZE = 5_000
/** How long delivered and abandoned logout tokens stay visible. */
const LOGOUT_RETENTION_MS = 30 * 86_400_000

/** Deletes expired rows. Nothing depends on it: expiry is checked on every read. */
export const sweepExpired = defineJob<unknown>({
  name: 'sweep_expired',
  schedule: '23 * * * *',
  async run(ctx) {
    while ((await deleteExpiredTokens(ctx.db, { now: ctx.now(), limit: BATCH_SIZE })) >= BATCH_SIZE);
    await deleteExpiredPushedRequests(ctx.db, ctx.now())
    while ((await deleteExpiredProofs(ctx.db, { now: ctx.now(), limit: BATCH_SIZE })) >= BATCH_SIZE);
    await deleteExpiredDevices(ctx.db, ctx.now())
    await sweepRegistrations(ctx)
    await sweepDocumentClients(ctx)
    const before = new Date(ctx.now().getTime() - LOGOUT_RETENTION_MS)
    while ((await deleteFinishedLogouts(ctx.db, { before, limit: BATCH_SIZE })) >= BATCH_SIZE);
    await sweepSessions(ctx)
    await deleteExpiredCounters(ctx.db, ctx.now())
  },
})
