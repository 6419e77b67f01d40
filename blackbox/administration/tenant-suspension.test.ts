import { expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newMachine } from '../support/admin.ts'
import { call, errorBody } from '../support/calls.ts'
import { expectStatus, getLicense, grantSeat, newTenantWithSeats } from '../support/licensing.ts'
import { waitForMail } from '../support/mail.ts'
import { authorize, bearer, readRedirect, refreshTokens, requestMachineToken } from '../support/oauth.ts'
import { unique } from '../support/service.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { readTenant, setSuspended } from '../support/tenant-administration.ts'
import {
  expectActiveTokens,
  expectRevokedTokens,
  getTenantTokens,
  invite,
  newMember,
  newOwnedTenant,
  newTenant,
  waitForInvitationToken,
} from '../support/tenants.ts'

test('a suspended tenant has the flag and the time in every response', async () => {
  const { tenant, owner } = await newOwnedTenant()
  const suspended = expectStatus(200, await setSuspended(tenant.id, true))
  expect(suspended).toMatchObject({ suspended: true, suspendedAt: expect.stringMatching(TIMESTAMP) })
  expect((await setSuspended(tenant.id, true)).body).toEqual(suspended)
  const { body } = await call('GET', '/api/tenants', { headers: owner.headers })
  expect(body.tenants).toMatchObject([{ id: tenant.id, suspended: true }])
  expect(expectStatus(200, await setSuspended(tenant.id, false))).toMatchObject({
    suspended: false,
    suspendedAt: null,
  })
  expect((await readTenant(tenant.id)).body.suspended).toBe(false)
})

test('its tokens are refused, those of other tenants are not, and refresh works again afterwards', async () => {
  const { tenant, owner } = await newOwnedTenant()
  const other = await newTenant(owner.headers)
  const tokens = await getTenantTokens(owner.person, tenant)
  const others = await getTenantTokens(owner.person, other)
  await expectActiveTokens(tokens, tenant.id)
  await setSuspended(tenant.id, true)
  await expectRevokedTokens(tokens, tenant.id)
  await expectActiveTokens(others, other.id)
  await setSuspended(tenant.id, false)
  const renewed = expectStatus(200, await refreshTokens(client, tokens.refresh_token))
  await expectActiveTokens(renewed, tenant.id)
})

test('sign-in for it is refused, and members see the reason', async () => {
  const { tenant, owner } = await newOwnedTenant()
  await setSuspended(tenant.id, true)
  const browser = await owner.person.signIn()
  expect(readRedirect(await authorize(browser, client, { tenant: tenant.slug }))).toMatchObject({
    error: 'access_denied',
    error_description: 'This tenant is suspended.',
  })
  const closed = await call('GET', `/api/tenants/${tenant.id}`, { headers: owner.headers })
  expect(closed.body).toEqual(errorBody(403, 'TENANT_SUSPENDED'))
  const { owner: outsider } = await newOwnedTenant()
  const outside = await call('GET', `/api/tenants/${tenant.id}`, { headers: outsider.headers })
  expect(outside.body).toEqual(errorBody(403, 'FORBIDDEN'))
})

test('license checks are refused during the suspension and work again afterwards', async () => {
  const { application, tenant, owner, pro } = await newTenantWithSeats()
  const check = { userId: owner.userId, applicationId: application }
  expectStatus(201, await grantSeat(owner.tenantHeaders, { ...check, licenseTypeId: pro.id }))
  const machine = await newMachine(application, ['licenses:read'], { tenantId: tenant.id })
  const headers = bearer((await requestMachineToken(machine)).body.access_token)
  expect((await getLicense(headers, 'check', check)).body).toMatchObject({ hasLicense: true })
  await setSuspended(tenant.id, true)
  for (const dead of [headers, owner.tenantHeaders]) expect((await getLicense(dead, 'check', check)).status).toBe(401)
  expect(await requestMachineToken(machine)).toMatchObject({
    status: 400,
    body: { error: 'unauthorized_client' },
  })
  await setSuspended(tenant.id, false)
  const again = bearer((await requestMachineToken(machine)).body.access_token)
  expect((await getLicense(again, 'check', check)).body).toMatchObject({ hasLicense: true })
})

test('invitations cannot be accepted, and work again afterwards', async () => {
  const { tenant, owner } = await newOwnedTenant()
  const email = `${unique('guest')}@blackbox.test`
  await invite(owner.headers, tenant.id, { email })
  const path = `/api/invitations/${await waitForInvitationToken(email)}`
  const body = { password: unique('a long enough secret'), givenName: 'Gil', familyName: 'Guest' }
  await setSuspended(tenant.id, true)
  expect((await call('GET', path)).body).toEqual(errorBody(403, 'TENANT_SUSPENDED'))
  expect((await call('POST', `${path}/accept`, { body })).body).toEqual(errorBody(403, 'TENANT_SUSPENDED'))
  await setSuspended(tenant.id, false)
  expect((await call('POST', `${path}/accept`, { body })).status).toBe(200)
})

test('owners and admins are notified', async () => {
  const { tenant, owner } = await newOwnedTenant(unique('Told'))
  const admin = await newMember(owner.headers, tenant.id, 'admin')
  await setSuspended(tenant.id, true)
  for (const { person } of [owner, admin]) await waitForMail(person.email, `"${tenant.name}" is suspended`)
  await setSuspended(tenant.id, false)
  for (const { person } of [owner, admin]) {
    await waitForMail(person.email, `"${tenant.name}" is not suspended any more`)
  }
})
