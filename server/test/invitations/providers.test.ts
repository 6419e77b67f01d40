import { afterAll, beforeAll, expect, test } from 'vitest'
import { callAs, findUserRow, newUpstreamUser, type SsoWorld, startSsoWorld } from '../sso/world.ts'
import { type Host, NEW_USER } from './hosts.ts'
import { acceptInvitation, createHost, findInvitation, getInvitation, membershipsOf } from './invitation-api.ts'

let world: SsoWorld
let host: Host
beforeAll(async () => {
  world = await startSsoWorld()
  host = await createHost(world.service)
})
afterAll(() => world.close())

const signInAs = async (person: ReturnType<typeof newUpstreamUser>) => {
  world.google.person = person
  const browser = world.visitor()
  await browser.go(`${world.url}/sso/google`)
  return browser
}

test('a sign-in through a provider with an invited address completes the placeholder account', async () => {
  const { email, token, id } = await host.invite({ role: 'admin' })
  const placeholder = await findUserRow(world, email)
  const browser = await signInAs(newUpstreamUser(email))
  expect(await findUserRow(world, email)).toMatchObject({
    id: placeholder?.id,
    email_verified: true,
    given_name: 'Nora',
    family_name: 'New',
    password_hash: null,
  })
  // A sign-in does not accept the invitation.
  expect(await membershipsOf(world.service, placeholder?.id ?? '')).toMatchObject([{ status: 'INVITED' }])
  expect(await findInvitation(world.service, id)).toMatchObject({ status: 'PENDING' })
  expect((await getInvitation(world.service, token)).body).toMatchObject({ hasAccount: true })
  expect(await acceptInvitation(world.service, token, { body: NEW_USER })).toMatchObject({ status: 401 })

  const path = `/api/invitations/${token}/accept`
  const { status, body } = await callAs(world, browser, { method: 'POST', path, body: NEW_USER })
  expect(status).toBe(200)
  expect(body).toEqual({ success: true, tenantId: host.tenant.id, tenantName: host.tenant.name })
  expect(await membershipsOf(world.service, placeholder?.id ?? '')).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
  // Password and names of the request are ignored for an existing account.
  expect(await findUserRow(world, email)).toMatchObject({ password_hash: null, given_name: 'Nora' })
})

test('an address that the provider has not verified does not complete the placeholder account', async () => {
  const { email } = await host.invite()
  const before = await findUserRow(world, email)
  const browser = await signInAs({ ...newUpstreamUser(email), email_verified: false })
  expect(await findUserRow(world, email)).toEqual(before)
  expect((await callAs(world, browser, { method: 'GET', path: '/api/users/me' })).status).toBe(401)
})

test('an account created through a provider is kept when the invitation is revoked', async () => {
  const { email, id } = await host.invite()
  const browser = await signInAs(newUpstreamUser(email))
  await host.call('DELETE', `/invitations/${id}`)
  expect((await callAs(world, browser, { method: 'GET', path: '/api/users/me' })).body).toMatchObject({
    email,
    memberships: [],
  })
})
