import { createQueue, type Queue } from './queue.ts'

/** Work that waits for other work on the same thing, and only for that. */
export interface Turns {
  /** The work's result; undefined when too much is waiting for that thing already. */
  take<T>(key: string, work: () => Promise<T>): Promise<{ result: T } | undefined>
}

export function createTurns(waiting: number): Turns {
  const lines = new Map<string, { queue: Queue; length: number }>()
  return {
    async take(key, work) {
      const line = lines.get(key) ?? { queue: createQueue({ atOnce: 1, waiting }), length: 0 }
      lines.set(key, line)
      line.length++
      try {
        return await line.queue.run(work)
      } finally {
        if (--line.length === 0) lines.delete(key)
      }
    },
  }
}
