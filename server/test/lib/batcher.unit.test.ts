import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBatcher } from '../../src/lib/concurrency/batcher.ts'

/** Work that records its batches and takes some time. */
function recordBatches(batches: number[][], ms = 0) {
  return async (items: number[]) => {
    batches.push(items)
    await sleep(ms)
    if (items.includes(13)) throw new Error('thirteen')
    return items.map((item) => item * 2)
  }
}

test('a single item starts immediately, and items that arrive meanwhile form one batch', async () => {
  const batches: number[][] = []
  const double = createBatcher(recordBatches(batches), {
    maxBatchSize: 10,
    maxQueueLength: 100,
    minIntervalMs: 20,
  })
  const all = Promise.all([1, 2, 3, 4].map(double))
  expect(batches).toEqual([[1]])
  expect(await all).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([[1], [2, 3, 4]])
})

test('batches have a maximum size and keep the order of the items', async () => {
  const batches: number[][] = []
  const double = createBatcher(recordBatches(batches), {
    maxBatchSize: 2,
    maxQueueLength: 100,
    minIntervalMs: 1,
  })
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
  expect(batches).toEqual([[1], [2, 3], [4, 5]])
})

test('a failed batch rejects its own items only', async () => {
  const batches: number[][] = []
  const double = createBatcher(recordBatches(batches), {
    maxBatchSize: 10,
    maxQueueLength: 100,
    minIntervalMs: 5,
  })
  const results = await Promise.allSettled([1, 13, 2].map(double))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  await sleep(20)
  expect(await double(4)).toBe(8)
})

test('a batch does not wait for the end of the previous batch', async () => {
  const batches: number[][] = []
  const double = createBatcher(recordBatches(batches, 200), {
    maxBatchSize: 10,
    maxQueueLength: 100,
    minIntervalMs: 5,
  })
  const slow = double(1)
  await sleep(50)
  void double(2)
  expect(batches).toEqual([[1], [2]])
  await slow
})

test('a single caller that sends one item after the other is not delayed', async () => {
  const batches: number[][] = []
  const double = createBatcher(recordBatches(batches), {
    maxBatchSize: 10,
    maxQueueLength: 100,
    minIntervalMs: 60_000,
  })
  for (let i = 0; i < 5; i++) expect(await double(i)).toBe(i * 2)
  expect(batches).toHaveLength(5)
})

test('with isEager the next batch starts as soon as the last has ended', async () => {
  const batches: number[][] = []
  const double = createBatcher(recordBatches(batches), {
    maxBatchSize: 2,
    maxQueueLength: 100,
    minIntervalMs: 60_000,
    isEager: true,
  })
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
  expect(batches).toEqual([[1], [2, 3], [4, 5]])
})

test('with isEager a batch does not wait for one that hangs', async () => {
  const hanging = new Promise<number[]>(() => {})
  const work = recordBatches([])
  const double = createBatcher((items: number[]) => (items.includes(0) ? hanging : work(items)), {
    maxBatchSize: 2,
    maxQueueLength: 100,
    minIntervalMs: 300,
    isEager: true,
  })
  void double(0)
  await sleep(20)
  expect(await double(6)).toBe(12)
})

test.each(['resolves', 'rejects'])('the next batch waits until untilDue of the oldest item %s', async (outcome) => {
  const batches: number[][] = []
  let isDue = false
  const need = async (item: number) => {
    if (item === 2) await expect.poll(() => isDue).toBe(true)
    if (outcome === 'rejects') throw new Error(outcome)
  }
  const double = createBatcher(recordBatches(batches), {
    maxBatchSize: 10,
    maxQueueLength: 100,
    minIntervalMs: 1,
    waitUntilDue: need,
  })
  const early = [1, 2, 3].map(double)
  await sleep(30)
  const late = double(4)
  expect(batches).toEqual([[1]])
  isDue = true
  expect(await Promise.all([...early, late])).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([[1], [2, 3, 4]])
})

test('an item is rejected with undefined if the queue is full', async () => {
  const double = createBatcher(recordBatches([], 20), {
    maxBatchSize: 1,
    maxQueueLength: 2,
    minIntervalMs: 0,
  })
  expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, undefined])
})

test('at most four batches run concurrently', async () => {
  const batches: number[][] = []
  const work = (items: number[]) => {
    batches.push(items)
    return new Promise<number[]>(() => {})
  }
  const hang = createBatcher(work, { maxBatchSize: 1, maxQueueLength: 100, minIntervalMs: 1 })
  for (let i = 0; i < 10; i++) void hang(i)
  await expect.poll(() => batches.length).toBe(4)
  await sleep(50)
  expect(batches).toHaveLength(4)
})
