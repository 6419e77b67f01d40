import { createQueue, type Queue, type QueueLimits, type Rejection } from '../lib/concurrency/queue.ts'

/** Runs work one at a time per key. Work under different keys runs concurrently. */
export interface KeyedQueue {
  /** Returns the result of the work, or the reason why it was rejected. */
  run<T>(key: string, work: () => Promise<T>): Promise<{ result: T } | { refused: Rejection }>
  /** How many wait, over all keys. */
  waiting(): number
}

interface KeyedQueueOptions extends QueueLimits {
  /** True if everything that waits for the same key would fail with this error as well. */
  failsForAll(error: unknown): boolean
}

export function createKeyedQueue({ failsForAll, ...options }: KeyedQueueOptions): KeyedQueue {
  const entries = new Map<string, { queue: Queue; users: number }>()
  return {
    waiting: () => [...entries.values()].reduce((sum, { queue }) => sum + queue.waiting(), 0),
    async run(key, work) {
      const entry = entries.get(key) ?? { queue: createQueue({ maxConcurrent: 1, ...options }), users: 0 }
      entries.set(key, entry)
      entry.users++
      try {
        return await entry.queue.run(() =>
          work().catch((error: unknown) => {
            if (failsForAll(error)) entry.queue.dismiss()
            throw error
          }),
        )
      } finally {
        if (--entry.users === 0) entries.delete(key)
      }
    },
  }
}
