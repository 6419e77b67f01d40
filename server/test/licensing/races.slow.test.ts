import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../support/rounds.ts'
import { type Contest, type Outcome, openContest, PEOPLE, type Person, tally } from './contest.ts'

// Two processes of the service, one database, and many who want the same at the same moment.

let contest: Contest
beforeAll(async () => {
  contest = await openContest()
})
afterAll(() => contest?.close())

const NONE_LEFT = '400 NO_SEATS_AVAILABLE FULL'

const other = (node: number) => (node % 2 === 0 ? 0 : 1)

/** Does something over and over; all that tells of seats agrees each time, and nobody has waited in a circle. */
async function repeat(work: (round: number) => Promise<void>): Promise<void> {
  const before = await contest.deadlocks()
  for (const round of rounds(20)) {
    await work(round)
    await contest.agree()
  }
  expect(await contest.deadlocks()).toBe(before)
}

const some = (count: number): Person[] => contest.people.slice(0, count)

const one = (index = 0): Person => {
  const person = contest.people[index]
  if (!person) throw new Error('there are not so many people')
  return person
}

/** What was expected, without what did not occur. */
const exactly = (counts: Record<Outcome, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

describe('at the same moment, on two processes', () => {
  test('fifty are granted a seat: as many get one as there are, and the rest hear that none is left', () =>
    repeat(async (round) => {
      // None at all, one, all but one, enough for everybody and everything between.
      const seats = [0, 1, PEOPLE - 1, PEOPLE, PEOPLE + 5][round] ?? round * 2
      await contest.reset({ stalls: seats })
      const outcomes = await Promise.all(
        contest.people.map((person, index) => contest.grant(person, 'stalls', other(index))),
      )
      const taken = Math.min(seats, PEOPLE)
      expect(tally(outcomes)).toEqual(exactly({ '201': taken, [NONE_LEFT]: PEOPLE - taken }))
      expect(await contest.seatsOf('stalls')).toHaveLength(taken)
    }))

  test('one person is granted twenty seats of one type or of two: they get one', () =>
    repeat(async (round) => {
      await contest.reset(round % 2 === 0 ? { stalls: 30, boxes: 30 } : { stalls: 1, boxes: 1 })
      const person = one(round)
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          contest.grant(person, round % 4 > 1 && index % 4 > 1 ? 'boxes' : 'stalls', other(index)),
        ),
      )
      expect(tally(outcomes)).toEqual({ '201': 1, '400 ALREADY_LICENSED': 19 })
    }))

  test('one seat is taken back twenty times: it is once', () =>
    repeat(async (round) => {
      await contest.reset({ stalls: 3 })
      const [person, neighbour] = [one(round), one(round + 1)]
      for (const who of [person, neighbour]) expect(await contest.grant(who, 'stalls', 0)).toBe('201')
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => contest.revoke(person, 'stalls', other(index))),
      )
      expect(tally(outcomes)).toEqual({ '200': 1, '404 LICENSE_NOT_FOUND': 19 })
      expect(await contest.seatsOf('stalls')).toEqual([{ userId: neighbour.userId, status: 'ASSIGNED' }])
    }))

  test('seats are granted and their number is reduced: nobody sits on a seat that is not there', () =>
    repeat(async (round) => {
      await contest.reset({ stalls: 10 })
      for (const person of some(5)) expect(await contest.grant(person, 'stalls', 0)).toBe('201')
      const wishes = contest.people.slice(5, 10)
      const shrink = () => contest.subscribe('stalls', { quantityPurchased: 7 }, 1)
      // The reduction comes first, last, or between.
      const at = round % 6
      const [reduced, ...outcomes] = await Promise.all([
        ...(at === 0 ? [shrink()] : []),
        ...wishes.flatMap((person, index) => [
          contest.grant(person, 'stalls', other(index)),
          ...(index + 1 === at ? [shrink()] : []),
        ]),
      ]).then((all) => {
        const [shrunk = ''] = all.splice(at, 1)
        return [shrunk, ...all]
      })
      const granted = outcomes.filter((outcome) => outcome === '201').length
      expect(await contest.seatsOf('stalls')).toHaveLength(5 + granted)
      if (reduced === '200') expect(tally(outcomes)).toEqual({ '201': 2, [NONE_LEFT]: 3 })
      else expect({ reduced, ...tally(outcomes) }).toEqual({ reduced: '409 SEATS_IN_USE', '201': 5 })
    }))

  test('members are granted a seat and removed: whoever is gone has none, and every seat is free', () =>
    repeat(async () => {
      await contest.reset({ stalls: 6 })
      const people = some(6)
      const [granted, removed] = await Promise.all([
        Promise.all(people.map((person, index) => contest.grant(person, 'stalls', other(index)))),
        Promise.all(people.map((person, index) => contest.remove(person, other(index + 1)))),
      ])
      expect(tally(removed)).toEqual({ '200': 6 })
      expect(granted.filter((outcome) => outcome !== '201' && outcome !== '404 USER_NOT_FOUND')).toEqual([])
      expect(await contest.seatsOf('stalls')).toEqual([])
    }))

  test('members are granted a seat and suspended: none of them occupies one, and who had one has it again', () =>
    repeat(async () => {
      await contest.reset({ stalls: 6 })
      const people = some(6)
      const [granted, suspended] = await Promise.all([
        Promise.all(people.map((person, index) => contest.grant(person, 'stalls', other(index)))),
        Promise.all(people.map((person, index) => contest.setStatus(person, 'SUSPENDED', other(index + 1)))),
      ])
      expect(tally(suspended)).toEqual({ '200': 6 })
      expect(granted.filter((outcome) => outcome !== '201' && outcome !== '400 MEMBER_NOT_ACTIVE')).toEqual(
        [],
      )
      const held = people.filter((_, index) => granted[index] === '201').map(({ userId }) => userId)
      const expectHeld = async (status: string) => {
        const seats = await contest.seatsOf('stalls')
        expect(seats.map(({ userId }) => userId).sort()).toEqual([...held].sort())
        expect(seats.every((seat) => seat.status === status)).toBe(true)
      }
      await expectHeld('PARKED')
      await contest.agree()
      const back = await Promise.all(
        people.map((person, index) => contest.setStatus(person, 'ACTIVE', other(index))),
      )
      expect(tally(back)).toEqual({ '200': 6 })
      await expectHeld('ASSIGNED')
    }))

  test('suspended members come back and others are granted a seat: no seat is given twice', () =>
    repeat(async () => {
      await contest.reset({ stalls: 4 })
      const [absent, others] = [some(4), contest.people.slice(4, 8)]
      for (const person of absent) expect(await contest.grant(person, 'stalls', 0)).toBe('201')
      for (const person of absent) expect(await contest.setStatus(person, 'SUSPENDED', 0)).toBe('200')
      const [back, granted] = await Promise.all([
        Promise.all(absent.map((person, index) => contest.setStatus(person, 'ACTIVE', other(index)))),
        Promise.all(others.map((person, index) => contest.grant(person, 'stalls', other(index)))),
      ])
      expect(tally(back)).toEqual({ '200': 4 })
      expect(granted.filter((outcome) => outcome !== '201' && outcome !== NONE_LEFT)).toEqual([])
      const seats = await contest.seatsOf('stalls')
      // Whoever found none taken and none parked any more is gone; all are held.
      expect(tally(seats.map(({ status }) => status))).toEqual({ ASSIGNED: 4 })
    }))

  test('seats are granted and the subscription ends: what was granted sleeps, and the rest hears why', () =>
    repeat(async (round) => {
      await contest.reset({ stalls: 8 })
      const people = some(8)
      const end = () => contest.subscribe('stalls', { status: 'EXPIRED' }, other(round))
      const [ended, ...granted] = await Promise.all([
        end(),
        ...people.map((person, index) => contest.grant(person, 'stalls', other(index))),
      ])
      expect(ended).toBe('200')
      const asleep = granted.filter((outcome) => outcome === '201').length
      expect(tally(granted)).toEqual(
        exactly({ '201': asleep, '400 NO_SEATS_AVAILABLE SUBSCRIPTION_INACTIVE': 8 - asleep }),
      )
      expect(await contest.seatsOf('stalls')).toHaveLength(asleep)
    }))

  test('many swap their types of licence: all do where there is room, and none where there is not', () =>
    repeat(async (round) => {
      const pairs = 6
      const room = round % 2 === 0 ? pairs : 0
      await contest.reset({ stalls: pairs + room, boxes: pairs + room })
      const below = some(pairs)
      const above = contest.people.slice(pairs, 2 * pairs)
      for (const person of below) expect(await contest.grant(person, 'stalls', 0)).toBe('201')
      for (const person of above) expect(await contest.grant(person, 'boxes', 1)).toBe('201')
      const outcomes = await Promise.all([
        ...below.map((person, index) => contest.change(person, 'boxes', other(index))),
        ...above.map((person, index) => contest.change(person, 'stalls', other(index))),
      ])
      expect(tally(outcomes)).toEqual({ [room > 0 ? '200' : NONE_LEFT]: 2 * pairs })
      const ids = (people: Person[]) => people.map(({ userId }) => userId).sort()
      const [downstairs, upstairs] = room > 0 ? [above, below] : [below, above]
      expect((await contest.seatsOf('stalls')).map(({ userId }) => userId).sort()).toEqual(ids(downstairs))
      expect((await contest.seatsOf('boxes')).map(({ userId }) => userId).sort()).toEqual(ids(upstairs))
    }))
})
