import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import { addLicensedMember, check, createLicensedTenant, listHolderIds, onNode } from './licensed-tenant.ts'

// The results do not depend on the time zone of the database.

let here: TestService
let there: TestService
beforeAll(async () => {
  here = await startDemoService()
  const [{ name }] = (await runSql<{ name: string }>(here.ctx.db, 'select current_database() as name')) as [
    { name: string },
  ]
  await sql`alter database ${sql.id(name)} set timezone to 'Pacific/Kiritimati'`.execute(here.ctx.db)
  there = await startService({ sameDatabaseAs: here })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

test('a license until the year 9999 is usable in every time zone', async () => {
  expect(await runSql<{ TimeZone: string }>(there.ctx.db, 'show timezone')).toEqual([
    { TimeZone: 'Pacific/Kiritimati' },
  ])
  const firm = await createLicensedTenant(here, { currentPeriodEnd: new Date('9999-12-31T23:59:59Z') })
  const worker = await addLicensedMember(firm)
  const results = [await check(firm, worker), await check(onNode(there, firm), worker)]
  expect(results[0]).toMatchObject({ hasLicense: true, assignedAt: expect.stringMatching(/Z$/) })
  expect(results[1]).toEqual(results[0])
  const second = await addLicensedMember(onNode(there, firm))
  expect(await listHolderIds(firm)).toEqual([worker.id, second.id])
  const rows = await runSql<{ at: string }>(
    there.ctx.db,
    `select after ->> 'assignedAt' as at from license_ledger where tenant_id = $1 and subject = 'seat'`,
    [firm.company.id],
  )
  expect(rows.map(({ at }) => at)).toEqual(Array(2).fill(expect.stringMatching(/T.*\.\d{3}Z$/)))
})
