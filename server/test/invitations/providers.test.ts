import { afterAll, beforeAll, expect, test } from 'vitest'
import { callAs, findPerson, newPerson, type SsoWorld, startSsoWorld } from '../sso/world.ts'
import { accept, findInvitation, look, membershipsOf, openHouse } from './desk.ts'
import { type Host, NEWCOMER } from './guests.ts'

let world: SsoWorld
let host: Host
beforeAll(async () => {
  world = await startSsoWorld()
  host = await openHouse(world.service)
})
afterAll(() => world.close())

const signInAs = async (person: ReturnType<typeof newPerson>) => {
  world.google.person = person
  const browser = world.visitor()
  await browser.go(`${world.url}/sso/google`)
  return browser
}

test('who comes through a provider with an invited address completes the person who was invited', async () => {
  const { email, token, id } = await host.invite({ role: 'admin' })
  const placeholder = await findPerson(world, email)
  const browser = await signInAs(newPerson(email))
  expect(await findPerson(world, email)).toMatchObject({
    id: placeholder?.id,
    email_verified: true,
    given_name: 'Nora',
    family_name: 'New',
    password_hash: null,
  })
  // To sign in is not to accept.
  expect(await membershipsOf(world.service, placeholder?.id ?? '')).toMatchObject([{ status: 'INVITED' }])
  expect(await findInvitation(world.service, id)).toMatchObject({ status: 'PENDING' })
  expect((await look(world.service, token)).body).toMatchObject({ hasAccount: true })
  expect(await accept(world.service, token, { body: NEWCOMER })).toMatchObject({ status: 401 })

  const path = `/api/invitations/${token}/accept`
  const { status, body } = await callAs(world, browser, { method: 'POST', path, body: NEWCOMER })
  expect(status).toBe(200)
  expect(body).toEqual({ success: true, tenantId: host.tenant.id, tenantName: host.tenant.name })
  expect(await membershipsOf(world.service, placeholder?.id ?? '')).toMatchObject([
    { role: 'admin', status: 'ACTIVE' },
  ])
  // Nor did what they sent along become a password or a name.
  expect(await findPerson(world, email)).toMatchObject({ password_hash: null, given_name: 'Nora' })
})

test('an address that the provider has not verified makes nobody the person who was invited', async () => {
  const { email } = await host.invite()
  const before = await findPerson(world, email)
  const browser = await signInAs({ ...newPerson(email), email_verified: false })
  expect(await findPerson(world, email)).toEqual(before)
  expect((await callAs(world, browser, { method: 'GET', path: '/api/users/me' })).status).toBe(401)
})

test('who came through a provider is not forgotten when the invitation is revoked', async () => {
  const { email, id } = await host.invite()
  const browser = await signInAs(newPerson(email))
  await host.call('DELETE', `/invitations/${id}`)
  expect((await callAs(world, browser, { method: 'GET', path: '/api/users/me' })).body).toMatchObject({
    email,
    memberships: [],
  })
})
