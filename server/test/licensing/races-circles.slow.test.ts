import { afterAll, beforeAll, expect, test } from 'vitest'
import { FULL, rounds } from '../support/rounds.ts'
import { type Contest, type Outcome, openContest, type Person, tally } from './contest.ts'

// Whoever takes hold of several things at once meets others who hold one and want another.

let contest: Contest
beforeAll(async () => {
  contest = await openContest()
})
afterAll(() => contest?.close())

const other = (node: number) => (node % 2 === 0 ? 0 : 1)
const NONE_LEFT = '400 NO_SEATS_AVAILABLE NONE_LEFT'

/** Nobody fails, whatever else becomes of them. */
const failuresIn = (outcomes: Outcome[]) => tally(outcomes.filter((outcome) => /^(409|429|5)/.test(outcome)))

async function repeat(work: (round: number) => Promise<Outcome[]>): Promise<void> {
  const before = await contest.deadlocks()
  const failures: Record<Outcome, number>[] = []
  for (const round of rounds(20)) {
    failures.push(failuresIn(await work(round)))
    await contest.agree()
  }
  const circles = (await contest.deadlocks()) - before
  expect({ circles, failures: failures.filter((some) => Object.keys(some).length > 0) }).toEqual({
    circles: 0,
    failures: [],
  })
}

const slice = (from: number, to: number): Person[] => contest.people.slice(from, to)

test('many at a time for two applications, and others one by one for either', () =>
  repeat(async () => {
    await contest.reset({ stalls: 30, planks: 30 })
    const rows = slice(0, 20).map((person, index): [Person, 'stalls' | 'planks'] => [
      person,
      index % 2 === 0 ? 'stalls' : 'planks',
    ])
    const singles = slice(20, 40).map((person, index) =>
      contest.grant(person, index % 4 > 1 ? 'stalls' : 'planks', other(index)),
    )
    const all = await Promise.all([contest.grantMany(rows, 0), Promise.all(singles)])
    const outcomes = all.flat()
    expect(tally(outcomes)).toEqual({ '201': 40 })
    return outcomes
  }))

test('the same people many at a time from both sides', () =>
  repeat(async () => {
    await contest.reset({ stalls: 5, planks: 5 })
    const rows = slice(0, 12).map((person, index): [Person, 'stalls' | 'planks'] => [
      person,
      index % 2 === 0 ? 'stalls' : 'planks',
    ])
    const all = await Promise.all([contest.grantMany(rows, 0), contest.grantMany([...rows].reverse(), 1)])
    const outcomes = all.flat()
    const granted = outcomes.filter((outcome) => outcome === '201')
    expect(granted).toHaveLength(10)
    return outcomes
  }))

test.runIf(FULL)('many at a time, while they are suspended who have a seat elsewhere', () =>
  repeat(async () => {
    await contest.reset({ stalls: 30, planks: 30 })
    const people = slice(0, 12)
    const seated = await contest.grantMany(
      people.map((person) => [person, 'planks']),
      0,
    )
    expect(tally(seated)).toEqual({ '201': 12 })
    const all = await Promise.all([
      contest.grantMany(
        people.map((person) => [person, 'stalls']),
        0,
      ),
      // The last first: those are the last to be granted theirs.
      Promise.all([...people].reverse().map((person) => contest.setStatus(person, 'SUSPENDED', 1))),
    ])
    return all.flat()
  }),
)

test('types are changed while their holders are suspended and removed', () =>
  repeat(async (round) => {
    await contest.reset({ stalls: 20, boxes: 20 })
    const people = slice(0, 12)
    for (const [index, person] of people.entries()) {
      expect(await contest.grant(person, index % 2 === 0 ? 'stalls' : 'boxes', 0)).toBe('201')
    }
    const all = await Promise.all([
      Promise.all(
        people.map((person, index) =>
          contest.change(person, index % 2 === 0 ? 'boxes' : 'stalls', other(index)),
        ),
      ),
      Promise.all(
        people.map((person, index) =>
          round % 2 === 0
            ? contest.setStatus(person, 'SUSPENDED', other(index))
            : contest.remove(person, other(index)),
        ),
      ),
    ])
    return all.flat()
  }))

test.runIf(FULL)('types are changed while seats are given back, granted and reduced', () =>
  repeat(async () => {
    await contest.reset({ stalls: 20, boxes: 20 })
    const people = slice(0, 12)
    for (const [index, person] of people.entries()) {
      expect(await contest.grant(person, index % 2 === 0 ? 'stalls' : 'boxes', 0)).toBe('201')
    }
    const all = await Promise.all([
      Promise.all(
        people.map((person, index) =>
          contest.change(person, index % 2 === 0 ? 'boxes' : 'stalls', other(index)),
        ),
      ),
      Promise.all(people.map((person, index) => contest.revoke(person, 'stalls', other(index + 1)))),
      Promise.all(slice(12, 20).map((person, index) => contest.grant(person, 'boxes', other(index)))),
      contest.subscribe('boxes', { quantityPurchased: 30 }, 0),
      contest.subscribe('stalls', { quantityPurchased: 30 }, 1),
    ])
    return all.flat().filter((outcome) => outcome !== NONE_LEFT)
  }),
)
