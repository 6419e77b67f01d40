import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import { RUNS } from './figures.ts'
import type { Job } from './job.ts'

/** Does a job again and again until it is stopped, and outlives outages of whatever it needs. */
export function keepDoing(ctx: Ctx, job: Job<never>, everyMs: number): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const ended = loop(ctx, job, everyMs, stopped.signal)
  return {
    async stop() {
      stopped.abort()
      await ended
    },
  }
}

async function loop(ctx: Ctx, job: Job<never>, everyMs: number, stop: AbortSignal): Promise<void> {
  let troubled = false
  while (!stop.aborted) {
    try {
      await job.run(ctx, stop as never)
      troubled = false
      ctx.figures.count(RUNS, { task: job.name, outcome: 'ok' })
    } catch (err) {
      ctx.figures.count(RUNS, { task: job.name, outcome: 'failed' })
      // One line for an outage, not one at each turn.
      if (!troubled) ctx.log.warn({ err, job: job.name }, 'steady job failed and will be tried again')
      troubled = true
    }
    await sleep(everyMs, undefined, { signal: stop }).catch(() => {})
  }
}
