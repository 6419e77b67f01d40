import { afterAll, beforeAll, expect, test } from 'vitest'
import { FULL, rounds } from '../support/rounds.ts'
import { countOutcomes, type Member, type Outcome, type RaceSetup, startRaceSetup } from './race-setup.ts'

// Concurrent requests that lock several rows each must not deadlock.

let setup: RaceSetup
beforeAll(async () => {
  setup = await startRaceSetup()
})
afterAll(() => setup?.close())

/** Distributes requests over the two nodes. */
const toNode = (index: number) => (index % 2 === 0 ? 0 : 1)
const NONE_LEFT = '400 NO_SEATS_AVAILABLE NONE_LEFT'

/** A refusal with another 4xx status is not a failure here. */
const countFailures = (outcomes: Outcome[]) => countOutcomes(outcomes.filter((outcome) => /^(409|429|5)/.test(outcome)))

async function repeat(work: (round: number) => Promise<Outcome[]>): Promise<void> {
  const before = await setup.countDeadlocks()
  const failures: Record<Outcome, number>[] = []
  for (const round of rounds(20)) {
    failures.push(countFailures(await work(round)))
    await setup.expectConsistent()
  }
  const deadlocks = (await setup.countDeadlocks()) - before
  expect({ deadlocks, failures: failures.filter((counts) => Object.keys(counts).length > 0) }).toEqual({
    deadlocks: 0,
    failures: [],
  })
}

const takeMembers = (from: number, to: number): Member[] => setup.members.slice(from, to)

test('a bulk grant for two applications and single grants for each do not deadlock', () =>
  repeat(async () => {
    await setup.reset({ stalls: 30, planks: 30 })
    const rows = takeMembers(0, 20).map((member, index): [Member, 'stalls' | 'planks'] => [
      member,
      index % 2 === 0 ? 'stalls' : 'planks',
    ])
    const singles = takeMembers(20, 40).map((member, index) =>
      setup.grant(member, index % 4 > 1 ? 'stalls' : 'planks', toNode(index)),
    )
    const all = await Promise.all([setup.grantInBulk(rows, 0), Promise.all(singles)])
    const outcomes = all.flat()
    expect(countOutcomes(outcomes)).toEqual({ '201': 40 })
    return outcomes
  }))

test('two bulk grants for the same members in opposite orders do not deadlock', () =>
  repeat(async () => {
    await setup.reset({ stalls: 5, planks: 5 })
    const rows = takeMembers(0, 12).map((member, index): [Member, 'stalls' | 'planks'] => [
      member,
      index % 2 === 0 ? 'stalls' : 'planks',
    ])
    const all = await Promise.all([setup.grantInBulk(rows, 0), setup.grantInBulk([...rows].reverse(), 1)])
    const outcomes = all.flat()
    const granted = outcomes.filter((outcome) => outcome === '201')
    expect(granted).toHaveLength(10)
    return outcomes
  }))

test.runIf(FULL)('a bulk grant and suspensions of members with a seat of another application do not deadlock', () =>
  repeat(async () => {
    await setup.reset({ stalls: 30, planks: 30 })
    const members = takeMembers(0, 12)
    const seated = await setup.grantInBulk(
      members.map((member) => [member, 'planks']),
      0,
    )
    expect(countOutcomes(seated)).toEqual({ '201': 12 })
    const all = await Promise.all([
      setup.grantInBulk(
        members.map((member) => [member, 'stalls']),
        0,
      ),
      // In reverse order: the bulk grant reaches these members last.
      Promise.all([...members].reverse().map((member) => setup.setStatus(member, 'SUSPENDED', 1))),
    ])
    return all.flat()
  }),
)

test('changes of license type and suspensions or removals of the holders do not deadlock', () =>
  repeat(async (round) => {
    await setup.reset({ stalls: 20, boxes: 20 })
    const members = takeMembers(0, 12)
    for (const [index, member] of members.entries()) {
      expect(await setup.grant(member, index % 2 === 0 ? 'stalls' : 'boxes', 0)).toBe('201')
    }
    const all = await Promise.all([
      Promise.all(
        members.map((member, index) => setup.change(member, index % 2 === 0 ? 'boxes' : 'stalls', toNode(index))),
      ),
      Promise.all(
        members.map((member, index) =>
          round % 2 === 0 ? setup.setStatus(member, 'SUSPENDED', toNode(index)) : setup.remove(member, toNode(index)),
        ),
      ),
    ])
    return all.flat()
  }))

test.runIf(FULL)('changes of license type, revocations, grants and changes of subscriptions do not deadlock', () =>
  repeat(async () => {
    await setup.reset({ stalls: 20, boxes: 20 })
    const members = takeMembers(0, 12)
    for (const [index, member] of members.entries()) {
      expect(await setup.grant(member, index % 2 === 0 ? 'stalls' : 'boxes', 0)).toBe('201')
    }
    const all = await Promise.all([
      Promise.all(
        members.map((member, index) => setup.change(member, index % 2 === 0 ? 'boxes' : 'stalls', toNode(index))),
      ),
      Promise.all(members.map((member, index) => setup.revoke(member, 'stalls', toNode(index + 1)))),
      Promise.all(takeMembers(12, 20).map((member, index) => setup.grant(member, 'boxes', toNode(index)))),
      setup.changeSubscription('boxes', { quantityPurchased: 30 }, 0),
      setup.changeSubscription('stalls', { quantityPurchased: 30 }, 1),
    ])
    return all.flat().filter((outcome) => outcome !== NONE_LEFT)
  }),
)
