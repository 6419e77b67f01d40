import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser, errorReply } from '../../account/people.ts'
import { type Host, JOINED, NEW_USER, OPEN, outcomeOf } from '../../invitations/hosts.ts'
import { acceptInvitation, createHost, DAY_MS, getInvitation } from '../../invitations/invitation-api.ts'
import type { TestService } from '../../support/service.ts'
import { startDemoService } from '../../support/world.ts'
import { setSuspended } from './fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const SUSPENDED = errorReply(403, 'TENANT_SUSPENDED')
const suspend = ({ tenant }: Host) => setSuspended(service, tenant, true)
const reactivate = ({ tenant }: Host) => setSuspended(service, tenant, false)

test('invitations of a suspended tenant cannot be created, resent or revoked', async () => {
  const host = await createHost(service)
  const { id } = await host.invite()
  await suspend(host)
  const path = `/api/tenants/${host.tenant.id}/invitations`
  const { user: owner } = host
  for (const [method, subpath, body] of [
    ['POST', '', { email: 'guest@people.test' }],
    ['POST', '/bulk', { invitations: [{ email: 'guest@people.test' }] }],
    ['POST', `/${id}/resend`],
    ['DELETE', `/${id}`],
  ] as const) {
    expect(await owner.call(method, path + subpath, body)).toMatchObject(SUSPENDED)
  }
})

test('invited users, with or without an account, can join only after the suspension', async () => {
  const host = await createHost(service)
  const guest = await createSignedInUser(service)
  const invitations = [await host.invite(), await host.invite({ email: guest.email })] as const
  const join = () =>
    Promise.all([
      acceptInvitation(service, invitations[0].token, { body: NEW_USER }),
      acceptInvitation(service, invitations[1].token, { as: guest }),
    ])
  await suspend(host)
  for (const { token } of invitations) expect(await getInvitation(service, token)).toMatchObject(SUSPENDED)
  for (const response of await join()) expect(response).toMatchObject(SUSPENDED)
  for (const invitation of invitations) expect(await outcomeOf(service, host, invitation)).toMatchObject(OPEN)
  await reactivate(host)
  expect((await join()).map(({ status }) => status)).toEqual([200, 200])
  for (const one of invitations) expect(await outcomeOf(service, host, one)).toMatchObject(JOINED)
})

test('the page of an invitation shows that the organization is suspended', async () => {
  const host = await createHost(service)
  const { path } = await host.invite()
  await suspend(host)
  const response = await fetch(service.url + path)
  expect(response.status).toBe(403)
  const page = await response.text()
  expect(page).toContain('This organization is suspended')
  expect(page.replace(/<footer[\s\S]*/, '')).not.toContain('<form')
  await reactivate(host)
  expect(await (await fetch(service.url + path)).text()).toContain(`Join ${host.tenant.name}`)
})

test('an expired, revoked or unknown invitation is reported as such, also during a suspension', async () => {
  const host = await createHost(service)
  const [late, revoked] = [await host.invite(), await host.invite()]
  await host.call('DELETE', `/invitations/${revoked.id}`)
  await suspend(host)
  expect(await getInvitation(service, revoked.token)).toMatchObject(errorReply(410, 'INVITATION_REVOKED'))
  expect(await getInvitation(service, 'unknown')).toMatchObject(errorReply(404, 'INVITATION_NOT_FOUND'))
  service.advance(8 * DAY_MS)
  expect(await getInvitation(service, late.token)).toMatchObject(errorReply(410, 'INVITATION_EXPIRED'))
})
