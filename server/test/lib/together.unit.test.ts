import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { together } from '../../src/lib/together.ts'

/** Work that notes what it was given together, and takes a while. */
function workOn(turns: number[][], ms = 0) {
  return async (items: number[]) => {
    turns.push(items)
    await sleep(ms)
    if (items.includes(13)) throw new Error('thirteen')
    return items.map((item) => item * 2)
  }
}

test('who comes alone is served at once, and who comes meanwhile together with the others', async () => {
  const turns: number[][] = []
  const double = together(workOn(turns), { most: 10, mostWaiting: 100, spacingMs: 20 })
  const all = Promise.all([1, 2, 3, 4].map(double))
  expect(turns).toEqual([[1]])
  expect(await all).toEqual([2, 4, 6, 8])
  expect(turns).toEqual([[1], [2, 3, 4]])
})

test('no more than so many are served at once, in the order in which they came', async () => {
  const turns: number[][] = []
  const double = together(workOn(turns), { most: 2, mostWaiting: 100, spacingMs: 1 })
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
  expect(turns).toEqual([[1], [2, 3], [4, 5]])
})

test('what fails, fails for those it was done for, and for nobody after them', async () => {
  const turns: number[][] = []
  const double = together(workOn(turns), { most: 10, mostWaiting: 100, spacingMs: 5 })
  const results = await Promise.allSettled([1, 13, 2].map(double))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  await sleep(20)
  expect(await double(4)).toBe(8)
})

test('nobody waits for the end of what others have begun', async () => {
  const turns: number[][] = []
  const double = together(workOn(turns, 200), { most: 10, mostWaiting: 100, spacingMs: 5 })
  const slow = double(1)
  await sleep(50)
  void double(2)
  expect(turns).toEqual([[1], [2]])
  await slow
})

test('who comes again as soon as they are served, and alone, does not wait', async () => {
  const turns: number[][] = []
  const double = together(workOn(turns), { most: 10, mostWaiting: 100, spacingMs: 60_000 })
  for (let i = 0; i < 5; i++) expect(await double(i)).toBe(i * 2)
  expect(turns).toHaveLength(5)
})

test('where it is eager, the next begin as soon as the last have ended', async () => {
  const turns: number[][] = []
  const double = together(workOn(turns), { most: 2, mostWaiting: 100, spacingMs: 60_000, isEager: true })
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10])
  expect(turns).toEqual([[1], [2, 3], [4, 5]])
})

test('and do not wait for what hangs', async () => {
  const hanging = new Promise<number[]>(() => {})
  const work = workOn([])
  const double = together((items: number[]) => (items.includes(0) ? hanging : work(items)), {
    ...{ most: 2, mostWaiting: 100, spacingMs: 300, isEager: true },
  })
  void double(0)
  await sleep(20)
  expect(await double(6)).toBe(12)
})

test.each(['has come', 'will never come'])(
  'nobody is in a hurry before what whoever waits longest needs %s',
  async (outcome) => {
    const turns: number[][] = []
    let isThere = false
    const need = async (item: number) => {
      if (item === 2) await expect.poll(() => isThere).toBe(true)
      if (outcome === 'will never come') throw new Error(outcome)
    }
    const double = together(workOn(turns), { most: 10, mostWaiting: 100, spacingMs: 1, untilDue: need })
    const early = [1, 2, 3].map(double)
    await sleep(30)
    const late = double(4)
    expect(turns).toEqual([[1]])
    isThere = true
    expect(await Promise.all([...early, late])).toEqual([2, 4, 6, 8])
    expect(turns).toEqual([[1], [2, 3, 4]])
  },
)

test('who comes when too many wait is told so', async () => {
  const double = together(workOn([], 20), { most: 1, mostWaiting: 2, spacingMs: 0 })
  expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, undefined])
})

test('no more than four hang at a time', async () => {
  const turns: number[][] = []
  const work = (items: number[]) => {
    turns.push(items)
    return new Promise<number[]>(() => {})
  }
  const hang = together(work, { most: 1, mostWaiting: 100, spacingMs: 1 })
  for (let i = 0; i < 10; i++) void hang(i)
  await expect.poll(() => turns.length).toBe(4)
  await sleep(50)
  expect(turns).toHaveLength(4)
})
