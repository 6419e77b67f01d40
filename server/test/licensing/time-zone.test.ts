import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { ask } from '../tenants/walled-world.ts'
import { check, hireLicensed, holders, openFirm, seenFrom } from './firm.ts'

// Whoever runs the database may keep it in any time zone: a moment is the same everywhere.

let here: TestService
let there: TestService
beforeAll(async () => {
  here = await startWorld()
  const [{ name }] = (await ask<{ name: string }>(here.ctx.db, 'select current_database() as name')) as [
    { name: string },
  ]
  await sql`alter database ${sql.id(name)} set timezone to 'Pacific/Kiritimati'`.execute(here.ctx.db)
  there = await startService({ beside: here })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

test('a licence to the end of all years is good in every time zone', async () => {
  expect(await ask<{ TimeZone: string }>(there.ctx.db, 'show timezone')).toEqual([
    { TimeZone: 'Pacific/Kiritimati' },
  ])
  const firm = await openFirm(here, { currentPeriodEnd: new Date('9999-12-31T23:59:59Z') })
  const worker = await hireLicensed(firm)
  const answers = [await check(firm, worker), await check(seenFrom(there, firm), worker)]
  expect(answers[0]).toMatchObject({ hasLicense: true, assignedAt: expect.stringMatching(/Z$/) })
  expect(answers[1]).toEqual(answers[0])
  const second = await hireLicensed(seenFrom(there, firm))
  expect(await holders(firm)).toEqual([worker.id, second.id])
  const rows = await ask<{ at: string }>(
    there.ctx.db,
    `select after ->> 'assignedAt' as at from license_ledger where tenant_id = $1 and subject = 'seat'`,
    [firm.company.id],
  )
  expect(rows.map(({ at }) => at)).toEqual(Array(2).fill(expect.stringMatching(/T.*\.\d{3}Z$/)))
})
