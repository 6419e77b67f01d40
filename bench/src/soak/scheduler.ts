import { setTimeout as sleep } from 'node:timers/promises'
import type { Tally } from './tally.ts'
import type { Task } from './tasks.ts'

/** No further task starts above this number, so that a stalled service does not fill the memory of the bench. */
const MAX_IN_FLIGHT = 500
const STEP_MS = 10

/**
 * Starts every task at its rate, independent of response times, until the time is over. Then waits for open tasks.
 * Starts that were delayed by a busy machine are made up for.
 */
export async function runAtRate(tasks: Task[], tally: Tally, isOver: () => boolean): Promise<void> {
  const startedAt = performance.now()
  const started = tasks.map(() => 0)
  const inFlight = new Set<Promise<void>>()
  const start = (task: Task) => {
    if (inFlight.size >= MAX_IN_FLIGHT) return tally.recordSkipped(task.kind)
    const run = task
      .run()
      .catch((error: unknown) => tally.recordUnexpected(`${task.kind}: ${error}`))
      .finally(() => inFlight.delete(run))
    inFlight.add(run)
  }
  while (!isOver()) {
    const seconds = (performance.now() - startedAt) / 1_000
    for (const [index, task] of tasks.entries()) {
      const due = Math.floor(seconds * task.perSecond)
      for (let count = started[index] ?? 0; count < due; count++) start(task)
      started[index] = due
    }
    await sleep(STEP_MS)
  }
  await Promise.all(inFlight)
}
