import { expect } from 'vitest'
import { check } from '../../src/licensing/checks/service.ts'
import { holdersOf, numberOfHolders } from '../../src/licensing/holders/service.ts'
import { overviewOf } from '../../src/licensing/subscriptions/service.ts'
import type { Model } from './property-model.ts'
import type { World } from './property-world.ts'
import { type Replay, readOn, readRows } from './replay.ts'

/** Everything that tells of licences tells what the model does. */
export async function compare(world: World, model: Model, replay: Replay): Promise<void> {
  const {
    tenantId,
    service: { ctx },
  } = world
  const now = ctx.now().getTime()
  const slugOf = (held: number | undefined) => (held === undefined ? null : `type-${held + 1}`)
  for (const [index, applicationId] of world.applications.entries()) {
    const told: unknown[] = []
    const expected: unknown[] = []
    const since = new Map<string, string | undefined>()
    for (const [who, userId] of world.people.entries()) {
      const held = model.held(who, index, now)
      const answer = await check(ctx, { tenantId, userId, applicationId })
      const { hasLicense, licenseType, features, assignedAt } = answer
      since.set(userId, assignedAt)
      told.push({ who, hasLicense, licenseType, features })
      expected.push({
        ...{ who, hasLicense: held !== undefined, licenseType: slugOf(held) },
        features: held === undefined ? [] : [`f${held + 1}`],
      })
    }
    expect({ application: index, told }).toEqual({ application: index, told: expected })
    const list = await holdersOf(ctx, { tenantId, applicationId })
    const moments = list.map(({ assignedAt }) => assignedAt.getTime())
    expect(moments).toEqual([...moments].sort((a, b) => a - b))
    for (const { userId, assignedAt } of list) expect(assignedAt.toISOString()).toBe(since.get(userId))
    const holders = list.map(({ userId, licenseType }) => [world.people.indexOf(userId), licenseType])
    const wanted = world.people.flatMap((_, who) => {
      const held = model.held(who, index, now)
      return held === undefined ? [] : [[who, slugOf(held)]]
    })
    expect({ application: index, holders: holders.sort() }).toEqual({ application: index, holders: wanted })
    expect(await numberOfHolders(ctx, { tenantId, applicationId })).toBe(wanted.length)
  }
  await compareRows(world, model, replay)
  if (!model.dissolved) await compareOverview(world, model, now)
}

async function compareRows(world: World, model: Model, replay: Replay): Promise<void> {
  const rows = await readRows(world.db, world.tenantId)
  const { sequence, ...told } = await readOn(world.db, world.tenantId, replay)
  expect(told).toEqual(rows)
  const now = world.service.ctx.now().getTime()
  const show = (who: number, kind: number, status: string) => `${who} has ${kind} ${status}`
  const seated = Object.values(rows.seats) as { userId: string; licenseTypeId: string; status: string }[]
  const shown = seated.map(({ userId, licenseTypeId, status: state }) =>
    show(world.people.indexOf(userId), world.types.indexOf(licenseTypeId), state),
  )
  const wanted = (list: typeof model.seats) => list.map((seat) => show(seat.person, seat.type, seat.status))
  // What is kept for somebody who did not come in time may be there still.
  const inForce = wanted(model.inForce(now))
  const all = wanted(model.seats)
  expect(inForce.filter((seat) => !shown.includes(seat))).toEqual([])
  expect(shown.filter((seat) => !all.includes(seat))).toEqual([])
}

async function compareOverview(world: World, model: Model, now: number): Promise<void> {
  const entries = [...model.terms.entries()]
    .sort(([a], [b]) => a - b)
    .map(([kind, terms]) => {
      const assigned = model.seats.filter((seat) => seat.type === kind && seat.status === 'ASSIGNED').length
      return {
        licenseTypeId: world.types[kind],
        quantityPurchased: terms.seats,
        quantityAssigned: assigned,
        quantityAvailable: Math.max(0, terms.seats - model.inUse(kind, now)),
        status: model.usable(kind, now) ? terms.status : 'EXPIRED',
      }
    })
  const good = entries.filter((entry) => entry.status !== 'EXPIRED')
  const sum = (pick: (entry: (typeof good)[number]) => number) =>
    good.reduce((total, entry) => total + pick(entry), 0)
  expect(await overviewOf(world.service.ctx, world.tenantId)).toMatchObject({
    totalSeatsOwned: sum(({ quantityPurchased }) => quantityPurchased),
    totalSeatsAssigned: sum(({ quantityAssigned }) => quantityAssigned),
    totalSeatsAvailable: sum(({ quantityAvailable }) => quantityAvailable),
    subscriptions: entries,
  })
}
