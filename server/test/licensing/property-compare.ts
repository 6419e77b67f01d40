import { expect } from 'vitest'
import { checkLicense } from '../../src/licensing/checks/service.ts'
import { countLicenseHolders, listLicenseHolders } from '../../src/licensing/holders/service.ts'
import { getLicenseOverview } from '../../src/licensing/subscriptions/service.ts'
import type { Model } from './property-model.ts'
import type { World } from './property-world.ts'
import { type Replay, readLicenseState, replayLedger } from './replay.ts'

/** Expects every API, the tables and the ledger to agree with the model. */
export async function expectAgreement(world: World, model: Model, replay: Replay): Promise<void> {
  const {
    tenantId,
    service: { ctx },
  } = world
  const now = ctx.now().getTime()
  const toSlug = (type: number | undefined) => (type === undefined ? null : `type-${type + 1}`)
  for (const [index, applicationId] of world.applications.entries()) {
    const actual: unknown[] = []
    const expected: unknown[] = []
    const assignedAtByUser = new Map<string, string | undefined>()
    for (const [person, userId] of world.people.entries()) {
      const held = model.findHeldType(person, index, now)
      const result = await checkLicense(ctx, { tenantId, userId, applicationId })
      const { hasLicense, licenseType, features, assignedAt } = result
      assignedAtByUser.set(userId, assignedAt)
      actual.push({ person, hasLicense, licenseType, features })
      expected.push({
        person,
        hasLicense: held !== undefined,
        licenseType: toSlug(held),
        features: held === undefined ? [] : [`f${held + 1}`],
      })
    }
    expect({ application: index, actual }).toEqual({ application: index, actual: expected })
    const holders = await listLicenseHolders(ctx, { tenantId, applicationId })
    const times = holders.map(({ assignedAt }) => assignedAt.getTime())
    expect(times).toEqual([...times].sort((a, b) => a - b))
    for (const { userId, assignedAt } of holders) {
      expect(assignedAt.toISOString()).toBe(assignedAtByUser.get(userId))
    }
    const actualTypes = holders.map(({ userId, licenseType }) => [world.people.indexOf(userId), licenseType])
    const expectedTypes = world.people.flatMap((_, person) => {
      const held = model.findHeldType(person, index, now)
      return held === undefined ? [] : [[person, toSlug(held)]]
    })
    expect({ application: index, holders: actualTypes.sort() }).toEqual({
      application: index,
      holders: expectedTypes,
    })
    expect(await countLicenseHolders(ctx, { tenantId, applicationId })).toBe(expectedTypes.length)
  }
  await expectRowAgreement(world, model, replay)
  if (!model.tenantDeleted) await expectOverviewAgreement(world, model, now)
}

async function expectRowAgreement(world: World, model: Model, replay: Replay): Promise<void> {
  const rows = await readLicenseState(world.db, world.tenantId)
  const { sequence, ...replayed } = await replayLedger(world.db, world.tenantId, replay)
  expect(replayed).toEqual(rows)
  const now = world.service.ctx.now().getTime()
  const describe = (person: number, type: number, status: string) => `person ${person}, type ${type}: ${status}`
  const seats = Object.values(rows.seats) as { userId: string; licenseTypeId: string; status: string }[]
  const actual = seats.map(({ userId, licenseTypeId, status }) =>
    describe(world.people.indexOf(userId), world.types.indexOf(licenseTypeId), status),
  )
  const describeAll = (list: typeof model.seats) => list.map((seat) => describe(seat.person, seat.type, seat.status))
  // Reservations for expired invitations may or may not be released yet.
  const required = describeAll(model.listValidSeats(now))
  const allowed = describeAll(model.seats)
  expect(required.filter((seat) => !actual.includes(seat))).toEqual([])
  expect(actual.filter((seat) => !allowed.includes(seat))).toEqual([])
}

async function expectOverviewAgreement(world: World, model: Model, now: number): Promise<void> {
  const entries = [...model.terms.entries()]
    .sort(([a], [b]) => a - b)
    .map(([type, terms]) => {
      const assigned = model.seats.filter((seat) => seat.type === type && seat.status === 'ASSIGNED').length
      return {
        licenseTypeId: world.types[type],
        quantityPurchased: terms.seats,
        quantityAssigned: assigned,
        quantityAvailable: Math.max(0, terms.seats - model.countInUse(type, now)),
        status: model.isUsable(type, now) ? terms.status : 'EXPIRED',
      }
    })
  const usable = entries.filter((entry) => entry.status !== 'EXPIRED')
  const sum = (pick: (entry: (typeof usable)[number]) => number) =>
    usable.reduce((total, entry) => total + pick(entry), 0)
  expect(await getLicenseOverview(world.service.ctx, world.tenantId)).toMatchObject({
    totalSeatsOwned: sum(({ quantityPurchased }) => quantityPurchased),
    totalSeatsAssigned: sum(({ quantityAssigned }) => quantityAssigned),
    totalSeatsAvailable: sum(({ quantityAvailable }) => quantityAvailable),
    subscriptions: entries,
  })
}
