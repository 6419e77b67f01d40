import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../src/account/deletion/erasure.ts'
import { call, createSignedInUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { NEW_USER } from './hosts.ts'
import { acceptInvitation, callTenantRoute, createHost, DAY_MS, listAuditEntries } from './invitation-api.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

test('the audit log keeps the deletion of a tenant with its actor and request', async () => {
  const host = await createHost(service)
  const { id } = host.user
  const answer = await host.user.call('DELETE', `/api/tenants/${host.tenant.id}`)
  expect(answer.body).toEqual({ success: true, message: 'Tenant deleted' })
  const { name, slug } = host.tenant
  expect(await listAuditEntries(service, host, 'tenant.deleted')).toMatchObject([
    {
      actor_kind: 'user',
      actor_id: id,
      request_id: answer.headers.get('x-request-id'),
      details: { before: { name, slug } },
      personal: { ipAddress: expect.any(String), userAgent: expect.any(String) },
    },
  ])
})

test('the actions of an erased person stay in the audit log of the tenant, without personal data', async () => {
  const host = await createHost(service)
  const guest = await createSignedInUser(service)
  const { token } = await host.invite({ email: guest.email })
  await acceptInvitation(service, token, { as: guest })
  const read = async () => {
    const { body } = await callTenantRoute(service, host, { path: `/audit?actorId=${guest.id}` })
    return body.entries as Record<string, unknown>[]
  }
  const deletion = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await guest.call('DELETE', '/api/users/me', deletion)).status).toBe(200)
  const before = await read()
  const actions = ['member.left', 'member.joined', 'invitation.accepted']
  expect(before.map(({ action }) => action)).toEqual(actions)
  const requestedAt = new Date(service.ctx.now().getTime() - 31 * DAY_MS)
  await service.ctx.db
    .updateTable('users')
    .set({ deletion_requested_at: requestedAt })
    .where('id', '=', guest.id)
    .execute()
  await eraseDueAccounts.run(service.ctx, {})
  const erased = { email: null, ipAddress: null, userAgent: null }
  expect(await read()).toEqual(
    before.map((entry) => ({
      ...entry,
      ...erased,
      actor: { kind: 'user', id: guest.id, displayName: null },
    })),
  )
})

test('an account created by accepting is audited as registered, outside of the tenant', async () => {
  const host = await createHost(service)
  const { id, token, email } = await host.invite()
  const { body } = await call(`${service.url}/api/invitations/${token}/accept`, {
    method: 'POST',
    body: NEW_USER,
  })
  expect(body).toMatchObject({ success: true })
  const { id: userId } = await service.ctx.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  const entries = await service.ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'tenant_id', 'actor_id', 'details'])
    .where('user_id', '=', userId)
    .where('action', 'like', 'user.%')
    .execute()
  expect(entries).toEqual([
    { action: 'user.registered', tenant_id: null, actor_id: userId, details: { invitationId: id } },
  ])
})
