import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import type { Job } from './job.ts'
import { RUNS } from './metrics.ts'

/** Runs a job repeatedly until it is stopped. A failed run is logged and retried. */
export function startIntervalJob(ctx: Ctx, job: Job<never>, everyMs: number): { stop(): Promise<void> } {
  const stopped = new AbortController()
  let pause = new AbortController()

  async function runRepeatedly(): Promise<void> {
    let isFailing = false
    while (!stopped.signal.aborted) {
      // Created before the run, so that an announcement during the run ends the pause after it.
      pause = new AbortController()
      isFailing = await runJob(ctx, job, { stop: stopped.signal, isFailing })
      await sleep(everyMs, undefined, { signal: pause.signal }).catch(() => {})
    }
  }

  ctx.changes.subscribe((subject) => {
    if (subject !== undefined && subject === job.wakeOn) pause.abort()
  })
  const ended = runRepeatedly()
  return {
    async stop() {
      stopped.abort()
      pause.abort()
      await ended
    },
  }
}

/** Returns whether the run failed. */
async function runJob(
  ctx: Ctx,
  job: Job<never>,
  { stop, isFailing }: { stop: AbortSignal; isFailing: boolean },
): Promise<boolean> {
  try {
    await job.run(ctx, stop as never)
    ctx.metrics.count(RUNS, { task: job.name, outcome: 'ok' })
    return false
  } catch (err) {
    ctx.metrics.count(RUNS, { task: job.name, outcome: 'failed' })
    // Log an outage once, not at every run.
    if (!isFailing) ctx.log.warn({ err, job: job.name }, 'interval job failed and will be retried')
    return true
  }
}
