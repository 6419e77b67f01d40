import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { verifyLedger } from '../../src/licensing/verify-ledger.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'

let service: TestService
let owner: pg.Client
beforeAll(async () => {
  service = await startDemoService()
  owner = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: service.connection.name })
  await owner.connect()
})
afterAll(async () => {
  await owner.end()
  await service.close()
})

/** Runs a statement without triggers, verifies the ledger, and restores the tables. */
async function verifyAfter(statement: string): Promise<string[]> {
  await owner.query('set session_replication_role = replica')
  const tables = ['seats', 'subscriptions', 'license_ledger', 'license_revisions']
  for (const table of tables) await owner.query(`create temporary table kept_${table} as table ${table}`)
  const { rowCount } = await owner.query(statement)
  expect(rowCount).toBeGreaterThan(0)
  const problems = await verifyLedger(service.ctx.db)
  for (const table of tables) {
    await owner.query(`delete from ${table}`)
    await owner.query(`insert into ${table} table kept_${table}`)
    await owner.query(`drop table kept_${table}`)
  }
  return problems
}

test('the seats and subscriptions that the service wrote match the ledger', async () => {
  expect(await verifyLedger(service.ctx.db)).toEqual([])
})

test.each([
  ['delete from seats', 'the seat differs from the ledger'],
  ["update seats set status = 'PARKED'", 'the seat differs from the ledger'],
  ['update subscriptions set quantity_purchased = 99', 'the subscription differs from the ledger'],
  [
    'update subscriptions set quantity_assigned = quantity_assigned + 1',
    'counters of the subscription differ from its seats',
  ],
  ['update license_revisions set revision = revision + 1', 'has a gap or does not end at its revision'],
  ['delete from license_ledger where sequence = 1', 'has a gap or does not end at its revision'],
  [`update license_ledger set before = '{}' where sequence = 1`, 'differs from the state after the previous entry'],
])('%s is detected', async (statement, problem) => {
  expect(await verifyAfter(statement)).toContainEqual(expect.stringContaining(problem))
  expect(await verifyLedger(service.ctx.db)).toEqual([])
})
