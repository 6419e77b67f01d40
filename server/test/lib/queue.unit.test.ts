import { expect, test } from 'vitest'
import { createQueue } from '../../src/lib/queue.ts'
import { createTurns } from '../../src/lib/turns.ts'

/** Work that goes on until it is told to end. */
function hold() {
  let end = () => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  return { work: () => over, end }
}

const done = async () => 'done'

test('what comes when too much is waiting is turned away at once', async () => {
  const queue = createQueue({ atOnce: 1, waiting: 1 })
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

test('a holder takes its part of the places, waiting or not, and leaves the rest to others', async () => {
  const queue = createQueue({ atOnce: 1, waiting: 10 })
  const [mine, yours] = ['mine', 'yours'].map((key) => [{ key, most: 2 }])
  const { work, end } = hold()
  const held = [queue.run(work, mine), queue.run(done, mine)]
  expect(await queue.run(done, mine)).toEqual({ refused: 'share' })
  held.push(queue.run(done, yours))
  end()
  await Promise.all(held)
  expect(await queue.run(done, mine)).toEqual({ result: 'done' })
})

test('places are given back by what fails', async () => {
  const queue = createQueue({ atOnce: 1, waiting: 0 })
  const holder = [{ key: 'one', most: 1 }]
  const fail = () => Promise.reject(new Error('no'))
  await expect(queue.run(fail, holder)).rejects.toThrow('no')
  expect(await queue.run(done, holder)).toEqual({ result: 'done' })
})

test('who has waited too long goes, and the next gets the turn', async () => {
  const queue = createQueue({ atOnce: 1, waiting: 10, patienceMs: 50 })
  const holder = [{ key: 'one', most: 1 }]
  const { work, end } = hold()
  const first = queue.run(work)
  expect(await queue.run(done, holder)).toEqual({ refused: 'timeout' })
  expect(queue.waiting()).toBe(0)
  const next = queue.run(done, holder)
  end()
  expect(await Promise.all([first, next])).toEqual([{ result: undefined }, { result: 'done' }])
})

test('turns wait for the same thing only', async () => {
  const turns = createTurns({ waiting: 1, patienceMs: 30_000, failsForAll: () => false })
  const { work, end } = hold()
  const first = turns.take('a', work)
  const second = turns.take('a', done)
  expect(turns.waiting()).toBe(1)
  expect(await turns.take('b', done)).toEqual({ result: 'done' })
  expect(await turns.take('a', done)).toEqual({ refused: 'full' })
  end()
  expect(await Promise.all([first, second])).toEqual([{ result: undefined }, { result: 'done' }])
  expect(turns.waiting()).toBe(0)
})

test('who waits behind one that fails for all is turned away at once, who comes later is not', async () => {
  const turns = createTurns({
    waiting: 10,
    patienceMs: 30_000,
    failsForAll: (error) => (error as Error).message === 'out of reach',
  })
  const fail = (message: string) => () => Promise.reject(new Error(message))
  const [first, second] = await Promise.allSettled([turns.take('a', fail('its own')), turns.take('a', done)])
  expect([first.status, second]).toEqual(['rejected', { status: 'fulfilled', value: { result: 'done' } }])
  const [third, fourth] = await Promise.allSettled([
    turns.take('a', fail('out of reach')),
    turns.take('a', done),
  ])
  expect([third.status, fourth]).toEqual(['rejected', { status: 'fulfilled', value: { refused: 'blocked' } }])
  expect(await turns.take('a', done)).toEqual({ result: 'done' })
})
