import { expect, test } from 'vitest'
import { createQueue } from '../../src/lib/concurrency/queue.ts'
import { createKeyedQueue } from '../../src/tenants/keyed-queue.ts'

/** Work that runs until `end` is called. */
function hold() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => ended, end }
}

const done = async () => 'done'

test('work is rejected immediately if the queue is full', async () => {
  const queue = createQueue({ maxConcurrent: 1, maxQueueLength: 1 })
  const { work, end } = hold()
  const first = queue.run(work)
  const second = queue.run(done)
  expect(queue.waiting()).toBe(1)
  expect(await queue.run(done)).toEqual({ refused: 'full' })
  end()
  expect(await Promise.all([first, second])).toEqual([{ result: undefined }, { result: 'done' }])
  expect(queue.waiting()).toBe(0)
  expect(await queue.run(done)).toEqual({ result: 'done' })
})

test('a share limits running and waiting work under one key and leaves the rest to others', async () => {
  const queue = createQueue({ maxConcurrent: 1, maxQueueLength: 10 })
  const [mine, yours] = ['mine', 'yours'].map((key) => [{ key, max: 2 }])
  const { work, end } = hold()
  const held = [queue.run(work, mine), queue.run(done, mine)]
  expect(await queue.run(done, mine)).toEqual({ refused: 'share' })
  held.push(queue.run(done, yours))
  end()
  await Promise.all(held)
  expect(await queue.run(done, mine)).toEqual({ result: 'done' })
})

test('failed work releases its share', async () => {
  const queue = createQueue({ maxConcurrent: 1, maxQueueLength: 0 })
  const share = [{ key: 'one', max: 1 }]
  const fail = () => Promise.reject(new Error('no'))
  await expect(queue.run(fail, share)).rejects.toThrow('no')
  expect(await queue.run(done, share)).toEqual({ result: 'done' })
})

test('work that waited too long is rejected, and the next one runs', async () => {
  const queue = createQueue({ maxConcurrent: 1, maxQueueLength: 10, maxWaitMs: 50 })
  const share = [{ key: 'one', max: 1 }]
  const { work, end } = hold()
  const first = queue.run(work)
  expect(await queue.run(done, share)).toEqual({ refused: 'timeout' })
  expect(queue.waiting()).toBe(0)
  const next = queue.run(done, share)
  end()
  expect(await Promise.all([first, next])).toEqual([{ result: undefined }, { result: 'done' }])
})

test('a keyed queue serializes work under the same key only', async () => {
  const queue = createKeyedQueue({ maxQueueLength: 1, maxWaitMs: 30_000, failsForAll: () => false })
  const { work, end } = hold()
  const first = queue.run('a', work)
  const second = queue.run('a', done)
  expect(queue.waiting()).toBe(1)
  expect(await queue.run('b', done)).toEqual({ result: 'done' })
  expect(await queue.run('a', done)).toEqual({ refused: 'full' })
  end()
  expect(await Promise.all([first, second])).toEqual([{ result: undefined }, { result: 'done' }])
  expect(queue.waiting()).toBe(0)
})

test('an error that fails for all rejects waiting work under the key, but not later work', async () => {
  const queue = createKeyedQueue({
    maxQueueLength: 10,
    maxWaitMs: 30_000,
    failsForAll: (error) => (error as Error).message === 'out of reach',
  })
  const fail = (message: string) => () => Promise.reject(new Error(message))
  const [first, second] = await Promise.allSettled([queue.run('a', fail('its own')), queue.run('a', done)])
  expect([first.status, second]).toEqual(['rejected', { status: 'fulfilled', value: { result: 'done' } }])
  const [third, fourth] = await Promise.allSettled([queue.run('a', fail('out of reach')), queue.run('a', done)])
  expect([third.status, fourth]).toEqual(['rejected', { status: 'fulfilled', value: { refused: 'blocked' } }])
  expect(await queue.run('a', done)).toEqual({ result: 'done' })
})
