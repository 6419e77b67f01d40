/** Runs work a few at a time. What comes when too much is waiting is turned away at once, and what waits too long then. */
export interface Queue {
  /** The work's result; undefined when it was turned away. */
  run<T>(work: () => Promise<T>): Promise<{ result: T } | undefined>
  /** Turns away all that waits. */
  dismiss(): void
}

export interface QueueLimits {
  atOnce: number
  waiting: number
  /** How long one waits for its turn; without end unless given. */
  patienceMs?: number
}

export function createQueue({ atOnce, waiting: most, patienceMs }: QueueLimits): Queue {
  const waiting = new Set<(isTurn: boolean) => void>()
  let running = 0
  const wait = () =>
    new Promise<boolean>((resolve) => {
      const settle = (isTurn: boolean) => {
        clearTimeout(timer)
        waiting.delete(settle)
        resolve(isTurn)
      }
      const timer = patienceMs === undefined ? undefined : setTimeout(settle, patienceMs, false)
      waiting.add(settle)
    })
  return {
    async run(work) {
      if (running < atOnce) running++
      else if (waiting.size >= most || !(await wait())) return undefined
      try {
        return { result: await work() }
      } finally {
        // The place goes to the next in line, or is given up.
        const [next] = waiting
        if (next) next(true)
        else running--
      }
    },
    dismiss() {
      for (const settle of waiting) settle(false)
    },
  }
}
