interface Limits<Item> {
  /** The most that are carried out at once. */
  most: number
  /** How long after the last began the next may: who comes meanwhile waits, and is then served with the others. */
  spacingMs: number
  /** The next begins earlier, as soon as the last has ended. */
  isEager?: boolean
  /** Before this has come about for whoever waits longest, nobody is in a hurry: then the next begins later. */
  untilDue?: (item: Item) => Promise<unknown>
  /** Who comes when so many wait is not served. */
  mostWaiting: number
}

/** Where so much hangs, the next waits for the end of one of them: each may hold a connection. */
const MOST_AT_ONCE = 4

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Carries out together what comes at about the same time, for work that costs hardly more for many than for one. Who
 * comes alone is not kept waiting, and nobody waits for one that hangs. The work answers each item in its place;
 * undefined: too many wait.
 */
export function together<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  { most, spacingMs, isEager = false, untilDue, mostWaiting }: Limits<Item>,
): (item: Item) => Promise<Result | undefined> {
  let waiting: Waiting<Item, Result>[] = []
  const running = new Set<Promise<void>>()
  /** Somebody has just begun, and sees to those who come meanwhile. */
  let isResting = false

  async function carryOut(turn: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(turn.map(({ item }) => item))
      for (const [index, { resolve }] of turn.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of turn) reject(error)
    }
  }

  const rest = (count: number, done: Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, spacingMs)
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      // Who comes alone, again and again, is not kept waiting for themselves.
      if (isEager || count === 1) void done.then(end)
    })

  async function begin(): Promise<void> {
    isResting = true
    while (waiting.length > 0) {
      const turn = waiting.slice(0, most)
      waiting = waiting.slice(most)
      const done = carryOut(turn).finally(() => running.delete(done))
      running.add(done)
      await rest(turn.length, done)
      if (running.size >= MOST_AT_ONCE) await Promise.race(running)
      const [longest] = waiting
      // That it fails is for whoever it is about to hear.
      if (longest && untilDue) await untilDue(longest.item).catch(() => {})
    }
    isResting = false
  }

  return async (item) => {
    if (waiting.length >= mostWaiting) return undefined
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isResting) void begin()
    })
  }
}
