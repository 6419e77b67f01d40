import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { asSuperuser } from '../support/many-users.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addTenantMember,
  change,
  changeSubscription,
  createLicensedTenant,
  createSubscription,
  DAY_MS,
  grant,
  type LicensedTenant,
  revoke,
} from './licensed-tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

type Usage = { day: string; purchased: number; assigned: number }[]

async function newOwner(firm: LicensedTenant): Promise<TestUser> {
  const owner = await createSignedInUser(service)
  await insertMembership(service, firm.company, owner, { role: 'owner' })
  return owner
}

const pathOf = ({ company, applicationId }: LicensedTenant) =>
  `/api/tenants/${company.id}/licenses/${applicationId}/usage`

async function listUsage(firm: LicensedTenant, person: TestUser, query = ''): Promise<Usage> {
  const { status, body } = await person.call('GET', pathOf(firm) + query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.days as Usage
}

const toPairs = (days: Usage) => days.map(({ purchased, assigned }) => [purchased, assigned])

const daysAgo = (days: number) => new Date(service.ctx.now().getTime() - days * DAY_MS).toISOString().slice(0, 10)

/** Moves all ledger entries of a firm back by some days. */
const backdateLedger = (firm: LicensedTenant, days: number): Promise<unknown> =>
  asSuperuser(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(
      `update license_ledger set occurred_at = occurred_at - make_interval(hours => 24 * $2) where tenant_id = $1`,
      [firm.company.id, days],
    )
  })

/** Reads the current seats from the list of licensed applications. */
async function readCurrent(firm: LicensedTenant, person: TestUser): Promise<[number, number]> {
  const { body } = await person.call('GET', `/api/tenants/${firm.company.id}/licenses`)
  const applications = body.applications as { id: string; seats: { purchased: number; assigned: number } }[]
  const { purchased, assigned } = applications.find(({ id }) => id === firm.applicationId)?.seats ?? {
    purchased: 0,
    assigned: 0,
  }
  return [purchased, assigned]
}

describe('the daily usage of seats', () => {
  test('has an entry for every day up to today, oldest first', async () => {
    const firm = await createLicensedTenant(service)
    const owner = await newOwner(firm)
    const days = await listUsage(firm, owner)
    expect(days).toHaveLength(90)
    expect(days.map(({ day }) => day)).toEqual(Array.from({ length: 90 }, (_, index) => daysAgo(89 - index)))
    expect(await listUsage(firm, owner, '?days=1')).toEqual([{ day: daysAgo(0), purchased: 5, assigned: 0 }])
    expect(await listUsage(firm, owner, '?days=366')).toHaveLength(366)
  })

  test('reflects grants, changes, revocations and purchases of past days, and is zero before the first', async () => {
    const firm = await createLicensedTenant(service, { seats: 2 })
    const owner = await newOwner(firm)
    const [one, two] = [await addTenantMember(firm), await addTenantMember(firm)]
    await grant(firm, one)
    // With the later calls, the entries up to here are five days old.
    await backdateLedger(firm, 2)
    await grant(firm, two)
    await changeSubscription(firm, { quantityPurchased: 6 })
    await createSubscription(firm, 'basic', { quantityPurchased: 10 })
    await backdateLedger(firm, 2)
    await change(firm, one, 'basic')
    await revoke(firm, two)
    await backdateLedger(firm, 1)
    const days = await listUsage(firm, owner, '?days=7')
    expect(toPairs(days)).toEqual([
      [0, 0],
      [2, 1],
      [2, 1],
      [16, 2],
      [16, 2],
      [16, 1],
      [16, 1],
    ])
    expect(toPairs(days).at(-1)).toEqual(await readCurrent(firm, owner))
    // A shorter range has the same values.
    expect(await listUsage(firm, owner, '?days=3')).toEqual(days.slice(-3))
  })

  test('decides by the time of each day whether a subscription had ended', async () => {
    const end = new Date(service.ctx.now().getTime() - 2 * DAY_MS)
    const firm = await createLicensedTenant(service, { seats: 3 })
    const owner = await newOwner(firm)
    await grant(firm, await addTenantMember(firm))
    await changeSubscription(firm, { currentPeriodEnd: end })
    await backdateLedger(firm, 4)
    expect(toPairs(await listUsage(firm, owner, '?days=6'))).toEqual([
      [0, 0],
      [3, 1],
      [3, 1],
      [0, 0],
      [0, 0],
      [0, 0],
    ])
    expect(await readCurrent(firm, owner)).toEqual([0, 0])
  })

  test('includes deleted subscriptions', async () => {
    const firm = await createLicensedTenant(service, { seats: 3 })
    const owner = await newOwner(firm)
    await grant(firm, await addTenantMember(firm))
    await backdateLedger(firm, 1)
    await service.ctx.db.deleteFrom('subscriptions').where('id', '=', firm.subscriptionId).execute()
    expect(toPairs(await listUsage(firm, owner, '?days=3'))).toEqual([
      [0, 0],
      [3, 1],
      [0, 0],
    ])
  })

  test('ends with the current state, also when ledger entries are dated in the future', async () => {
    const firm = await createLicensedTenant(service, { seats: 4 })
    const owner = await newOwner(firm)
    const workers = [await addTenantMember(firm), await addTenantMember(firm), await addTenantMember(firm)]
    const [first] = workers
    await Promise.all(workers.map((worker) => grant(firm, worker)))
    const membership = `/api/tenants/${firm.company.id}/members/${first?.membershipId}`
    await owner.call('PATCH', membership, { status: 'SUSPENDED' })
    expect(toPairs(await listUsage(firm, owner)).at(-1)).toEqual([4, 2])
    await owner.call('PATCH', membership, { status: 'ACTIVE' })
    expect(toPairs(await listUsage(firm, owner)).at(-1)).toEqual([4, 3])
    await owner.call('DELETE', membership)
    const days = await listUsage(firm, owner, '?days=2')
    expect(toPairs(days)).toEqual([
      [0, 0],
      [4, 2],
    ])
    await backdateLedger(firm, -2)
    expect(await listUsage(firm, owner, '?days=2')).toEqual(days)
  })

  test('reads the current state and the ledger in one snapshot during grants and revocations', async () => {
    const firm = await createLicensedTenant(service, { seats: 4 })
    const owner = await newOwner(firm)
    const workers = [await addTenantMember(firm), await addTenantMember(firm), await addTenantMember(firm)]
    await backdateLedger(firm, 1)
    let isBusy = true
    const work = Promise.all(
      workers.map(async (worker) => {
        for (let round = 0; round < 6; round++) {
          await grant(firm, worker)
          await revoke(firm, worker)
        }
      }),
    ).then(() => {
      isBusy = false
    })
    while (isBusy) {
      const [yesterday] = toPairs(await listUsage(firm, owner, '?days=2'))
      // The changes of today do not affect yesterday.
      expect(yesterday).toEqual([4, 0])
    }
    await work
  })

  test('is for every member of the tenant and no one else, and refuses unknown applications', async () => {
    const [firm, other] = [await createLicensedTenant(service), await createLicensedTenant(service)]
    const owner = await newOwner(firm)
    const plain = await createSignedInUser(service)
    await insertMembership(service, firm.company, plain)
    expect(await listUsage(firm, plain)).toEqual(await listUsage(firm, owner))
    expect((await owner.call('GET', pathOf(other))).status).toBe(403)
    // The usage of another tenant is not disclosed.
    const theirs = await listUsage({ ...firm, applicationId: other.applicationId }, owner)
    expect(theirs.every(({ purchased, assigned }) => purchased === 0 && assigned === 0)).toBe(true)
    const elsewhere = { ...firm, company: { ...firm.company, id: newId() } }
    expect((await owner.call('GET', pathOf(elsewhere))).status).toBe(404)
    for (const applicationId of [newId(), 'nothing']) {
      expect(await owner.call('GET', pathOf({ ...firm, applicationId }))).toMatchObject({
        status: 400,
        body: { error: 'INVALID_APPLICATION_ID' },
      })
    }
    for (const days of ['0', '367', '-1', '1.5', 'all', '']) {
      expect(await owner.call('GET', `${pathOf(firm)}?days=${days}`)).toMatchObject({
        status: 422,
        body: { details: [{ field: 'days' }] },
      })
    }
  })
})
