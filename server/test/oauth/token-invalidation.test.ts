import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replaceSigningKeys } from '../../src/keys/signing-keys.ts'
import { findLiveGrant } from '../../src/oauth/store.ts'
import { call, createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { authorize, CALLBACK, claimsOf, exchange, introspect, PASSWORD, refresh, userinfo } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'
import { type RegisteredClient, startTwoNodes, type TwoNodes } from './two-nodes.ts'

// Every node caches what it knows of a token. Each change that affects the validity or the rights of a token is
// announced, and other nodes refuse the token as soon as they have received the announcement.

let nodes: TwoNodes
let here: TestService
let there: TestService
beforeAll(async () => {
  nodes = await startTwoNodes()
  ;({ here, there } = nodes)
})
afterAll(() => nodes?.close())

const patch = (path: string, body: object) => nodes.patch(path, body)
const remove = (path: string) => nodes.remove(path)

const usesOn = async ({ url }: TestService, accessToken: string) => [
  await userinfo(url, accessToken),
  (await introspect(url, accessToken)).active,
]

async function expectValid(accessToken: string): Promise<void> {
  for (const node of [here, there]) expect(await usesOn(node, accessToken)).toEqual([200, true])
}

async function expectInvalid(accessToken: string): Promise<void> {
  await nodes.changesAnnounced()
  for (const node of [there, here]) expect(await usesOn(node, accessToken)).toEqual([401, false])
}

/** A member of a tenant, and their tokens for it from a new client. */
interface Fixture {
  company: TestTenant
  member: TestUser
  membershipId: string
  applicationId: string
  client: RegisteredClient
  code: string
  accessToken: string
  refreshToken: string
}

async function newFixture(traits: object = {}): Promise<Fixture> {
  const [company, member] = [await insertTenant(here), await createSignedInUser(here, traits)]
  await insertMembership(here, company, await insertUser(here), { role: 'owner' })
  const membershipId = await insertMembership(here, company, member)
  const registered = await nodes.newClient({ kind: 'SPA', redirectUris: [CALLBACK] })
  const held = await obtain(registered.client, member.cookie, company)
  return { company, member, membershipId, ...registered, ...held }
}

async function obtain({ clientId: client_id }: RegisteredClient, cookie: string, { slug: tenant }: TestTenant) {
  const { answer } = await authorize(here.url, cookie, { client_id, tenant })
  const { body } = await exchange(here.url, answer.code, { client_id })
  return { code: answer.code ?? '', accessToken: body.access_token, refreshToken: body.refresh_token }
}

const revoke = ({ clientId: client_id }: RegisteredClient, presented: string) =>
  fetch(`${here.url}/api/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: presented, client_id }),
  })
const leave = (membershipId: string) => here.ctx.db.deleteFrom('memberships').where('id', '=', membershipId).execute()

const ENDINGS: Record<string, (fixture: Fixture) => Promise<unknown>> = {
  'its session ends': ({ member }) => remove(`/users/${member.id}/sessions`),
  'its family is revoked': ({ client, refreshToken }) => revoke(client, refreshToken),
  'its code is reused': ({ client, code }) => exchange(here.url, code, { client_id: client.clientId }),
  'a refresh token of its family is used twice': async ({ client, refreshToken }) => {
    for (let use = 0; use < 2; use++) await refresh(here.url, refreshToken, { client_id: client.clientId })
  },
  'it is revoked itself': ({ client, accessToken }) => revoke(client, accessToken),
  'its user is disabled': ({ member }) => patch(`/users/${member.id}`, { disabled: true }),
  'its user is scheduled for deletion': ({ member }) => remove(`/users/${member.id}`),
  'its user is erased': ({ member }) => here.ctx.db.deleteFrom('users').where('id', '=', member.id).execute(),
  'its membership is suspended': ({ membershipId: id }) =>
    here.ctx.db.updateTable('memberships').set({ status: 'SUSPENDED' }).where('id', '=', id).execute(),
  'its membership ends': ({ membershipId }) => leave(membershipId),
  'its membership is replaced by a new one': async ({ company, member, membershipId }) => {
    await leave(membershipId)
    await insertMembership(here, company, member)
  },
  'its tenant is suspended': ({ company }) => patch(`/tenants/${company.id}`, { suspended: true }),
  'its tenant was suspended and reactivated': async ({ company }) => {
    for (const suspended of [true, false]) await patch(`/tenants/${company.id}`, { suspended })
  },
  'its tenant begins to require a second factor': ({ company }) =>
    patch(`/tenants/${company.id}`, { mfaPolicy: 'REQUIRED' }),
  'its tenant is deleted': ({ company }) => here.ctx.db.deleteFrom('tenants').where('id', '=', company.id).execute(),
  'its client is disabled': ({ client }) => patch(`/clients/${client.id}`, { disabled: true }),
  'its client is deleted': ({ client }) => remove(`/clients/${client.id}`),
  'its application is deleted': ({ applicationId }) => remove(`/applications/${applicationId}`),
}

describe("a user's token is invalid on the other node as soon as", () => {
  test.each(Object.entries(ENDINGS))('%s', async (name, end) => {
    const fixture = await newFixture()
    await expectValid(fixture.accessToken)
    // A token issued in the second of the reactivation stays valid.
    if (name.includes('reactivated')) here.advance(2_000)
    await end(fixture)
    await expectInvalid(fixture.accessToken)
  })
})

/** Sets up TOTP in the session of the cookie, and returns the new cookie. */
async function enroll(cookie: string): Promise<string> {
  const headers = { cookie, origin: here.url }
  const totp = `${here.url}/api/users/me/mfa/totp`
  const { body } = await call(totp, { method: 'POST', headers })
  const code = totpCode(String(body.secret), here.ctx.now())
  const enrolled = await call(`${totp}/verify`, { method: 'POST', headers, body: { code } })
  expect(enrolled.status).toBe(200)
  return enrolled.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

test('removing the last second factor ends tokens for a tenant that requires one, also if the grant has switched tenants', async () => {
  const [strict, other] = [await insertTenant(here), await insertTenant(here)]
  const member = await createSignedInUser(here)
  for (const company of [strict, other]) await insertMembership(here, company, member)
  const cookie = await enroll(member.cookie)
  await patch(`/tenants/${strict.id}`, { mfaPolicy: 'REQUIRED' })
  const { client } = await nodes.newClient({ kind: 'SPA', redirectUris: [CALLBACK] })
  const stayed = await obtain(client, cookie, strict)
  const first = await obtain(client, cookie, strict)
  const form = { client_id: client.clientId, tenant: other.slug }
  const { body: moved } = await refresh(here.url, first.refreshToken, form)
  for (const held of [stayed.accessToken, first.accessToken, moved.access_token]) await expectValid(held)
  const removed = await call(`${here.url}/api/users/me/mfa/totp`, {
    method: 'DELETE',
    headers: { cookie, origin: here.url },
    body: { password: PASSWORD },
  })
  expect(removed.status).toBe(200)
  await expectInvalid(stayed.accessToken)
  await expectInvalid(first.accessToken)
  await expectValid(moved.access_token)
})

test('the token of the owner who made MFA required ends with the grace period', async () => {
  const [company, owner] = [await insertTenant(here), await createSignedInUser(here)]
  await insertMembership(here, company, owner, { role: 'owner' })
  const { applicationId, client } = await nodes.newClient({ kind: 'SPA', redirectUris: [CALLBACK] })
  await patch(`/applications/${applicationId}`, { accessTokenTtl: 7_200 })
  const { accessToken } = await obtain(client, owner.cookie, company)
  await expectValid(accessToken)
  const headers = { authorization: `Bearer ${accessToken}` }
  const body = { mfaPolicy: 'REQUIRED' }
  const required = await call(`${here.url}/api/tenants/${company.id}`, { method: 'PATCH', headers, body })
  expect(required.status).toBe(200)
  await nodes.changesAnnounced()
  await expectValid(accessToken)
  // A bit more than an hour, because the clocks of the nodes differ.
  for (const { advance } of [here, there]) advance(3_660_000)
  await expectInvalid(accessToken)
})

describe('a valid token loses rights on the other node as soon as', () => {
  test('its user is no longer a Super Admin', async () => {
    const { accessToken, member } = await newFixture({ is_super_admin: true })
    expect(await nodes.statuses('/api/admin/users', accessToken)).toEqual([200, 200])
    await patch(`/users/${member.id}`, { superAdmin: false })
    await nodes.changesAnnounced()
    expect(await nodes.statuses('/api/admin/users', accessToken)).toEqual([403, 403])
  })

  test('its application is no longer trusted', async () => {
    const { accessToken, applicationId } = await newFixture()
    expect(await nodes.statuses('/api/users/me', accessToken)).toEqual([200, 200])
    await patch(`/applications/${applicationId}`, { trusted: false })
    await nodes.changesAnnounced()
    expect(await nodes.statuses('/api/users/me', accessToken)).toEqual([403, 403])
  })

  test('its client loses the scope', async () => {
    const { accessToken, client } = await newFixture()
    await expectValid(accessToken)
    await patch(`/clients/${client.id}`, { scopes: ['profile'] })
    await nodes.changesAnnounced()
    expect(await nodes.statuses('/api/oauth/userinfo', accessToken)).toEqual([403, 403])
  })

  test('its user gets a lesser role', async () => {
    const { accessToken, membershipId } = await newFixture()
    const setRole = async (role: 'admin' | 'member') => {
      await here.ctx.db.updateTable('memberships').set({ role }).where('id', '=', membershipId).execute()
      await nodes.changesAnnounced()
    }
    await setRole('admin')
    expect(await nodes.statuses('/api/events', accessToken)).toEqual([200, 200])
    await setRole('member')
    expect(await nodes.statuses('/api/events', accessToken)).toEqual([403, 403])
  })
})

test('every column that is read for a token is tested here or does not affect its validity', async () => {
  const { accessToken, company } = await newFixture()
  const jti = String(claimsOf(accessToken).jti)
  const grantId = jti.split('.')[0] ?? ''
  const row = await findLiveGrant(here.ctx.db, { grantId, tenantId: company.id, jtis: [jti], issuedAt: new Date() })
  const tested = [
    ...['session_id', 'amr', 'revoked', 'user_id', 'disabled', 'is_super_admin', 'role', 'trusted'],
    ...['mfa_policy', 'mfa_grace_session_id', 'mfa_grace_until'],
    ...['tenant_suspended_at', 'tenant_reactivated_at'],
    ...['client_uuid', 'client_disabled', 'client_scopes'],
    // In resources.test.ts.
    ...['resource_id', 'resource_scopes', 'resource_allows_client'],
  ]
  // The client_id, origin and application of a client never change, nor do the URI and application of a resource.
  const unchanging = ['client_id', 'client_origin', 'application_id', 'resource_uri', 'resource_application_id']
  const copiedToExchangedTokens = ['auth_time', 'tenant_slug']
  const userinfoColumns = [
    ...['email', 'email_verified', 'display_name', 'given_name', 'family_name', 'middle_name', 'nickname'],
    ...['picture_url', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at', 'requested_claims'],
  ]
  const expected = [...tested, ...unchanging, ...copiedToExchangedTokens, ...userinfoColumns]
  expect(Object.keys(row ?? {}).sort()).toEqual(expected.sort())
})

// This test must be last: it invalidates all tokens.
test('a token is invalid on the other node as soon as its key is withdrawn', async () => {
  const { accessToken } = await newFixture()
  await expectValid(accessToken)
  await replaceSigningKeys(here.ctx)
  await nodes.changesAnnounced()
  expect(await nodes.statuses('/api/oauth/userinfo', accessToken)).toEqual([401, 401])
})
