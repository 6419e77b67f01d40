import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from './connection-errors.ts'

interface RetryOptions {
  /** Stops the retries when aborted. */
  stop?: AbortSignal
  /** The maximum duration; unlimited by default. */
  forMs?: number
  /** The interval between attempts. */
  everyMs: number
}

/** Repeats an idempotent operation until it succeeds or fails with an error other than a connection error. */
export async function retryWhileDisconnected<T>(
  attempt: () => Promise<T>,
  { stop, forMs = Number.POSITIVE_INFINITY, everyMs }: RetryOptions,
): Promise<T> {
  const deadline = performance.now() + forMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (stop?.aborted || !isConnectionError(error) || performance.now() > deadline) throw error
    }
    // Without a stop signal, the timer does not keep the process alive.
    await sleep(everyMs, undefined, { ref: stop !== undefined, ...(stop && { signal: stop }) }).catch(() => {})
  }
}
