/** Runs work with limited concurrency. If the queue is full, further work is rejected immediately. */
export interface Queue {
  /** Returns the result of the work, or the reason why it was rejected. The work counts in every share until it ends. */
  run<T>(work: () => Promise<T>, shares?: Share[]): Promise<{ result: T } | { refused: Rejection }>
  waiting(): number
  /** Rejects everything that waits. */
  dismiss(): void
}

/** A limit on how much work under one key may run or wait, so that capacity is left for others. */
export interface Share {
  key: string
  max: number
}

/**
 * `full`: the queue is full; `share`: a share is used up; `timeout`: the work has waited too long; `blocked`: `dismiss`
 * was called.
 */
export const REJECTIONS = ['full', 'share', 'timeout', 'blocked'] as const
export type Rejection = (typeof REJECTIONS)[number]

export interface QueueLimits {
  /** How much may wait. */
  maxQueueLength: number
  /** How long work may wait; unlimited by default. */
  maxWaitMs?: number
}

export interface QueueOptions extends QueueLimits {
  /** How much may run concurrently. */
  maxConcurrent: number
}

export function createQueue(options: QueueOptions): Queue {
  const queued = new Set<(rejection?: Rejection) => void>()
  const shareCounts = createShareCounts()
  let running = 0

  /** Resolves to undefined when the work may start. */
  const waitForTurn = () =>
    new Promise<Rejection | undefined>((resolve) => {
      const finishWaiting = (rejection?: Rejection) => {
        clearTimeout(timer)
        queued.delete(finishWaiting)
        resolve(rejection)
      }
      const timer =
        options.maxWaitMs === undefined ? undefined : setTimeout(finishWaiting, options.maxWaitMs, 'timeout' as const)
      queued.add(finishWaiting)
    })

  const startNext = () => {
    // The next in the queue takes over the slot, so `running` stays the same.
    const [next] = queued
    if (next) next()
    else running--
  }

  return {
    waiting: () => queued.size,
    async run(work, shares = []) {
      if (shareCounts.areUsedUp(shares)) return { refused: 'share' }
      if (running >= options.maxConcurrent && queued.size >= options.maxQueueLength) return { refused: 'full' }
      shareCounts.increment(shares)
      try {
        if (running < options.maxConcurrent) running++
        else {
          const rejection = await waitForTurn()
          if (rejection) return { refused: rejection }
        }
        try {
          return { result: await work() }
        } finally {
          startNext()
        }
      } finally {
        shareCounts.decrement(shares)
      }
    },
    dismiss() {
      for (const finishWaiting of queued) finishWaiting('blocked')
    },
  }
}

function createShareCounts() {
  const counts = new Map<string, number>()
  return {
    areUsedUp: (shares: Share[]) => shares.some(({ key, max }) => (counts.get(key) ?? 0) >= max),
    increment(shares: Share[]) {
      for (const { key } of shares) counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    decrement(shares: Share[]) {
      for (const { key } of shares) {
        const left = (counts.get(key) ?? 0) - 1
        if (left > 0) counts.set(key, left)
        else counts.delete(key)
      }
    },
  }
}
