import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSignedInUser, errorReply, type TestUser } from '../account/people.ts'
import { whileLocked } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addLicensedMember,
  addTenantMember,
  createLicensedTenant,
  type LicensedTenant,
  listSeatRows,
} from './licensed-tenant.ts'

// The permission of the caller is checked again after waiting for the lock of the tenant.

let service: TestService
let firm: LicensedTenant
beforeAll(async () => {
  service = await startDemoService()
  firm = await createLicensedTenant(service, { seats: 50 })
})
afterAll(() => service?.close())

/** An admin, with a token for the tenant. */
async function newAdmin(): Promise<{ admin: TestUser; authorization: string }> {
  const admin = await createSignedInUser(service)
  await insertMembership(service, firm.company, admin, { role: 'admin' })
  const { access_token } = await obtainTokens(service.url, admin.cookie, { tenant: firm.company.slug })
  return { admin, authorization: `Bearer ${access_token}` }
}

const LOSSES = [
  ['are suspended', `update memberships set status = 'SUSPENDED' where user_id = $1`],
  ['lose the admin role', `update memberships set role = 'member' where user_id = $1`],
  ['are removed', 'delete from memberships where user_id = $1'],
  ['are disabled', 'update users set disabled = true where id = $1'],
] as const

const ROUTES = ['grant', 'revoke', 'change', 'grant/bulk', 'revoke/bulk'] as const

test.each(LOSSES.flatMap(([loss, statement]) => ROUTES.map((route) => [loss, route, statement] as const)))(
  'admins who %s while they wait for the tenant are refused by %s',
  async (_, route, statement) => {
    const { admin, authorization } = await newAdmin()
    const worker = route.startsWith('grant') ? await addTenantMember(firm) : await addLicensedMember(firm)
    const before = await listSeatRows(firm)
    const row = {
      userId: worker.id,
      applicationId: firm.applicationId,
      licenseTypeId: firm.types[route === 'change' ? 'basic' : 'pro'],
    }
    const body = route === 'grant/bulk' ? { grants: [row] } : route === 'revoke/bulk' ? { revocations: [row] } : row
    const hold = {
      statement: 'select from tenants where id = $1 for no key update',
      values: [firm.company.id],
    }
    const { response } = await whileLocked(service, hold, async (waitFor) => {
      const url = `${service.url}/api/integration/licenses/${route}`
      const response = call(url, { method: 'POST', headers: { authorization }, body })
      await waitFor(1)
      // In the application, the transaction that holds the lock makes this change.
      await runSql(service.ctx.db, statement, [admin.id])
      return { response }
    })
    expect(await response).toMatchObject(errorReply(403, 'FORBIDDEN'))
    expect(await listSeatRows(firm)).toEqual(before)
  },
)
