import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRoutes } from '../../../src/app.ts'
import { loadConfig } from '../../../src/config.ts'
import { explain } from '../../../src/licensing/explain/service.ts'
import { findLicense } from '../../../src/licensing/licenses.ts'
import { call, createSignedInUser, errorReply, insertUser, listMailTo, type TestUser } from '../../account/people.ts'
import { callAsOps, changeSubscription, check, listSeatRows, requireStatus } from '../../licensing/licensed-tenant.ts'
import type { TestService } from '../../support/service.ts'
import { startDemoService } from '../../support/world.ts'
import { insertInvitation, insertMembership } from '../tenant-rows.ts'
import { createFixture, type Fixture, setSuspended } from './fixture.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service?.close())

const suspend = ({ firm }: Pick<Fixture, 'firm'>) => setSuspended(service, firm.company, true)
const reactivate = ({ firm }: Pick<Fixture, 'firm'>) => setSuspended(service, firm.company, false)
const SUSPENDED = errorReply(403, 'TENANT_SUSPENDED')

describe('the routes of a suspended tenant', () => {
  const tenantRoutes = listRoutes(loadConfig('demo', {})).routes.filter(({ caller }) => caller === 'member')
  const callRoute = (
    somebody: TestUser,
    { method, path }: (typeof tenantRoutes)[number],
    ids: Record<string, string>,
  ) => {
    const address = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown')
    const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
    return call(url + address, { method, headers, ...(method === 'GET' ? {} : { body: {} }) })
  }

  test('refuse every ACTIVE member with the reason, and others as before', async () => {
    const fixture = await createFixture(service)
    const { company } = fixture.firm
    const [invited, suspendedMember, nonMember] = [
      await createSignedInUser(service),
      await createSignedInUser(service),
      await createSignedInUser(service),
    ]
    const { id: invitationId } = await insertInvitation(service, company, { person: invited })
    await insertMembership(service, company, suspendedMember, { role: 'owner', status: 'SUSPENDED' })
    const membershipId = await insertMembership(service, company, await insertUser(service))
    const ids = { id: company.id, membershipId, invitationId }
    const others = [invited, suspendedMember, nonMember]
    const listErrors = (users: TestUser[]) =>
      Promise.all(
        users.flatMap((user) => tenantRoutes.map(async (route) => (await callRoute(user, route, ids)).body.error)),
      )
    const before = await listErrors(others)
    expect([...new Set(before)].sort()).toEqual(['FORBIDDEN', 'OWNER_REQUIRED'])
    await suspend(fixture)
    for (const member of [fixture.owner, fixture.admin, fixture.member]) {
      for (const route of tenantRoutes) expect(await callRoute(member, route, ids), route.path).toMatchObject(SUSPENDED)
    }
    expect(await listErrors(others)).toEqual(before)
  })

  test('do not replay a stored response for an Idempotency-Key', async () => {
    const fixture = await createFixture(service)
    const invite = () =>
      call(`${url}/api/tenants/${fixture.firm.company.id}/invitations`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${fixture.owner.tokens.access_token}`,
          'Idempotency-Key': 'the same key',
        },
        body: { email: 'guest@people.test' },
      })
    expect((await invite()).status).toBe(201)
    await suspend(fixture)
    expect(await invite()).toMatchObject(SUSPENDED)
  })
})

test('the seats are kept, and operators can still change subscriptions', async () => {
  const fixture = await createFixture(service)
  const { firm, worker } = fixture
  const before = await listSeatRows(firm)
  await suspend(fixture)
  expect(await listSeatRows(firm)).toEqual(before)
  await requireStatus(200, changeSubscription(firm, { quantityPurchased: 9 }))
  await reactivate(fixture)
  expect(await listSeatRows(firm)).toEqual(before)
  expect(await check(firm, worker)).toMatchObject({ hasLicense: true, licenseType: 'pro' })
})

test('license checks deny every license, and the explanation names the suspension', async () => {
  const fixture = await createFixture(service)
  const { firm, worker } = fixture
  const { ctx } = service
  const question = { tenantId: firm.company.id, userId: worker.id, applicationId: firm.applicationId }
  expect(await findLicense(ctx, question)).toMatchObject({ type: 'pro' })
  expect(await explain(ctx, question, undefined)).toMatchObject({ hasLicense: true, decidedBy: 'SEAT' })
  await suspend(fixture)
  expect(await findLicense(ctx, question)).toBe(undefined)
  const explanation = await explain(ctx, question, undefined)
  const path = `/api/admin/tenants/${firm.company.id}`
  expect(explanation).toMatchObject({
    hasLicense: false,
    decidedBy: 'TENANT',
    message: 'The tenant is suspended.',
    remedy: { method: 'PATCH', path, body: { suspended: false } },
  })
  expect(explanation.steps.map((step) => step.check)).toEqual([
    'TENANT',
    'USER',
    'MEMBERSHIP',
    'MFA_POLICY',
    'SUBSCRIPTION',
    'SEAT',
  ])
  await requireStatus(200, callAsOps(service, 'PATCH', path, explanation.remedy?.body))
  expect(await explain(ctx, question, undefined)).toMatchObject({ hasLicense: true })
})

describe('notifications of a suspension', () => {
  test('owners and admins get one mail when it begins and one when it ends', async () => {
    const fixture = await createFixture(service)
    const { owner, admin, member, firm } = fixture
    const disabledOwner = await insertUser(service, { disabled: true })
    await insertMembership(service, firm.company, disabledOwner, { role: 'owner' })
    const subjects = async ({ email }: { email: string }) =>
      (await listMailTo(service, email)).map(({ subject }) => subject).filter((text) => text.includes('suspended'))
    for (let round = 0; round < 2; round++) await suspend(fixture)
    const name = `"${firm.company.name}"`
    for (const recipient of [owner, admin]) expect(await subjects(recipient)).toEqual([`${name} is suspended`])
    for (let round = 0; round < 2; round++) await reactivate(fixture)
    for (const recipient of [owner, admin]) {
      expect(await subjects(recipient)).toEqual([`${name} is not suspended any more`, `${name} is suspended`])
    }
    for (const other of [member, disabledOwner]) expect(await subjects(other)).toEqual([])
  })

  test('the audit log records once who began and who ended it', async () => {
    const fixture = await createFixture(service)
    for (let round = 0; round < 2; round++) await suspend(fixture)
    for (let round = 0; round < 2; round++) await reactivate(fixture)
    const entries = await service.ctx.db
      .selectFrom('audit_entries')
      .select(['action', 'actor_kind', 'actor_id', 'details'])
      .where('tenant_id', '=', fixture.firm.company.id)
      .where('action', 'like', 'tenant.%')
      .orderBy('id')
      .execute()
    const actor = { actor_kind: 'client', actor_id: 'demo-ops' }
    const state = (suspended: boolean) => ({ before: { suspended: !suspended }, after: { suspended } })
    expect(entries).toEqual([
      { ...actor, action: 'tenant.suspended', details: state(true) },
      { ...actor, action: 'tenant.reactivated', details: state(false) },
    ])
  })
})
