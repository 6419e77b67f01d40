import { createQueue, type Queue, type Refusal } from './queue.ts'

/** Work that waits for other work on the same thing, and only for that. */
export interface Turns {
  /** The work's result, or why it was turned away. */
  take<T>(key: string, work: () => Promise<T>): Promise<{ result: T } | { refused: Refusal }>
  /** How much waits, for whatever it is. */
  waiting(): number
}

interface Options {
  waiting: number
  /** How long one waits for its turn. */
  patienceMs: number
  /** Whether whatever waits would fail in the same way, each after as long a time. */
  failsForAll(error: unknown): boolean
}

export function createTurns({ failsForAll, ...limits }: Options): Turns {
  const lines = new Map<string, { queue: Queue; length: number }>()
  return {
    waiting: () => [...lines.values()].reduce((sum, { queue }) => sum + queue.waiting(), 0),
    async take(key, work) {
      const line = lines.get(key) ?? { queue: createQueue({ atOnce: 1, ...limits }), length: 0 }
      lines.set(key, line)
      line.length++
      try {
        return await line.queue.run(() =>
          work().catch((error: unknown) => {
            if (failsForAll(error)) line.queue.dismiss()
            throw error
          }),
        )
      } finally {
        if (--line.length === 0) lines.delete(key)
      }
    },
  }
}
