import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { call, insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { startDemoService } from '../support/world.ts'
import {
  addLicensedMember,
  addTenantMember,
  createLicensedTenant,
  getMachineToken,
  grant,
  type LicensedTenant,
  NO_LICENSE,
  requireStatus,
  revoke,
  type TestMember,
} from './licensed-tenant.ts'

// A repeated check runs no statement.

let service: TestService
let watch: StatementWatch
beforeAll(async () => {
  service = await startDemoService()
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

describe('no statement is run', () => {
  let firm: LicensedTenant
  let holder: TestMember
  beforeAll(async () => {
    firm = await createLicensedTenant(service)
    holder = await addLicensedMember(firm)
  })

  const USERS: [string, () => Promise<string>, boolean][] = [
    ['with a license', async () => holder.id, true],
    ['without a license', async () => (await addTenantMember(firm)).id, false],
    ['who is not a member of any tenant', async () => (await insertUser(service)).id, false],
    ['with an unknown id', async () => newId(), false],
    ['with an invalid id', async () => 'not an id', false],
  ]
  const ROUTES: [string, string, string][] = [
    ['a check', 'GET', '/check?'],
    ['a check by POST', 'POST', '/check?'],
    ['a feature', 'GET', '/feature?featureKey=edit&'],
    ['a type', 'GET', '/type?'],
  ]

  test.each(USERS)('for repeated checks of a user %s', async (_, createUserId, licensed) => {
    const userId = await createUserId()
    const headers = { authorization: `Bearer ${await getMachineToken(firm)}` }
    const query = new URLSearchParams({ userId, applicationId: firm.applicationId })
    const send = (method: string, path: string) =>
      call(`${service.url}/api/integration/licenses${path}${query}`, { method, headers })
    const first = await send('GET', '/check?')
    expect(first.body.hasLicense).toBe(licensed)
    for (const [name, method, path] of ROUTES) {
      let status = 0
      const work = async () => {
        for (let count = 0; count < 3; count++) status = (await send(method, path)).status
      }
      expect([name, await watch.list(work), status]).toEqual([name, [], 200])
    }
    expect((await send('GET', '/check?')).body).toEqual(first.body)
  })

  /** Returns a function that checks users, always with the same token. */
  const createChecker = async (target: LicensedTenant) => {
    const headers = { authorization: `Bearer ${await getMachineToken(target)}` }
    return async (userId: string, extraQuery: Record<string, string> = {}) => {
      const query = new URLSearchParams({ userId, applicationId: target.applicationId, ...extraQuery })
      const url = `${service.url}/api/integration/licenses/check?${query}`
      return (await call(url, { method: 'GET', headers })).body
    }
  }

  test('if the cached revision satisfies minRevision', async () => {
    const other = await addTenantMember(firm)
    const check = await createChecker(firm)
    await check(holder.id)
    const { headers } = await requireStatus(201, grant(firm, other))
    const minRevision = headers.get('x-license-revision') ?? ''
    expect(await watch.count(() => check(holder.id, { minRevision }))).toBe(1)
    expect(await watch.list(() => check(holder.id, { minRevision }))).toEqual([])
    await requireStatus(200, revoke(firm, other))
  })

  test('to find that a subscription has ended', async () => {
    const currentPeriodEnd = new Date(service.ctx.now().getTime() + 60_000)
    const brief = await createLicensedTenant(service, { currentPeriodEnd })
    const worker = await addLicensedMember(brief)
    const check = await createChecker(brief)
    expect(await check(worker.id)).toMatchObject({ hasLicense: true })
    service.advance(61_000)
    // Refreshes other caches that expire with the clock.
    await check(newId())
    expect(await watch.list(async () => expect(await check(worker.id)).toEqual(NO_LICENSE))).toEqual([])
  })
})
