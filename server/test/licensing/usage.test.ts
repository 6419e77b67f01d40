import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { newSomebody, type Somebody } from '../account/people.ts'
import { asOwner } from '../support/crowd.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { change, DAY, type Firm, grant, hire, openFirm, renew, revoke, subscribe } from './firm.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

type Usage = { day: string; purchased: number; assigned: number }[]

async function newOwner(firm: Firm): Promise<Somebody> {
  const owner = await newSomebody(service)
  await employ(service, firm.company, owner, { role: 'owner' })
  return owner
}

const pathOf = ({ company, applicationId }: Firm) =>
  `/api/tenants/${company.id}/licenses/${applicationId}/usage`

async function usage(firm: Firm, person: Somebody, query = ''): Promise<Usage> {
  const { status, body } = await person.call('GET', pathOf(firm) + query)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.days as Usage
}

const numbers = (days: Usage) => days.map(({ purchased, assigned }) => [purchased, assigned])

const dayBefore = (days: number) =>
  new Date(service.ctx.now().getTime() - days * DAY).toISOString().slice(0, 10)

/** Everything that the ledger tells of a firm happened so many days earlier than it did. */
const age = (firm: Firm, days: number): Promise<unknown> =>
  asOwner(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(
      `update license_ledger set occurred_at = occurred_at - make_interval(hours => 24 * $2) where tenant_id = $1`,
      [firm.company.id, days],
    )
  })

/** What the lists of the present say. */
async function present(firm: Firm, person: Somebody): Promise<[number, number]> {
  const { body } = await person.call('GET', `/api/tenants/${firm.company.id}/licenses`)
  const applications = body.applications as { id: string; seats: { purchased: number; assigned: number } }[]
  const { purchased, assigned } = applications.find(({ id }) => id === firm.applicationId)?.seats ?? {
    purchased: 0,
    assigned: 0,
  }
  return [purchased, assigned]
}

describe('the use of seats, day by day', () => {
  test('has an entry for every day up to today, the oldest first', async () => {
    const firm = await openFirm(service)
    const owner = await newOwner(firm)
    const days = await usage(firm, owner)
    expect(days).toHaveLength(90)
    expect(days.map(({ day }) => day)).toEqual(
      Array.from({ length: 90 }, (_, index) => dayBefore(89 - index)),
    )
    expect(await usage(firm, owner, '?days=1')).toEqual([{ day: dayBefore(0), purchased: 5, assigned: 0 }])
    expect(await usage(firm, owner, '?days=366')).toHaveLength(366)
  })

  test('follows the ledger back: grants, changes, revocations, more seats, and nothing before the first', async () => {
    const firm = await openFirm(service, { seats: 2 })
    const owner = await newOwner(firm)
    const [one, two] = [await hire(firm), await hire(firm)]
    await grant(firm, one)
    // Whatever was done until now was done five days ago.
    await age(firm, 2)
    await grant(firm, two)
    await renew(firm, { quantityPurchased: 6 })
    await subscribe(firm, 'basic', { quantityPurchased: 10 })
    await age(firm, 2)
    await change(firm, one, 'basic')
    await revoke(firm, two)
    await age(firm, 1)
    const days = await usage(firm, owner, '?days=7')
    expect(numbers(days)).toEqual([
      [0, 0],
      [2, 1],
      [2, 1],
      [16, 2],
      [16, 2],
      [16, 1],
      [16, 1],
    ])
    expect(numbers(days).at(-1)).toEqual(await present(firm, owner))
    // A shorter look shows the same days.
    expect(await usage(firm, owner, '?days=3')).toEqual(days.slice(-3))
  })

  test('counts what had run out by the clock of each day', async () => {
    const end = new Date(service.ctx.now().getTime() - 2 * DAY)
    const firm = await openFirm(service, { seats: 3 })
    const owner = await newOwner(firm)
    await grant(firm, await hire(firm))
    await renew(firm, { currentPeriodEnd: end })
    await age(firm, 4)
    expect(numbers(await usage(firm, owner, '?days=6'))).toEqual([
      [0, 0],
      [3, 1],
      [3, 1],
      [0, 0],
      [0, 0],
      [0, 0],
    ])
    expect(await present(firm, owner)).toEqual([0, 0])
  })

  test('tells also of a subscription that is gone', async () => {
    const firm = await openFirm(service, { seats: 3 })
    const owner = await newOwner(firm)
    await grant(firm, await hire(firm))
    await age(firm, 1)
    await service.ctx.db.deleteFrom('subscriptions').where('id', '=', firm.subscriptionId).execute()
    expect(numbers(await usage(firm, owner, '?days=3'))).toEqual([
      [0, 0],
      [3, 1],
      [0, 0],
    ])
  })

  test('ends with the present whatever happens meanwhile, also a clock that is behind', async () => {
    const firm = await openFirm(service, { seats: 4 })
    const owner = await newOwner(firm)
    const workers = [await hire(firm), await hire(firm), await hire(firm)]
    const [first] = workers
    await Promise.all(workers.map((worker) => grant(firm, worker)))
    const membership = `/api/tenants/${firm.company.id}/members/${first?.membershipId}`
    await owner.call('PATCH', membership, { status: 'SUSPENDED' })
    expect(numbers(await usage(firm, owner)).at(-1)).toEqual([4, 2])
    await owner.call('PATCH', membership, { status: 'ACTIVE' })
    expect(numbers(await usage(firm, owner)).at(-1)).toEqual([4, 3])
    await owner.call('DELETE', membership)
    const days = await usage(firm, owner, '?days=2')
    expect(numbers(days)).toEqual([
      [0, 0],
      [4, 2],
    ])
    await age(firm, -2)
    expect(await usage(firm, owner, '?days=2')).toEqual(days)
  })

  test('reads the present and the ledger at one moment, while seats are given and taken', async () => {
    const firm = await openFirm(service, { seats: 4 })
    const owner = await newOwner(firm)
    const workers = [await hire(firm), await hire(firm), await hire(firm)]
    await age(firm, 1)
    let busy = true
    const work = Promise.all(
      workers.map(async (worker) => {
        for (let round = 0; round < 6; round++) {
          await grant(firm, worker)
          await revoke(firm, worker)
        }
      }),
    ).then(() => {
      busy = false
    })
    while (busy) {
      const [yesterday] = numbers(await usage(firm, owner, '?days=2'))
      // Whatever happens today has not happened then.
      expect(yesterday).toEqual([4, 0])
    }
    await work
  })

  test('is for members of the tenant, and for what there is', async () => {
    const [firm, other] = [await openFirm(service), await openFirm(service)]
    const owner = await newOwner(firm)
    const plain = await newSomebody(service)
    await employ(service, firm.company, plain)
    expect(await usage(firm, plain)).toEqual(await usage(firm, owner))
    expect((await owner.call('GET', pathOf(other))).status).toBe(403)
    // Nothing of what the other tenant does with its own application.
    const theirs = await usage({ ...firm, applicationId: other.applicationId }, owner)
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
