import { setTimeout as sleep } from 'node:timers/promises'
import type { Tally } from './tally.ts'
import type { Task } from './work.ts'

/** More is not begun while so much is under way: a service that stands still must not fill the memory of who asks. */
const MOST_UNDER_WAY = 500
const STEP_MS = 10

/**
 * Begins every task at its rate, however long answers take, until the time is over; then waits for the answers.
 * Work that falls behind, because the machine was busy, is made up for.
 */
export async function runAtRate(tasks: Task[], tally: Tally, isOver: () => boolean): Promise<void> {
  const begin = performance.now()
  const begun = tasks.map(() => 0)
  const underWay = new Set<Promise<void>>()
  const start = (task: Task) => {
    if (underWay.size >= MOST_UNDER_WAY) return tally.noteSkipped(task.kind)
    const run = task
      .run()
      .catch((error: unknown) => tally.noteUnexpected(`${task.kind}: ${error}`))
      .finally(() => underWay.delete(run))
    underWay.add(run)
  }
  while (!isOver()) {
    const seconds = (performance.now() - begin) / 1_000
    for (const [index, task] of tasks.entries()) {
      const due = Math.floor(seconds * task.perSecond)
      for (let count = begun[index] ?? 0; count < due; count++) start(task)
      begun[index] = due
    }
    await sleep(STEP_MS)
  }
  await Promise.all(underWay)
}
