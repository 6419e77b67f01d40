import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasePeople } from '../../src/account/deletion/erasure.ts'
import { call, newSomebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { accept, callNow, DAY, entriesIn, openHouse } from './desk.ts'
import { NEWCOMER } from './guests.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

test('the log keeps that a tenant was deleted, by whom and by which request', async () => {
  const host = await openHouse(service)
  const { id } = host.somebody
  const answer = await host.somebody.call('DELETE', `/api/tenants/${host.tenant.id}`)
  expect(answer.body).toEqual({ success: true, message: 'Tenant deleted' })
  const { name, slug } = host.tenant
  expect(await entriesIn(service, host, 'tenant.deleted')).toMatchObject([
    {
      ...{ actor_kind: 'user', actor_id: id, request_id: answer.headers.get('x-request-id') },
      details: { before: { name, slug } },
      personal: { ipAddress: expect.any(String), userAgent: expect.any(String) },
    },
  ])
})

test('what somebody did in a tenant is still told once they are erased, but not who they were', async () => {
  const host = await openHouse(service)
  const guest = await newSomebody(service)
  const { token } = await host.invite({ email: guest.email })
  await accept(service, token, { as: guest })
  const read = async () => {
    const { body } = await callNow(service, host, { path: `/audit?actorId=${guest.id}` })
    return body.entries as Record<string, unknown>[]
  }
  const farewell = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await guest.call('DELETE', '/api/users/me', farewell)).status).toBe(200)
  const before = await read()
  const actions = ['member.left', 'member.joined', 'invitation.accepted']
  expect(before.map(({ action }) => action)).toEqual(actions)
  const asked = new Date(service.ctx.now().getTime() - 31 * DAY)
  await service.ctx.db
    .updateTable('users')
    .set({ deletion_requested_at: asked })
    .where('id', '=', guest.id)
    .execute()
  await erasePeople.run(service.ctx, {})
  const unknown = { email: null, ipAddress: null, userAgent: null }
  expect(await read()).toEqual(
    before.map((entry) => ({
      ...entry,
      ...unknown,
      actor: { kind: 'user', id: guest.id, displayName: null },
    })),
  )
})

test('who makes an account by accepting is written down as registered, outside of the tenant', async () => {
  const host = await openHouse(service)
  const { id, token, email } = await host.invite()
  const { body } = await call(`${service.url}/api/invitations/${token}/accept`, {
    method: 'POST',
    body: NEWCOMER,
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
