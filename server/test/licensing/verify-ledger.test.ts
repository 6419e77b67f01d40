import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { verifyLedger } from '../../src/licensing/verify-ledger.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'

let service: TestService
let owner: pg.Client
beforeAll(async () => {
  service = await startWorld()
  owner = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: service.connection.name })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await service.close()
})

/** What is found after somebody has done this past every trigger; it is taken back afterwards. */
async function after(statement: string): Promise<string[]> {
  await owner.query('set session_replication_role = replica')
  const tables = ['seats', 'subscriptions', 'license_ledger', 'license_revisions']
  for (const table of tables) await owner.query(`create temporary table kept_${table} as table ${table}`)
  const { rowCount } = await owner.query(statement)
  expect(rowCount).toBeGreaterThan(0)
  const found = await verifyLedger(service.ctx.db)
  for (const table of tables) {
    await owner.query(`delete from ${table}`)
    await owner.query(`insert into ${table} table kept_${table}`)
    await owner.query(`drop table kept_${table}`)
  }
  return found
}

test('what the service has written is as its ledger tells', async () => {
  expect(await verifyLedger(service.ctx.db)).toEqual([])
})

test.each([
  ['delete from seats', 'the seat is not as the ledger tells'],
  ["update seats set status = 'PARKED'", 'the seat is not as the ledger tells'],
  ['update subscriptions set quantity_purchased = 99', 'the subscription is not as the ledger tells'],
  ['update subscriptions set quantity_assigned = quantity_assigned + 1', 'counts other seats'],
  ['update license_revisions set revision = revision + 1', 'has a gap, or its revision is another'],
  ['delete from license_ledger where sequence = 1', 'has a gap, or its revision is another'],
  [`update license_ledger set before = '{}' where sequence = 1`, 'begins with something else'],
])('%s is found', async (statement, problem) => {
  expect(await after(statement)).toContainEqual(expect.stringContaining(problem))
  expect(await verifyLedger(service.ctx.db)).toEqual([])
})
