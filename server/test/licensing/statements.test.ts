import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { machineToken, startDemoService } from '../support/world.ts'
import {
  addLicensedMember,
  addTenantMember,
  createLicensedTenant,
  createSubscription,
  getMachineToken,
  type LicensedTenant,
} from './licensed-tenant.ts'

// The number of statements of each route, including begin and commit. An increase must be made here on purpose.

let service: TestService
let watch: StatementWatch
let firm: LicensedTenant
let headers: Record<string, string>
let ops: Record<string, string>
beforeAll(async () => {
  service = await startDemoService()
  watch = await watchStatements(service)
  firm = await createLicensedTenant(service, { seats: 20 })
  await createSubscription(firm, 'basic', { quantityPurchased: 20 })
  headers = { authorization: `Bearer ${await getMachineToken(firm)}` }
  ops = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

const BASE_PATH = '/api/integration/licenses'
const toGrantRequest = (userId: string, type: 'basic' | 'pro' = 'pro') => ({
  userId,
  applicationId: firm.applicationId,
  licenseTypeId: firm.types[type],
})

const post = (path: string, body: unknown) => call(service.url + BASE_PATH + path, { method: 'POST', headers, body })
const get = (path: string, as = headers) => call(service.url + path, { method: 'GET', headers: as })

const createMemberId = async () => (await addTenantMember(firm)).id
const createHolderId = async () => (await addLicensedMember(firm)).id
const toQuery = (userId: string) => new URLSearchParams({ userId, applicationId: firm.applicationId })

const ROUTES: [string, number, () => Promise<string>, (userId: string) => Promise<{ status: number }>][] = [
  ['a check, the first time', 1, createHolderId, (id) => get(`${BASE_PATH}/check?${toQuery(id)}`)],
  ['a grant', 2, createMemberId, (id) => post('/grant', toGrantRequest(id))],
  ['a revocation', 2, createHolderId, (id) => post('/revoke', toGrantRequest(id))],
  ['a change', 8, createHolderId, (id) => post('/change', toGrantRequest(id, 'basic'))],
  ['a list of holders', 4, createHolderId, () => get(`${BASE_PATH}/apps/${firm.applicationId}/users`)],
  ['a count of holders', 4, createHolderId, () => get(`${BASE_PATH}/apps/${firm.applicationId}/count`)],
  ['an explanation', 2, createHolderId, (id) => get(`${BASE_PATH}/explain?${toQuery(id)}`)],
  ['an overview', 2, createHolderId, () => get(`/api/licensing/tenants/${firm.company.id}/license-overview`, ops)],
  ['a page of the ledger', 2, createHolderId, () => get(`/api/licensing/tenants/${firm.company.id}/ledger`, ops)],
]

test.each(ROUTES)('%s takes %i statements', async (_name, expectedCount, prepare, send) => {
  // Fills the caches about the caller.
  await get(`${BASE_PATH}/check?${toQuery(await createMemberId())}`)
  await get(`/api/licensing/tenants/${firm.company.id}/ledger?limit=1`, ops)
  const id = await prepare()
  const listed = await watch.list(async () => expect((await send(id)).status).toBeLessThan(300))
  const count = listed.reduce((sum, { calls }) => sum + calls, 0)
  expect({ count, listed }).toMatchObject({ count: expectedCount })
})

test('the holders are listed and counted in the tenant scope', async () => {
  for (const route of ['users', 'count']) {
    const listed = await watch.list(() => get(`${BASE_PATH}/apps/${firm.applicationId}/${route}`))
    expect(listed.map(({ query }) => query).join()).toContain('enter_tenant')
  }
})
