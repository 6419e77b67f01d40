/** Runs work a few at a time; what comes when too much is waiting is turned away at once. */
export interface Queue {
  /** The work's result, or why it was turned away. It takes a place of every holder while it waits and runs. */
  run<T>(work: () => Promise<T>, holders?: Holder[]): Promise<{ result: T } | { refused: Refusal }>
  waiting(): number
  /** Turns away all that waits. */
  dismiss(): void
}

/** Somebody who may take a part of the places only, so that some are left for others. */
export interface Holder {
  key: string
  most: number
}

/**
 * `full`: too much is waiting; `share`: the holder has as many places as it may; `timeout`: it has waited too long;
 * `blocked`: what it waited for could not be had.
 */
export const REFUSALS = ['full', 'share', 'timeout', 'blocked'] as const
export type Refusal = (typeof REFUSALS)[number]

interface QueueOptions {
  atOnce: number
  /** How much may wait. */
  waiting: number
  /** How long; for ever unless said. */
  patienceMs?: number
}

export function createQueue({ atOnce, waiting: most, patienceMs }: QueueOptions): Queue {
  const waiting = new Set<(refused?: Refusal) => void>()
  const places = createPlaces()
  let running = 0

  /** Undefined when the turn has come. */
  const untilTurn = () =>
    new Promise<Refusal | undefined>((resolve) => {
      const settle = (refused?: Refusal) => {
        clearTimeout(timer)
        waiting.delete(settle)
        resolve(refused)
      }
      const timer = patienceMs === undefined ? undefined : setTimeout(settle, patienceMs, 'timeout')
      waiting.add(settle)
    })

  const leave = () => {
    // The place goes to the next in line, or is given up.
    const [next] = waiting
    if (next) next()
    else running--
  }

  return {
    waiting: () => waiting.size,
    async run(work, holders = []) {
      if (places.areUsedUp(holders)) return { refused: 'share' }
      if (running >= atOnce && waiting.size >= most) return { refused: 'full' }
      places.take(holders)
      try {
        if (running < atOnce) running++
        else {
          const refused = await untilTurn()
          if (refused) return { refused }
        }
        try {
          return { result: await work() }
        } finally {
          leave()
        }
      } finally {
        places.giveBack(holders)
      }
    },
    dismiss() {
      for (const settle of waiting) settle('blocked')
    },
  }
}

/** How many places each holder has. */
function createPlaces() {
  const taken = new Map<string, number>()
  return {
    areUsedUp: (holders: Holder[]) => holders.some(({ key, most }) => (taken.get(key) ?? 0) >= most),
    take(holders: Holder[]) {
      for (const { key } of holders) taken.set(key, (taken.get(key) ?? 0) + 1)
    },
    giveBack(holders: Holder[]) {
      for (const { key } of holders) {
        const left = (taken.get(key) ?? 0) - 1
        if (left > 0) taken.set(key, left)
        else taken.delete(key)
      }
    },
  }
}
