import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestPool } from '../support/database.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { ask } from '../tenants/walled-world.ts'
import {
  change,
  DAY,
  type Firm,
  grant,
  hire,
  hireLicensed,
  openFirm,
  renew,
  revoke,
  rowsOf,
  subscribe,
  type TypeName,
  type Worker,
} from './firm.ts'
import { fromTheStart, readOn, readRows } from './replay.ts'

// From the ledger alone the present can be told.

let service: TestService
let pool: pg.Pool
beforeAll(async () => {
  service = await startWorld()
  pool = openTestPool(service.connection.direct)
})
afterAll(async () => {
  await pool?.end()
  await service?.close()
})

const order = (text: string, values: unknown[] = []) => ask(service.ctx.db, text, values)

test('of a tenant that is gone the ledger tells that nothing is left', async () => {
  const firm = await openFirm(service)
  await hireLicensed(firm)
  await order('delete from tenants where id = $1', [firm.company.id])
  const told = await readOn(pool, firm.company.id, fromTheStart())
  expect(told).toEqual({ sequence: 4, seats: {}, subscriptions: {} })
})

/** A small generator of numbers, so that a history that fails can be told again. */
function newDice(seed: number) {
  let state = seed
  return (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

test.each([1, 2, 3])(
  'told again from its start, the ledger of a random history gives what there is (%i)',
  async (seed) => {
    const roll = newDice(seed)
    const firm = await openFirm(service, { seats: 4 })
    const basic = { ...firm, subscriptionId: (await subscribe(firm, 'basic', { quantityPurchased: 2 })).id }
    const people: Worker[] = []
    for (let count = 0; count < 7; count++) people.push(await hire(firm))
    const anyType = (): TypeName => (roll(2) === 0 ? 'basic' : 'pro')
    const anySubscription = () => (roll(2) === 0 ? basic : firm)
    const anybody = () => people[roll(people.length)] as Worker
    const setStatus = (status: string, { membershipId }: Worker) =>
      order('update memberships set status = $1, updated_at = now() where id = $2', [status, membershipId])
    const moves: (() => Promise<unknown>)[] = [
      () => grant(firm, anybody(), anyType()),
      () => grant(firm, anybody(), anyType()),
      () => revoke(firm, anybody()),
      () => change(firm, anybody(), anyType()),
      () => setStatus('SUSPENDED', anybody()),
      () => setStatus('ACTIVE', anybody()),
      () => order('delete from memberships where id = $1', [anybody().membershipId]),
      async () => {
        const worker = anybody()
        await employ(service, firm.company, worker).then(
          (membershipId) => Object.assign(worker, { membershipId }),
          () => {},
        )
      },
      () => renew(anySubscription(), { quantityPurchased: roll(6) }),
      () => renew(anySubscription(), { status: roll(2) === 0 ? 'EXPIRED' : 'ACTIVE' }),
      () => renew(anySubscription(), { currentPeriodEnd: new Date(service.ctx.now().getTime() + DAY) }),
      async () => service.advance(roll(2) * DAY),
    ]
    const ledger = fromTheStart()
    for (let step = 0; step < 80; step++) {
      await moves[roll(moves.length)]?.()
      if (step % 20 === 0) await expectTold(firm, ledger)
    }
    await expectTold(firm, ledger)
    expect((await rowsOf(firm)).length).toBeLessThanOrEqual(7)
    // From the very start once more, in one go.
    await expectTold(firm, fromTheStart())
  },
)

async function expectTold({ company }: Firm, from: ReturnType<typeof fromTheStart>): Promise<void> {
  const { seats, subscriptions, sequence } = await readOn(pool, company.id, from)
  expect({ seats, subscriptions }).toEqual(await readRows(pool, company.id))
  const text = 'select revision from license_revisions where tenant_id = $1'
  expect(await order(text, [company.id])).toEqual([{ revision: sequence }])
}
