export interface BatcherOptions<Item> {
  /** The maximum size of a batch. */
  maxBatchSize: number
  /** The minimum time between the starts of two batches. One that takes longer does not block the next one. */
  minIntervalMs: number
  /** Start the next batch as soon as the last one has ended, even within `minIntervalMs`. */
  isEager?: boolean
  /** Delays the next batch until this resolves for the item that has waited longest. */
  waitUntilDue?: (item: Item) => Promise<unknown>
  /** With so many items in the queue, further ones are rejected. */
  maxQueueLength: number
}

/** Slow batches may overlap, up to this number: each may hold a database connection. */
const MAX_CONCURRENT_BATCHES = 4

interface QueuedItem<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/**
 * Combines items that arrive at about the same time into batches, for work that costs hardly more for many items than
 * for one. A single item starts immediately, and a batch that hangs does not block the next. The work returns the
 * results in the order of the items. The returned function resolves to undefined if the queue is full.
 */
export function createBatcher<Item, Result>(
  work: (items: Item[]) => Promise<Result[]>,
  options: BatcherOptions<Item>,
): (item: Item) => Promise<Result | undefined> {
  let queue: QueuedItem<Item, Result>[] = []
  const runningBatches = new Set<Promise<void>>()
  let isProcessing = false

  async function runBatch(batch: QueuedItem<Item, Result>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  const pause = (batchSize: number, done: Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, options.minIntervalMs)
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      // A single caller that sends one item after the other is not delayed.
      if (options.isEager || batchSize === 1) void done.then(end)
    })

  async function processQueue(): Promise<void> {
    isProcessing = true
    while (queue.length > 0) {
      const batch = queue.slice(0, options.maxBatchSize)
      queue = queue.slice(options.maxBatchSize)
      const done = runBatch(batch).finally(() => runningBatches.delete(done))
      runningBatches.add(done)
      await pause(batch.length, done)
      if (runningBatches.size >= MAX_CONCURRENT_BATCHES) await Promise.race(runningBatches)
      const [oldest] = queue
      // The work itself reports the failure to the item's caller.
      if (oldest && options.waitUntilDue) await options.waitUntilDue(oldest.item).catch(() => {})
    }
    isProcessing = false
  }

  return async (item) => {
    if (queue.length >= options.maxQueueLength) return undefined
    return new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      if (!isProcessing) void processQueue()
    })
  }
}
