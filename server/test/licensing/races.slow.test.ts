import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../support/rounds.ts'
import { countOutcomes, MEMBER_COUNT, type Member, type Outcome, type RaceSetup, startRaceSetup } from './race-setup.ts'

// Concurrent requests for the same seats, to two processes of the service with one database.

let setup: RaceSetup
beforeAll(async () => {
  setup = await startRaceSetup()
})
afterAll(() => setup?.close())

const FULL = '400 NO_SEATS_AVAILABLE FULL'

/** Distributes requests over the two nodes. */
const toNode = (index: number) => (index % 2 === 0 ? 0 : 1)

/** Expects a consistent state after each round, and no deadlock in any. */
async function repeat(work: (round: number) => Promise<void>): Promise<void> {
  const before = await setup.countDeadlocks()
  for (const round of rounds(20)) {
    await work(round)
    await setup.expectConsistent()
  }
  expect(await setup.countDeadlocks()).toBe(before)
}

const takeMembers = (count: number): Member[] => setup.members.slice(0, count)

const getMember = (index = 0): Member => {
  const member = setup.members[index]
  if (!member) throw new Error(`there is no member ${index}`)
  return member
}

const omitZeros = (counts: Record<Outcome, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

describe('with concurrent requests to two processes', () => {
  test('fifty grants succeed for as many seats as there are, and the rest are refused as FULL', () =>
    repeat(async (round) => {
      // No seat, one, one too few, exactly enough, more than enough, and values in between.
      const seats = [0, 1, MEMBER_COUNT - 1, MEMBER_COUNT, MEMBER_COUNT + 5][round] ?? round * 2
      await setup.reset({ stalls: seats })
      const outcomes = await Promise.all(
        setup.members.map((member, index) => setup.grant(member, 'stalls', toNode(index))),
      )
      const taken = Math.min(seats, MEMBER_COUNT)
      expect(countOutcomes(outcomes)).toEqual(omitZeros({ '201': taken, [FULL]: MEMBER_COUNT - taken }))
      expect(await setup.listSeats('stalls')).toHaveLength(taken)
    }))

  test('one of twenty grants for the same user succeeds, with one license type or with two', () =>
    repeat(async (round) => {
      await setup.reset(round % 2 === 0 ? { stalls: 30, boxes: 30 } : { stalls: 1, boxes: 1 })
      const member = getMember(round)
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          setup.grant(member, round % 4 > 1 && index % 4 > 1 ? 'boxes' : 'stalls', toNode(index)),
        ),
      )
      expect(countOutcomes(outcomes)).toEqual({ '201': 1, '400 ALREADY_LICENSED': 19 })
    }))

  test('one of twenty revocations of the same seat succeeds', () =>
    repeat(async (round) => {
      await setup.reset({ stalls: 3 })
      const [member, neighbor] = [getMember(round), getMember(round + 1)]
      for (const holder of [member, neighbor]) expect(await setup.grant(holder, 'stalls', 0)).toBe('201')
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => setup.revoke(member, 'stalls', toNode(index))),
      )
      expect(countOutcomes(outcomes)).toEqual({ '200': 1, '404 LICENSE_NOT_FOUND': 19 })
      expect(await setup.listSeats('stalls')).toEqual([{ userId: neighbor.userId, status: 'ASSIGNED' }])
    }))

  test('grants during a reduction of the seats never exceed the purchased number', () =>
    repeat(async (round) => {
      await setup.reset({ stalls: 10 })
      for (const member of takeMembers(5)) expect(await setup.grant(member, 'stalls', 0)).toBe('201')
      const newcomers = setup.members.slice(5, 10)
      const reduce = () => setup.changeSubscription('stalls', { quantityPurchased: 7 }, 1)
      // The position of the reduction among the grants.
      const position = round % 6
      const [reduced, ...outcomes] = await Promise.all([
        ...(position === 0 ? [reduce()] : []),
        ...newcomers.flatMap((member, index) => [
          setup.grant(member, 'stalls', toNode(index)),
          ...(index + 1 === position ? [reduce()] : []),
        ]),
      ]).then((all) => {
        const [reduction = ''] = all.splice(position, 1)
        return [reduction, ...all]
      })
      const granted = outcomes.filter((outcome) => outcome === '201').length
      expect(await setup.listSeats('stalls')).toHaveLength(5 + granted)
      if (reduced === '200') expect(countOutcomes(outcomes)).toEqual({ '201': 2, [FULL]: 3 })
      else expect({ reduced, ...countOutcomes(outcomes) }).toEqual({ reduced: '409 SEATS_IN_USE', '201': 5 })
    }))

  test('members who are removed during a grant have no seat, and every seat is free', () =>
    repeat(async () => {
      await setup.reset({ stalls: 6 })
      const members = takeMembers(6)
      const [granted, removed] = await Promise.all([
        Promise.all(members.map((member, index) => setup.grant(member, 'stalls', toNode(index)))),
        Promise.all(members.map((member, index) => setup.remove(member, toNode(index + 1)))),
      ])
      expect(countOutcomes(removed)).toEqual({ '200': 6 })
      expect(granted.filter((outcome) => outcome !== '201' && outcome !== '404 USER_NOT_FOUND')).toEqual([])
      expect(await setup.listSeats('stalls')).toEqual([])
    }))

  test('members who are suspended during a grant occupy no seat, and get theirs back when reactivated', () =>
    repeat(async () => {
      await setup.reset({ stalls: 6 })
      const members = takeMembers(6)
      const [granted, suspended] = await Promise.all([
        Promise.all(members.map((member, index) => setup.grant(member, 'stalls', toNode(index)))),
        Promise.all(members.map((member, index) => setup.setStatus(member, 'SUSPENDED', toNode(index + 1)))),
      ])
      expect(countOutcomes(suspended)).toEqual({ '200': 6 })
      expect(granted.filter((outcome) => outcome !== '201' && outcome !== '400 MEMBER_NOT_ACTIVE')).toEqual([])
      const held = members.filter((_, index) => granted[index] === '201').map(({ userId }) => userId)
      const expectHeld = async (status: string) => {
        const seats = await setup.listSeats('stalls')
        expect(seats.map(({ userId }) => userId).sort()).toEqual([...held].sort())
        expect(seats.every((seat) => seat.status === status)).toBe(true)
      }
      await expectHeld('PARKED')
      await setup.expectConsistent()
      const reactivated = await Promise.all(
        members.map((member, index) => setup.setStatus(member, 'ACTIVE', toNode(index))),
      )
      expect(countOutcomes(reactivated)).toEqual({ '200': 6 })
      await expectHeld('ASSIGNED')
    }))

  test('no seat is assigned twice when suspended members are reactivated during grants to others', () =>
    repeat(async () => {
      await setup.reset({ stalls: 4 })
      const [suspended, others] = [takeMembers(4), setup.members.slice(4, 8)]
      for (const member of suspended) expect(await setup.grant(member, 'stalls', 0)).toBe('201')
      for (const member of suspended) expect(await setup.setStatus(member, 'SUSPENDED', 0)).toBe('200')
      const [reactivated, granted] = await Promise.all([
        Promise.all(suspended.map((member, index) => setup.setStatus(member, 'ACTIVE', toNode(index)))),
        Promise.all(others.map((member, index) => setup.grant(member, 'stalls', toNode(index)))),
      ])
      expect(countOutcomes(reactivated)).toEqual({ '200': 4 })
      expect(granted.filter((outcome) => outcome !== '201' && outcome !== FULL)).toEqual([])
      const seats = await setup.listSeats('stalls')
      // A reactivated member who found no free seat lost the parked one.
      expect(countOutcomes(seats.map(({ status }) => status))).toEqual({ ASSIGNED: 4 })
    }))

  test('grants during the end of a subscription are dormant seats, or are refused as SUBSCRIPTION_INACTIVE', () =>
    repeat(async (round) => {
      await setup.reset({ stalls: 8 })
      const members = takeMembers(8)
      const expire = () => setup.changeSubscription('stalls', { status: 'EXPIRED' }, toNode(round))
      const [expired, ...granted] = await Promise.all([
        expire(),
        ...members.map((member, index) => setup.grant(member, 'stalls', toNode(index))),
      ])
      expect(expired).toBe('200')
      const dormant = granted.filter((outcome) => outcome === '201').length
      expect(countOutcomes(granted)).toEqual(
        omitZeros({ '201': dormant, '400 NO_SEATS_AVAILABLE SUBSCRIPTION_INACTIVE': 8 - dormant }),
      )
      expect(await setup.listSeats('stalls')).toHaveLength(dormant)
    }))

  test('members who swap license types all succeed if there are free seats, and none if there are not', () =>
    repeat(async (round) => {
      const pairs = 6
      const free = round % 2 === 0 ? pairs : 0
      await setup.reset({ stalls: pairs + free, boxes: pairs + free })
      const inStalls = takeMembers(pairs)
      const inBoxes = setup.members.slice(pairs, 2 * pairs)
      for (const member of inStalls) expect(await setup.grant(member, 'stalls', 0)).toBe('201')
      for (const member of inBoxes) expect(await setup.grant(member, 'boxes', 1)).toBe('201')
      const outcomes = await Promise.all([
        ...inStalls.map((member, index) => setup.change(member, 'boxes', toNode(index))),
        ...inBoxes.map((member, index) => setup.change(member, 'stalls', toNode(index))),
      ])
      expect(countOutcomes(outcomes)).toEqual({ [free > 0 ? '200' : FULL]: 2 * pairs })
      const sortIds = (members: Member[]) => members.map(({ userId }) => userId).sort()
      const [stalls, boxes] = free > 0 ? [inBoxes, inStalls] : [inStalls, inBoxes]
      expect((await setup.listSeats('stalls')).map(({ userId }) => userId).sort()).toEqual(sortIds(stalls))
      expect((await setup.listSeats('boxes')).map(({ userId }) => userId).sort()).toEqual(sortIds(boxes))
    }))
})
