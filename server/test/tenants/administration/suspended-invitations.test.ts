import { afterAll, beforeAll, expect, test } from 'vitest'
import { failure, newSomebody } from '../../account/people.ts'
import { accept, DAY, look, openHouse } from '../../invitations/desk.ts'
import { type Host, JOINED, NEWCOMER, OPEN, outcomeOf } from '../../invitations/guests.ts'
import type { TestService } from '../../support/service.ts'
import { startWorld } from '../../support/world.ts'
import { setSuspended } from './scene.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

const SUSPENDED = failure(403, 'TENANT_SUSPENDED')
const suspend = ({ tenant }: Host) => setSuspended(service, tenant, true)
const reactivate = ({ tenant }: Host) => setSuspended(service, tenant, false)

test('nobody invites anybody to a suspended tenant, nor sends or revokes an invitation', async () => {
  const host = await openHouse(service)
  const { id } = await host.invite()
  await suspend(host)
  const path = `/api/tenants/${host.tenant.id}/invitations`
  const { somebody: owner } = host
  for (const [method, below, body] of [
    ['POST', '', { email: 'guest@people.test' }],
    ['POST', '/bulk', { invitations: [{ email: 'guest@people.test' }] }],
    ['POST', `/${id}/resend`],
    ['DELETE', `/${id}`],
  ] as const) {
    expect(await owner.call(method, path + below, body)).toMatchObject(SUSPENDED)
  }
})

test('who is invited to it, with an account or without, cannot join, and can afterwards', async () => {
  const host = await openHouse(service)
  const guest = await newSomebody(service)
  const invitations = [await host.invite(), await host.invite({ email: guest.email })] as const
  const join = () =>
    Promise.all([
      accept(service, invitations[0].token, { body: NEWCOMER }),
      accept(service, invitations[1].token, { as: guest }),
    ])
  await suspend(host)
  for (const { token } of invitations) expect(await look(service, token)).toMatchObject(SUSPENDED)
  for (const answer of await join()) expect(answer).toMatchObject(SUSPENDED)
  for (const invitation of invitations) expect(await outcomeOf(service, host, invitation)).toMatchObject(OPEN)
  await reactivate(host)
  expect((await join()).map(({ status }) => status)).toEqual([200, 200])
  for (const one of invitations) expect(await outcomeOf(service, host, one)).toMatchObject(JOINED)
})

test('the page of the invitation says it plainly', async () => {
  const host = await openHouse(service)
  const { path } = await host.invite()
  await suspend(host)
  const response = await fetch(service.url + path)
  expect(response.status).toBe(403)
  const page = await response.text()
  expect(page).toContain('This organisation is suspended')
  expect(page).not.toContain('<form')
  await reactivate(host)
  expect(await (await fetch(service.url + path)).text()).toContain(`Join ${host.tenant.name}`)
})

test('time goes on: what has expired, was revoked or is unknown is that first', async () => {
  const host = await openHouse(service)
  const [late, revoked] = [await host.invite(), await host.invite()]
  await host.call('DELETE', `/invitations/${revoked.id}`)
  await suspend(host)
  expect(await look(service, revoked.token)).toMatchObject(failure(410, 'INVITATION_REVOKED'))
  expect(await look(service, 'unknown')).toMatchObject(failure(404, 'INVITATION_NOT_FOUND'))
  service.advance(8 * DAY)
  expect(await look(service, late.token)).toMatchObject(failure(410, 'INVITATION_EXPIRED'))
})
