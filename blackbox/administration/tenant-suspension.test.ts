import { expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newMachine } from '../support/admin.ts'
import { call, refusal } from '../support/calls.ts'
import { ask, grant, newSeats, succeed } from '../support/licensing.ts'
import { awaitMail } from '../support/mail.ts'
import { askMachineToken, authorize, bearer, landing, refresh } from '../support/oauth.ts'
import { unique } from '../support/service.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { readTenant, setSuspended } from '../support/tenant-administration.ts'
import {
  expectDead,
  expectLive,
  invitationTokenFor,
  invite,
  newMember,
  newOwnedTenant,
  newTenant,
  tokensIn,
} from '../support/tenants.ts'

test('a suspended tenant says so, since when, and to whoever lists', async () => {
  const { tenant, owner } = await newOwnedTenant()
  const suspended = succeed(200, await setSuspended(tenant.id, true))
  expect(suspended).toMatchObject({ suspended: true, suspendedAt: expect.stringMatching(TIMESTAMP) })
  expect((await setSuspended(tenant.id, true)).body).toEqual(suspended)
  const { body } = await call('GET', '/api/tenants', { headers: owner.headers })
  expect(body.tenants).toMatchObject([{ id: tenant.id, suspended: true }])
  expect(succeed(200, await setSuspended(tenant.id, false))).toMatchObject({
    suspended: false,
    suspendedAt: null,
  })
  expect((await readTenant(tenant.id)).body.suspended).toBe(false)
})

test('its tokens are dead, those of other tenants are not, and a refresh works again afterwards', async () => {
  const { tenant, owner } = await newOwnedTenant()
  const other = await newTenant(owner.headers)
  const tokens = await tokensIn(owner.person, tenant)
  const others = await tokensIn(owner.person, other)
  await expectLive(tokens, tenant.id)
  await setSuspended(tenant.id, true)
  await expectDead(tokens, tenant.id)
  await expectLive(others, other.id)
  await setSuspended(tenant.id, false)
  const renewed = succeed(200, await refresh(client, tokens.refresh_token))
  await expectLive(renewed, tenant.id)
})

test('nobody signs in for it, and members hear why', async () => {
  const { tenant, owner } = await newOwnedTenant()
  await setSuspended(tenant.id, true)
  const browser = await owner.person.signIn()
  expect(landing(await authorize(browser, client, { tenant: tenant.slug }))).toMatchObject({
    error: 'access_denied',
    error_description: 'This tenant is suspended.',
  })
  const closed = await call('GET', `/api/tenants/${tenant.id}`, { headers: owner.headers })
  expect(closed.body).toEqual(refusal(403, 'TENANT_SUSPENDED'))
  const { owner: stranger } = await newOwnedTenant()
  const outside = await call('GET', `/api/tenants/${tenant.id}`, { headers: stranger.headers })
  expect(outside.body).toEqual(refusal(403, 'FORBIDDEN'))
})

test('its machines and its people ask for no licence, which is there again afterwards', async () => {
  const { application, tenant, owner, pro } = await newSeats()
  const wish = { userId: owner.userId, applicationId: application }
  succeed(201, await grant(owner.inside, { ...wish, licenseTypeId: pro.id }))
  const machine = await newMachine(application, ['licenses:read'], { tenantId: tenant.id })
  const headers = bearer((await askMachineToken(machine)).body.access_token)
  expect((await ask(headers, 'check', wish)).body).toMatchObject({ hasLicense: true })
  await setSuspended(tenant.id, true)
  for (const dead of [headers, owner.inside]) expect((await ask(dead, 'check', wish)).status).toBe(401)
  expect(await askMachineToken(machine)).toMatchObject({
    status: 400,
    body: { error: 'unauthorized_client' },
  })
  await setSuspended(tenant.id, false)
  const again = bearer((await askMachineToken(machine)).body.access_token)
  expect((await ask(again, 'check', wish)).body).toMatchObject({ hasLicense: true })
})

test('nobody joins it, and the link works afterwards', async () => {
  const { tenant, owner } = await newOwnedTenant()
  const email = `${unique('guest')}@blackbox.test`
  await invite(owner.headers, tenant.id, { email })
  const path = `/api/invitations/${await invitationTokenFor(email)}`
  const body = { password: unique('a long enough secret'), givenName: 'Gil', familyName: 'Guest' }
  await setSuspended(tenant.id, true)
  expect((await call('GET', path)).body).toEqual(refusal(403, 'TENANT_SUSPENDED'))
  expect((await call('POST', `${path}/accept`, { body })).body).toEqual(refusal(403, 'TENANT_SUSPENDED'))
  await setSuspended(tenant.id, false)
  expect((await call('POST', `${path}/accept`, { body })).status).toBe(200)
})

test('owners and admins are told', async () => {
  const { tenant, owner } = await newOwnedTenant(unique('Told'))
  const admin = await newMember(owner.headers, tenant.id, 'admin')
  await setSuspended(tenant.id, true)
  for (const { person } of [owner, admin]) await awaitMail(person.email, `"${tenant.name}" is suspended`)
  await setSuspended(tenant.id, false)
  for (const { person } of [owner, admin]) {
    await awaitMail(person.email, `"${tenant.name}" is not suspended any more`)
  }
})
