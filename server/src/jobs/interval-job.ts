import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import type { Job } from './job.ts'
import { RUNS } from './metrics.ts'

/** Runs a job repeatedly until it is stopped. A failed run is logged and retried. */
export function startIntervalJob(ctx: Ctx, job: Job<never>, everyMs: number): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const ended = runLoop(ctx, job, everyMs, stopped.signal)
  return {
    async stop() {
      stopped.abort()
      await ended
    },
  }
}

async function runLoop(ctx: Ctx, job: Job<never>, everyMs: number, stop: AbortSignal): Promise<void> {
  let isFailing = false
  while (!stop.aborted) {
    try {
      await job.run(ctx, stop as never)
      isFailing = false
      ctx.metrics.count(RUNS, { task: job.name, outcome: 'ok' })
    } catch (err) {
      ctx.metrics.count(RUNS, { task: job.name, outcome: 'failed' })
      // Log an outage once, not at every run.
      if (!isFailing) ctx.log.warn({ err, job: job.name }, 'interval job failed and will be retried')
      isFailing = true
    }
    await sleep(everyMs, undefined, { signal: stop }).catch(() => {})
  }
}
