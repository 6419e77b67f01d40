import { afterAll, beforeAll, expect, test } from 'vitest'
import { getActionDefinition } from '../../../src/audit/catalog.ts'
import { createSignedInUser, insertUser, type TestUser } from '../../account/people.ts'
import { callAsOps, requireStatus } from '../../licensing/licensed-tenant.ts'
import { collide } from '../../support/locks.ts'
import type { TestService } from '../../support/service.ts'
import { PASSWORD, startDemoService } from '../../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenant-rows.ts'

// Changes by operators are recorded in the audit log of the tenant, with the operator as the actor.

let service: TestService
let superAdmin: TestUser
beforeAll(async () => {
  service = await startDemoService()
  superAdmin = await createSignedInUser(service, { is_super_admin: true })
})
afterAll(() => service?.close())

const entriesOf = ({ id }: { id: string }) =>
  service.ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_kind', 'actor_id', 'user_id', 'details', 'request_id'])
    .where('tenant_id', '=', id)
    .orderBy('id')
    .execute()

test('every change by a super admin is recorded with its state before and after', async () => {
  const person = await insertUser(service)
  const draft = { name: 'Audited', slug: 'audited', settings: { a: 1 }, ownerId: person.id }
  const { body } = await requireStatus(201, superAdmin.call('POST', '/api/admin/tenants', draft))
  const tenant = body as unknown as TestTenant
  const path = `/api/admin/tenants/${tenant.id}`
  await requireStatus(200, superAdmin.call('PATCH', path, { slug: 'audited-anew', suspended: true, name: 'Audited' }))
  const second = await insertUser(service)
  await requireStatus(201, superAdmin.call('POST', `${path}/members`, { userId: second.id, role: 'owner' }))
  await requireStatus(200, superAdmin.call('PATCH', `${path}/members/${second.id}`, { role: 'admin' }))
  await requireStatus(200, superAdmin.call('DELETE', `${path}/members/${second.id}`))
  await requireStatus(200, superAdmin.call('PATCH', path, { suspended: false }))
  await requireStatus(200, superAdmin.call('DELETE', path))
  const active = { role: 'owner', status: 'ACTIVE' }
  const entries = await entriesOf(tenant)
  expect(entries.map(({ action, user_id, details }) => [action, user_id, details])).toEqual([
    [
      'tenant.created',
      null,
      { after: { name: 'Audited', slug: 'audited', mfaPolicy: 'OPTIONAL', settings: { a: 1 } } },
    ],
    ['member.added', person.id, { after: active }],
    ['tenant.changed', null, { before: { slug: 'audited' }, after: { slug: 'audited-anew' } }],
    ['tenant.suspended', null, { before: { suspended: false }, after: { suspended: true } }],
    ['member.added', second.id, { after: active }],
    ['member.role_changed', second.id, { before: { role: 'owner' }, after: { role: 'admin' } }],
    ['member.removed', second.id, { before: { role: 'admin', status: 'ACTIVE' } }],
    ['tenant.reactivated', null, { before: { suspended: true }, after: { suspended: false } }],
    ['tenant.deleted', null, { before: { name: 'Audited', slug: 'audited-anew' } }],
  ])
  for (const { actor_kind, actor_id, request_id } of entries) {
    expect({ actor_kind, actor_id }).toEqual({ actor_kind: 'user', actor_id: superAdmin.id })
    expect(request_id).toEqual(expect.any(String))
  }
})

test('the actor of a change by a machine is the machine, also for an invitation', async () => {
  const draft = { name: 'By machine', ownerEmail: 'owner-to-be@people.test' }
  const { body } = await requireStatus(201, callAsOps(service, 'POST', '/api/admin/tenants', draft))
  const entries = await entriesOf(body as unknown as TestTenant)
  expect(entries.map(({ action, actor_kind, actor_id }) => [action, actor_kind, actor_id])).toEqual([
    ['tenant.created', 'client', 'demo-ops'],
    ['invitation.created', 'client', 'demo-ops'],
  ])
  const [invitation] = await service.ctx.db
    .selectFrom('invitations')
    .select(['invited_by', 'role'])
    .where('tenant_id', '=', String(body.id))
    .execute()
  expect(invitation).toEqual({ invited_by: null, role: 'owner' })
})

test('a change without effect is not recorded', async () => {
  const company = await insertTenant(service)
  const path = `/api/admin/tenants/${company.id}`
  const same = { name: company.name, slug: company.slug, suspended: false, settings: {} }
  const before = (await callAsOps(service, 'GET', path)).body
  expect((await requireStatus(200, callAsOps(service, 'PATCH', path, same))).body).toEqual(before)
  expect(await entriesOf(company)).toEqual([])
})

test('the catalog describes the details of suspension events', () => {
  for (const action of ['tenant.suspended', 'tenant.reactivated'] as const) {
    const { details, example } = getActionDefinition(action)
    expect(Object.keys(details?.properties ?? {})).toEqual(Object.keys(example ?? {}))
  }
})

test('a user who is disabled or requests deletion at the same time cannot be added', async () => {
  const company = await insertTenant(service)
  const path = `/api/admin/tenants/${company.id}/members`
  const disabled = await insertUser(service, { disabled: true })
  const add = (userId: string) => callAsOps(service, 'POST', path, { userId, role: 'owner' })
  const refused = (message: string) => ({
    status: 422,
    body: { details: [{ field: 'userId', message: expect.stringContaining(message) }] },
  })
  expect(await add(disabled.id)).toMatchObject(refused('disabled'))
  const user = await createSignedInUser(service)
  const leave = () => user.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' })
  const hold = { statement: 'select from users where id = $1 for update', values: [user.id] }
  const [left, added] = await collide(service, hold, [leave, () => add(user.id)])
  expect(left.status).toBe(200)
  expect(added).toMatchObject(refused('about to be deleted'))
  expect(await add(user.id)).toMatchObject(refused('about to be deleted'))
})

test('when the last two owners are removed at the same time, one removal is refused', async () => {
  const company = await insertTenant(service)
  const owners = [await insertUser(service), await insertUser(service)] as const
  for (const owner of owners) await insertMembership(service, company, owner, { role: 'owner' })
  const path = `/api/admin/tenants/${company.id}/members`
  const answers = await Promise.all(owners.map(({ id }) => callAsOps(service, 'DELETE', `${path}/${id}`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
})
