import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestPool } from '../support/database.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addLicensedMember,
  addTenantMember,
  change,
  changeSubscription,
  createLicensedTenant,
  createSubscription,
  DAY_MS,
  grant,
  type LicensedTenant,
  listSeatRows,
  revoke,
  type TestMember,
  type TypeName,
} from './licensed-tenant.ts'
import { createReplay, type Replay, readLicenseState, replayLedger } from './replay.ts'

// The current state can be rebuilt from the ledger alone.

let service: TestService
let pool: pg.Pool
beforeAll(async () => {
  service = await startDemoService()
  pool = openTestPool(service.connection.direct)
})
afterAll(async () => {
  await pool?.end()
  await service?.close()
})

const execute = (text: string, values: unknown[] = []) => runSql(service.ctx.db, text, values)

test('the replayed ledger of a deleted tenant ends without seats and subscriptions', async () => {
  const firm = await createLicensedTenant(service)
  await addLicensedMember(firm)
  await execute('delete from tenants where id = $1', [firm.company.id])
  const replayed = await replayLedger(pool, firm.company.id, createReplay())
  expect(replayed).toEqual({ sequence: 4, seats: {}, subscriptions: {} })
})

/** A seeded random number generator, so that a failing history can be repeated. */
function createRandom(seed: number) {
  let state = seed
  return (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

test.each([1, 2, 3])('the replayed ledger of a random history matches the tables (%i)', async (seed) => {
  const random = createRandom(seed)
  const firm = await createLicensedTenant(service, { seats: 4 })
  const basic = {
    ...firm,
    subscriptionId: (await createSubscription(firm, 'basic', { quantityPurchased: 2 })).id,
  }
  const people: TestMember[] = []
  for (let count = 0; count < 7; count++) people.push(await addTenantMember(firm))
  const pickType = (): TypeName => (random(2) === 0 ? 'basic' : 'pro')
  const pickSubscription = () => (random(2) === 0 ? basic : firm)
  const pickWorker = () => people[random(people.length)] as TestMember
  const setStatus = (status: string, { membershipId }: TestMember) =>
    execute('update memberships set status = $1, updated_at = now() where id = $2', [status, membershipId])
  const actions: (() => Promise<unknown>)[] = [
    () => grant(firm, pickWorker(), pickType()),
    () => grant(firm, pickWorker(), pickType()),
    () => revoke(firm, pickWorker()),
    () => change(firm, pickWorker(), pickType()),
    () => setStatus('SUSPENDED', pickWorker()),
    () => setStatus('ACTIVE', pickWorker()),
    () => execute('delete from memberships where id = $1', [pickWorker().membershipId]),
    async () => {
      const worker = pickWorker()
      await insertMembership(service, firm.company, worker).then(
        (membershipId) => Object.assign(worker, { membershipId }),
        () => {},
      )
    },
    () => changeSubscription(pickSubscription(), { quantityPurchased: random(6) }),
    () => changeSubscription(pickSubscription(), { status: random(2) === 0 ? 'EXPIRED' : 'ACTIVE' }),
    () =>
      changeSubscription(pickSubscription(), {
        currentPeriodEnd: new Date(service.ctx.now().getTime() + DAY_MS),
      }),
    async () => service.advance(random(2) * DAY_MS),
  ]
  const replay = createReplay()
  for (let step = 0; step < 80; step++) {
    await actions[random(actions.length)]?.()
    if (step % 20 === 0) await expectReplayMatches(firm, replay)
  }
  await expectReplayMatches(firm, replay)
  expect((await listSeatRows(firm)).length).toBeLessThanOrEqual(7)
  // Again from the start, in a single pass.
  await expectReplayMatches(firm, createReplay())
})

async function expectReplayMatches({ company }: LicensedTenant, replay: Replay): Promise<void> {
  const { seats, subscriptions, sequence } = await replayLedger(pool, company.id, replay)
  expect({ seats, subscriptions }).toEqual(await readLicenseState(pool, company.id))
  const text = 'select revision from license_revisions where tenant_id = $1'
  expect(await execute(text, [company.id])).toEqual([{ revision: sequence }])
}
