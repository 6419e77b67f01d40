import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDurabilityCheck } from '../../src/db/durable.ts'
import { isReachable } from '../../src/db/ping.ts'
import { adminOf } from '../support/database.ts'
import { whileLocked } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import {
  addTenantMember,
  addTenantMembers,
  createLicensedTenant,
  findLicenseType,
  grant,
  type LicensedTenant,
} from './licensed-tenant.ts'

// Changes of seats commit asynchronously. Only a connection that was opened before the commit can confirm that it is
// durable: a later one may lead to another server, or to the same server after a crash.

let service: TestService
let firm: LicensedTenant
beforeAll(async () => {
  service = await startDemoService()
  firm = await createLicensedTenant(service, { seats: 50 })
})
afterAll(() => service.close())

/** Terminates the connection that confirms durability. */
async function terminateDurabilityConnection(): Promise<void> {
  const admin = await adminOf(service.connection.direct.host ?? '')
  const { rowCount } = await admin.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = $1 and query like '%pg_logical_emit_message%' and pid <> pg_backend_pid()`,
    [service.connection.name],
  )
  await admin.end()
  expect(rowCount).toBe(1)
}

test('a durability check fails once its connection is lost, and a new one succeeds', async () => {
  const durabilityCheck = await openDurabilityCheck(service.ctx.db)
  await durabilityCheck.waitUntilDurable()
  await terminateDurabilityConnection()
  await expect(durabilityCheck.waitUntilDurable()).rejects.toThrow(/^Connection terminated/)
  expect(await isReachable(service.ctx.db)).toBe(true)
  await (await openDurabilityCheck(service.ctx.db)).waitUntilDurable()
})

test('a grant is not acknowledged if its durability cannot be confirmed', async () => {
  const worker = await addTenantMember(firm)
  await grant(firm, await addTenantMember(firm))
  const hold = { statement: 'select from tenants where id = $1 for update', values: [firm.company.id] }
  const waiting = await whileLocked(service, hold, async (waitFor) => {
    // This grant waits in its own transaction, because the shared statement does not wait for locks.
    const response = grant(firm, worker)
    await waitFor(1)
    await terminateDurabilityConnection()
    return { response }
  })
  const { status, headers } = await waiting.response
  expect([status, headers.get('retry-after')]).toEqual([503, '2'])
  // The seat was granted anyway, so a repeated request is refused.
  expect((await grant(firm, worker)).status).toBe(400)
  expect(await findLicenseType(firm, worker)).toBe('pro')
})

test('concurrent grants share the wait for durability', async () => {
  const workers = await addTenantMembers(firm, 10)
  const responses = await Promise.all(workers.map((worker) => grant(firm, worker)))
  expect(responses.map(({ status }) => status)).toEqual(workers.map(() => 201))
})
