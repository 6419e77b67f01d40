import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, failure, newSomebody, type Somebody } from '../account/people.ts'
import { whileHeld } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { ask } from '../tenants/walled-world.ts'
import { type Firm, hire, hireLicensed, openFirm, rowsOf } from './firm.ts'

// Whoever waits for others who change the tenant may not be the same when it is their turn.

let service: TestService
let firm: Firm
beforeAll(async () => {
  service = await startWorld()
  firm = await openFirm(service, { seats: 50 })
})
afterAll(() => service?.close())

/** An admin, with a token that speaks for the firm. */
async function newAdmin(): Promise<{ admin: Somebody; authorization: string }> {
  const admin = await newSomebody(service)
  await employ(service, firm.company, admin, { role: 'admin' })
  const { access_token } = await obtainTokens(service.url, admin.cookie, { tenant: firm.company.slug })
  return { admin, authorization: `Bearer ${access_token}` }
}

const LOSSES = [
  ['are suspended', `update memberships set status = 'SUSPENDED' where user_id = $1`],
  ['become a member like others', `update memberships set role = 'member' where user_id = $1`],
  ['are removed', 'delete from memberships where user_id = $1'],
  ['are disabled', 'update users set disabled = true where id = $1'],
] as const

const DOORS = ['grant', 'revoke', 'change', 'grant/bulk', 'revoke/bulk'] as const

test.each(LOSSES.flatMap(([loss, statement]) => DOORS.map((door) => [loss, door, statement] as const)))(
  'those who %s while they wait do not %s',
  async (_, door, statement) => {
    const { admin, authorization } = await newAdmin()
    const worker = door.startsWith('grant') ? await hire(firm) : await hireLicensed(firm)
    const before = await rowsOf(firm)
    const row = {
      userId: worker.id,
      applicationId: firm.applicationId,
      licenseTypeId: firm.types[door === 'change' ? 'basic' : 'pro'],
    }
    const body =
      door === 'grant/bulk' ? { grants: [row] } : door === 'revoke/bulk' ? { revocations: [row] } : row
    const hold = {
      statement: 'select from tenants where id = $1 for no key update',
      values: [firm.company.id],
    }
    const { answer } = await whileHeld(service, hold, async (waitFor) => {
      const url = `${service.url}/api/integration/licenses/${door}`
      const sent = call(url, { method: 'POST', headers: { authorization }, body })
      await waitFor(1)
      // Like whoever holds the tenant would.
      await ask(service.ctx.db, statement, [admin.id])
      return { answer: sent }
    })
    expect(await answer).toMatchObject(failure(403, 'FORBIDDEN'))
    expect(await rowsOf(firm)).toEqual(before)
  },
)
