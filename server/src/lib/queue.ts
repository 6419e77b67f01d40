/** Runs work a few at a time; what comes when too much is waiting is turned away at once. */
export interface Queue {
  /** The work's result; undefined when it was turned away. */
  run<T>(work: () => Promise<T>): Promise<{ result: T } | undefined>
}

export function createQueue({ atOnce, waiting: most }: { atOnce: number; waiting: number }): Queue {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    async run(work) {
      if (running >= atOnce) {
        if (waiting.length >= most) return undefined
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else {
        running++
      }
      try {
        return { result: await work() }
      } finally {
        // The place goes to the next in line, or is given up.
        const next = waiting.shift()
        if (next) next()
        else running--
      }
    },
  }
}
