import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addTenantMember,
  callAsOps,
  change,
  changeSubscription,
  check,
  createLicensedTenant,
  createSubscription,
  DAY_MS,
  findLicenseType,
  grant,
  type LicensedTenant,
  NO_LICENSE,
  requireStatus,
  revoke,
  type TestMember,
} from './licensed-tenant.ts'

// A cached check is never older than a previous reply of the same node.

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

interface Scene {
  firm: LicensedTenant
  worker: TestMember
  owner: TestUser
}

async function newScene(): Promise<Scene> {
  const firm = await createLicensedTenant(service)
  const owner = await createSignedInUser(service)
  await insertMembership(service, firm.company, owner, { role: 'owner' })
  await createSubscription(firm, 'basic', { quantityPurchased: 1 })
  return { firm, owner, worker: await addTenantMember(firm) }
}

const setStatus = ({ firm, owner, worker }: Scene, status: string) =>
  owner.call('PATCH', `/api/tenants/${firm.company.id}/members/${worker.membershipId}`, { status })
const setType = ({ firm }: Scene, change: object) =>
  callAsOps(service, 'PATCH', `/api/licensing/license-types/${firm.types.pro}`, change)
const setMode = ({ firm }: Scene, licensingMode: string) =>
  callAsOps(service, 'PATCH', `/api/admin/applications/${firm.applicationId}`, { licensingMode })
const yesterday = () => new Date(service.ctx.now().getTime() - DAY_MS)

const HELD = { hasLicense: true, licenseType: 'pro', features: ['edit', 'view'] }

/** Requests, and the result of the next check. The worker starts with a seat. */
const CHANGES: [string, ((scene: Scene) => Promise<{ status: number }>)[], object][] = [
  ['a revocation', [({ firm, worker }) => revoke(firm, worker)], NO_LICENSE],
  ['a change of the license type', [({ firm, worker }) => change(firm, worker, 'basic')], { licenseType: 'basic' }],
  ['a suspension', [(scene) => setStatus(scene, 'SUSPENDED')], NO_LICENSE],
  ['a reactivation', [(scene) => setStatus(scene, 'SUSPENDED'), (scene) => setStatus(scene, 'ACTIVE')], HELD],
  [
    'a removal',
    [
      ({ firm, owner, worker }) =>
        owner.call('DELETE', `/api/tenants/${firm.company.id}/members/${worker.membershipId}`),
    ],
    NO_LICENSE,
  ],
  ['changed features of the type', [(scene) => setType(scene, { features: { fly: true } })], { features: ['fly'] }],
  [
    'a changed name and slug of the type',
    [(scene) => setType(scene, { name: 'Premium', slug: 'premium' })],
    { licenseType: 'premium', licenseTypeName: 'Premium' },
  ],
  ['the archiving of the type, which keeps its seats', [(scene) => setType(scene, { status: 'ARCHIVED' })], HELD],
  ['a change of the application to FREE', [(scene) => setMode(scene, 'FREE')], { licenseType: 'basic' }],
  [
    'a change of the application to TENANT_WIDE and back',
    [
      (scene) => setMode(scene, 'TENANT_WIDE'),
      ({ firm, worker }) => revoke(firm, worker),
      (scene) => setMode(scene, 'PER_SEAT'),
    ],
    NO_LICENSE,
  ],
  ['an expired subscription', [({ firm }) => changeSubscription(firm, { status: 'EXPIRED' })], NO_LICENSE],
  [
    'a subscription whose end is past',
    [({ firm }) => changeSubscription(firm, { currentPeriodEnd: yesterday() })],
    NO_LICENSE,
  ],
  [
    'a renewed subscription',
    [
      ({ firm }) => changeSubscription(firm, { status: 'EXPIRED' }),
      ({ firm }) => changeSubscription(firm, { status: 'ACTIVE' }),
    ],
    HELD,
  ],
]

describe('the next check reflects', () => {
  test.each(CHANGES)('%s', async (_, steps, expected) => {
    const scene = await newScene()
    const { firm, worker } = scene
    expect(await check(firm, worker)).toEqual(NO_LICENSE)
    await requireStatus(201, grant(firm, worker))
    expect(await check(firm, worker)).toMatchObject(HELD)
    for (const step of steps) {
      expect((await step(scene)).status).toBe(200)
      await check(firm, worker)
    }
    expect(await check(firm, worker)).toMatchObject(expected)
  })

  test('a change to TENANT_WIDE, where the subscription with the highest displayOrder counts', async () => {
    const scene = await newScene()
    const { firm, worker } = scene
    expect(await check(firm, worker)).toEqual(NO_LICENSE)
    await requireStatus(200, setMode(scene, 'TENANT_WIDE'))
    expect(await findLicenseType(firm, worker)).toBe('pro')
    await requireStatus(200, setType(scene, { displayOrder: -5 }))
    expect(await findLicenseType(firm, worker)).toBe('basic')
    await requireStatus(200, setType(scene, { displayOrder: 5 }))
    expect(await findLicenseType(firm, worker)).toBe('pro')
    await requireStatus(200, changeSubscription(firm, { status: 'EXPIRED' }))
    expect(await findLicenseType(firm, worker)).toBe('basic')
  })

  test('a new subscription', async () => {
    const firm = await createLicensedTenant(service, { mode: 'TENANT_WIDE', status: 'EXPIRED' })
    const worker = await addTenantMember(firm)
    expect(await check(firm, worker)).toEqual(NO_LICENSE)
    await createSubscription(firm, 'basic', { quantityPurchased: 0 })
    expect(await findLicenseType(firm, worker)).toBe('basic')
  })

  test('a new type of a free application', async () => {
    const { firm, ...rest } = await newScene()
    await requireStatus(200, setMode({ firm, ...rest }, 'FREE'))
    expect(await findLicenseType(firm, rest.worker)).toBe('basic')
    const type = { applicationId: firm.applicationId, slug: 'gratis', name: 'Gratis', displayOrder: -1 }
    await requireStatus(201, callAsOps(service, 'POST', '/api/licensing/license-types', type))
    expect(await findLicenseType(firm, rest.worker)).toBe('gratis')
  })

  test.each(['FREE', 'TENANT_WIDE'] as const)('a new member of an application without seats (%s)', async (mode) => {
    const firm = await createLicensedTenant(service, { mode })
    const stranger = await insertUser(service)
    expect(await check(firm, stranger)).toEqual(NO_LICENSE)
    await insertMembership(service, firm.company, stranger)
    await service.ctx.changes.waitUntilCurrent()
    expect(await check(firm, stranger)).toMatchObject({ hasLicense: true })
  })

  test('a seat for a user who joined by an invitation', async () => {
    const { firm, owner } = await newScene()
    const guest = await createSignedInUser(service)
    expect(await check(firm, guest)).toEqual(NO_LICENSE)
    await requireStatus(201, owner.call('POST', `/api/tenants/${firm.company.id}/invitations`, { email: guest.email }))
    expect(await check(firm, guest)).toEqual(NO_LICENSE)
    const text = `update memberships set status = 'ACTIVE', joined_at = now(), invited_until = null
      where tenant_id = $1 and user_id = $2`
    await runSql(service.ctx.db, text, [firm.company.id, guest.id])
    await service.ctx.changes.waitUntilCurrent()
    await requireStatus(201, grant(firm, guest))
    expect(await findLicenseType(firm, guest)).toBe('pro')
  })

  test('a user who did not exist before', async () => {
    const firm = await createLicensedTenant(service, { mode: 'FREE' })
    const id = newId()
    expect(await check(firm, { id })).toEqual(NO_LICENSE)
    await insertUser(service, { id })
    await insertMembership(service, firm.company, { id })
    await service.ctx.changes.waitUntilCurrent()
    expect(await check(firm, { id })).toMatchObject({ hasLicense: true })
  })

  test('a user who deletes the account', async () => {
    const { firm } = await newScene()
    const leaver = await createSignedInUser(service)
    await insertMembership(service, firm.company, leaver)
    await requireStatus(201, grant(firm, leaver))
    expect(await findLicenseType(firm, leaver)).toBe('pro')
    const confirmation = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
    await requireStatus(200, leaver.call('DELETE', '/api/users/me', confirmation))
    expect(await check(firm, leaver)).toEqual(NO_LICENSE)
  })

  const DIRECT_CHANGES: [string, string, (scene: Scene) => unknown[]][] = [
    ['a disabled user', 'update users set disabled = true where id = $1', ({ worker }) => [worker.id]],
    ['a deleted seat', 'delete from seats where user_id = $1', ({ worker }) => [worker.id]],
    ['a deleted membership', 'delete from memberships where user_id = $1', ({ worker }) => [worker.id]],
    ['a deleted user', 'delete from users where id = $1', ({ worker }) => [worker.id]],
    ['a deleted subscription', 'delete from subscriptions where id = $1', ({ firm }) => [firm.subscriptionId]],
    [
      'a subscription that has ended',
      'update subscriptions set current_period_end = now() where id = $1',
      ({ firm }) => [firm.subscriptionId],
    ],
    ['a deleted type', 'delete from license_types where id = $1', ({ firm }) => [firm.types.pro]],
  ]
  test.each(DIRECT_CHANGES)('%s, changed directly in the database', async (_, text, values) => {
    const scene = await newScene()
    const { firm, worker, owner } = scene
    await requireStatus(201, grant(firm, worker))
    expect([await findLicenseType(firm, worker), await findLicenseType(firm, owner)]).toEqual(['pro', null])
    await runSql(service.ctx.db, text, values(scene))
    await service.ctx.changes.waitUntilCurrent()
    expect(await check(firm, worker)).toEqual(NO_LICENSE)
    expect(await findLicenseType(firm, owner)).toBe(text.startsWith('update seats') ? 'pro' : null)
  })

  test('a change after a check with minRevision', async () => {
    const { firm, worker, owner } = await newScene()
    expect(await check(firm, worker)).toEqual(NO_LICENSE)
    const { headers } = await requireStatus(201, grant(firm, owner))
    const minRevision = headers.get('x-license-revision') ?? ''
    expect(await check(firm, worker, { minRevision })).toEqual(NO_LICENSE)
    await requireStatus(201, grant(firm, worker))
    expect(await findLicenseType(firm, worker)).toBe('pro')
  })

  const toUpperCaseQueries = ({ firm, worker }: Scene): [{ id: string }, Record<string, string>][] => [
    [{ id: worker.id.toUpperCase() }, {}],
    [worker, { applicationId: firm.applicationId.toUpperCase() }],
  ]
  test.each([
    ['of the user', 0],
    ['of the application', 1],
  ])('a change, also when the id %s is in upper case', async (_, which) => {
    const scene = await newScene()
    const { firm, worker } = scene
    const [user, extraQuery] = toUpperCaseQueries(scene)[which] ?? [worker, {}]
    await requireStatus(201, grant(firm, worker))
    expect(await findLicenseType(firm, user, extraQuery)).toBe('pro')
    await requireStatus(200, revoke(firm, worker))
    expect(await check(firm, user, extraQuery)).toEqual(NO_LICENSE)
    await requireStatus(200, setMode(scene, 'FREE'))
    expect(await findLicenseType(firm, user, extraQuery)).toBe('basic')
  })
})
