import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { withoutChangeFeed } from '../support/without-change-feed.ts'
import { startDemoService } from '../support/world.ts'
import {
  addTenantMember,
  callAsOps,
  change,
  changeSubscription,
  check,
  createLicensedTenant,
  createSubscription,
  findLicenseType,
  getMachineToken,
  grant,
  type LicensedTenant,
  onNode,
  requireStatus,
  revoke,
  type TestMember,
} from './licensed-tenant.ts'

// A change is visible on its own node immediately and on other nodes shortly after, or immediately with minRevision.

let here: TestService
let there: TestService
beforeAll(async () => {
  here = await startDemoService()
  there = await startService({ sameDatabaseAs: here })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

let firm: LicensedTenant
let firmThere: LicensedTenant
let worker: TestMember
beforeEach(async () => {
  firm = await createLicensedTenant(here)
  firmThere = onNode(there, firm)
  await createSubscription(firm, 'basic', { quantityPurchased: 1 })
  worker = await addTenantMember(firm)
  // Fills the caches of both nodes.
  for (const view of [firm, firmThere]) expect(await findLicenseType(view, worker)).toBe(null)
})

describe('on the other node', () => {
  test('a grant, a change of type and a revocation become visible', async () => {
    await requireStatus(201, grant(firm, worker))
    await expect.poll(() => findLicenseType(firmThere, worker)).toBe('pro')
    await requireStatus(200, change(firm, worker, 'basic'))
    await expect.poll(() => findLicenseType(firmThere, worker)).toBe('basic')
    await requireStatus(200, revoke(firmThere, worker))
    await expect.poll(() => findLicenseType(firm, worker)).toBe(null)
  })

  test('changes of a subscription, a type and an application become visible', async () => {
    await requireStatus(201, grant(firm, worker))
    await expect.poll(() => findLicenseType(firmThere, worker)).toBe('pro')
    await requireStatus(200, changeSubscription(firm, { status: 'EXPIRED' }))
    await expect.poll(() => findLicenseType(firmThere, worker)).toBe(null)
    await requireStatus(200, changeSubscription(firm, { status: 'ACTIVE' }))
    await expect.poll(() => findLicenseType(firmThere, worker)).toBe('pro')
    const path = `/api/licensing/license-types/${firm.types.pro}`
    await requireStatus(200, callAsOps(here, 'PATCH', path, { slug: 'renamed' }))
    await expect.poll(() => findLicenseType(firmThere, worker)).toBe('renamed')
    const application = `/api/admin/applications/${firm.applicationId}`
    await requireStatus(200, callAsOps(here, 'PATCH', application, { licensingMode: 'FREE' }))
    await expect.poll(() => findLicenseType(firmThere, worker)).toBe('basic')
  })

  test('a check with minRevision is up to date immediately', async () => {
    const findFreshType = (minRevision: string | null, inHeader: boolean) =>
      inHeader
        ? findTypeByHeader(minRevision ?? '')
        : findLicenseType(firmThere, worker, { minRevision: minRevision ?? '' })
    for (const round of rounds(30)) {
      const granted = await requireStatus(201, grant(firm, worker))
      expect(await findFreshType(granted.headers.get('x-license-revision'), round % 2 === 0)).toBe('pro')
      const revoked = await requireStatus(200, revoke(firm, worker))
      expect(await findFreshType(revoked.headers.get('x-license-revision'), round % 2 === 1)).toBe(null)
    }
  })

  const findTypeByHeader = async (revision: string) => {
    const query = new URLSearchParams({ userId: worker.id, applicationId: firm.applicationId })
    const headers = {
      authorization: `Bearer ${await getMachineToken(firmThere)}`,
      'X-License-Min-Revision': revision,
    }
    const response = await fetch(`${there.url}/api/integration/licenses/type?${query}`, { headers })
    return ((await response.json()) as { licenseType: unknown }).licenseType
  }
})

describe('without change notifications', () => {
  test('no check is outdated, and no change is lost when notifications resume', async () => {
    await withoutChangeFeed([here, there], async () => {
      for (const _round of rounds(5)) {
        await requireStatus(201, grant(firm, worker))
        await expect.poll(() => findLicenseType(firmThere, worker)).toBe('pro')
        expect(await findLicenseType(firm, worker)).toBe('pro')
        await requireStatus(200, revoke(firm, worker))
        await expect.poll(() => findLicenseType(firmThere, worker)).toBe(null)
        expect(await findLicenseType(firm, worker)).toBe(null)
      }
      await requireStatus(201, grant(firm, worker))
    })
    await expect.poll(() => here.ctx.changes.isCurrent() && there.ctx.changes.isCurrent(), { timeout: 5000 }).toBe(true)
    // Waits until each listening connection is up to date, or is known to be broken.
    await Promise.all([here, there].map(({ ctx }) => ctx.changes.waitUntilCurrent()))
    expect([await findLicenseType(firm, worker), await findLicenseType(firmThere, worker)]).toEqual(['pro', 'pro'])
    await requireStatus(200, revoke(firm, worker))
    await expect.poll(() => findLicenseType(firmThere, worker)).toBe(null)
  })

  test('a direct change of the database between two listening connections is not missed', async () => {
    await requireStatus(201, grant(firm, worker))
    for (const view of [firm, firmThere]) await expect.poll(() => findLicenseType(view, worker)).toBe('pro')
    const client = new pg.Client(here.connection.direct)
    await client.connect()
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and query in ('listen latchkey_changes', 'select 1')`,
    )
    await client.query('delete from seats where user_id = $1', [worker.id])
    await client.end()
    for (const view of [firm, firmThere]) {
      await expect.poll(async () => (await check(view, worker)).hasLicense).toBe(false)
    }
  })
})
