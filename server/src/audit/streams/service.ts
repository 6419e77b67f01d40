import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditStream } from '../../config/audit-streams.ts'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import { ATTEMPTS } from './metrics.ts'
import { streamDueBatches } from './stream.ts'
import { createTarget } from './targets/create-target.ts'

/**
 * Sends every audit event to the targets of AUDIT_STREAMS, in the order of the hash chain. The position of each target
 * is in the database and moves only after the target has confirmed a batch. One process at a time sends to a target. If
 * it is killed, its lease expires and another one repeats the batch.
 */
export const streamAuditLog = defineJob<AbortSignal>({
  name: 'stream_audit_log',
  everyMs: 5_000,
  async run(ctx, stop) {
    await Promise.all(ctx.config.auditStreams.map((settings) => keepStreaming(ctx, settings, stop)))
  },
})

/** The interval in which a process looks for new events. */
const POLL_MS = 500

/** Each target has a loop of its own, so that a slow one does not delay the others. */
async function keepStreaming(ctx: Ctx, settings: AuditStream, stop: AbortSignal): Promise<void> {
  const target = createTarget(settings, { baseUrl: ctx.config.baseUrl, now: ctx.now })
  ctx.metrics.startAtZero(ATTEMPTS, { target: settings.name })
  let isFailing = false
  while (!stop.aborted) {
    try {
      await streamDueBatches(ctx, { settings, target }, stop)
      isFailing = false
    } catch (err) {
      // A failure of the target is handled elsewhere. Log an outage of the database once.
      if (!isFailing) ctx.log.warn({ err, target: settings.name }, 'audit stream failed and will be continued')
      isFailing = true
    }
    await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {})
  }
}
