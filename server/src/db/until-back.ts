import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from './away.ts'

interface Patience {
  /** Nothing is tried again from then on. */
  stop?: AbortSignal
  /** How long the database may be away. */
  forMs?: number
  /** How long to wait before it is tried again. */
  everyMs: number
}

/** Does something again until the database is there for it. It must do no harm when it is done twice. */
export async function untilBack<T>(
  attempt: () => Promise<T>,
  { stop, forMs = Number.POSITIVE_INFINITY, everyMs }: Patience,
): Promise<T> {
  const deadline = performance.now() + forMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (stop?.aborted || !isDatabaseAway(error) || performance.now() > deadline) throw error
    }
    // It keeps no process alive that has nothing else to do.
    await sleep(everyMs, undefined, { ref: stop !== undefined, ...(stop && { signal: stop }) }).catch(
      () => {},
    )
  }
}
