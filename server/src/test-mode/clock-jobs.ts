import { jobs } from '../app.ts'
import { extendChain } from '../audit/chain/service.ts'
import type { Ctx } from '../context.ts'
import { fanOut, isBehind } from '../events/fan-out/service.ts'

/** Queues the deliveries of all events so far. Otherwise they could get the time after a change of the clock. */
export async function queueEvents(ctx: Ctx): Promise<void> {
  await extendChain(ctx)
  // A run of the job may hold the cursor, and then this one returns early.
  do await fanOut(ctx)
  while (await isBehind(ctx))
}

/** The schedules follow the real time, so a change of the clock runs every scheduled job once. */
export async function runScheduledJobs(ctx: Ctx): Promise<void> {
  for (const { schedule, run } of jobs) if (schedule !== undefined) await run(ctx, {} as never)
}
