import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { OPS } from '../support/admin.ts'
import { call, errorBody, withCookies } from '../support/calls.ts'
import { decodeToken } from '../support/jwt.ts'
import {
  authorize,
  bearer,
  exchangeCode,
  getCode,
  introspectToken,
  readRedirect,
  refreshTokens,
  type Tokens,
} from '../support/oauth.ts'
import {
  expectActiveTokens,
  expectRevokedTokens,
  getTenantTokens,
  joinTenant,
  type Member,
  newMember,
  newOwnedTenant,
  newTenant,
  type Tenant,
} from '../support/tenants.ts'

/** A person with tokens for two tenants, who will lose the membership in the first. */
async function newMemberOfTwoTenants() {
  const { tenant, owner } = await newOwnedTenant('Here')
  const member = await newMember(owner.headers, tenant.id, 'admin')
  const otherTenant = await newTenant(owner.headers, 'There')
  await joinTenant(owner.headers, otherTenant.id, member)
  return {
    tenant,
    owner,
    member,
    otherTenant,
    here: await getTenantTokens(member.person, tenant),
    there: await getTenantTokens(member.person, otherTenant),
  }
}

const pathOf = ({ id }: Tenant, { membershipId }: Member) => `/api/tenants/${id}/members/${membershipId}`

const ENDINGS = {
  suspended: (owner: Member, path: string) =>
    call('PATCH', path, { headers: owner.headers, body: { status: 'SUSPENDED' } }),
  removed: (owner: Member, path: string) => call('DELETE', path, owner),
}

describe.each(['suspended', 'removed'] as const)('a member who is %s', (ending) => {
  test('has only invalid tokens for that tenant immediately, and valid ones for others', async () => {
    const { tenant, owner, member, otherTenant, here, there } = await newMemberOfTwoTenants()
    await expectActiveTokens(here, tenant.id)
    expect((await ENDINGS[ending](owner, pathOf(tenant, member))).status).toBe(200)
    await expectRevokedTokens(here, tenant.id)
    await expectActiveTokens(there, otherTenant.id)
    // A valid token for another tenant, or for none, gives no access here.
    for (const headers of [bearer(there.access_token), member.headers]) {
      for (const path of ['', '/members', '/invitations', '/audit']) {
        const response = await call('GET', `/api/tenants/${tenant.id}${path}`, { headers })
        expect(response.status, path).toBe(403)
        expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
      }
    }
    const refreshed = await refreshTokens(client, there.refresh_token)
    expect(refreshed.status).toBe(200)
    expect(decodeToken(refreshed.body.access_token).payload).toMatchObject({ tenant_id: otherTenant.id })
  })

  test('stays signed in, without access to that tenant', async () => {
    const { tenant, owner, member } = await newMemberOfTwoTenants()
    const browser = await member.person.signIn()
    await ENDINGS[ending](owner, pathOf(tenant, member))
    const headers = withCookies(browser)
    expect((await call('GET', '/api/users/me', { headers })).status).toBe(200)
    expect((await call('GET', `/api/tenants/${tenant.id}`, { headers })).status).toBe(403)
    const denied = readRedirect(await authorize(browser, client, { tenant: tenant.slug }))
    expect(denied).toMatchObject({ error: 'access_denied' })
    expect(denied).not.toHaveProperty('code')
  })

  test('cannot redeem an earlier code, nor switch to that tenant', async () => {
    const { tenant, owner, member, there } = await newMemberOfTwoTenants()
    const code = await getCode(await member.person.signIn(), client, { tenant: tenant.slug })
    await ENDINGS[ending](owner, pathOf(tenant, member))
    const redeemed = await exchangeCode(client, code)
    expect(redeemed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(redeemed.body).not.toHaveProperty('access_token')
    const switched = await refreshTokens(client, there.refresh_token, { tenant: tenant.slug })
    expect(switched.status).toBe(400)
    expect(switched.body).not.toHaveProperty('access_token')
  })
})

test('leaving with a token for the tenant revokes that token', async () => {
  const { tenant, member, otherTenant, here, there } = await newMemberOfTwoTenants()
  const left = await call('DELETE', pathOf(tenant, member), { headers: bearer(here.access_token) })
  expect(left.status).toBe(200)
  await expectRevokedTokens(here, tenant.id)
  await expectActiveTokens(there, otherTenant.id)
})

test('a reactivated member has access again immediately, with existing tokens', async () => {
  const { tenant, owner, member, here } = await newMemberOfTwoTenants()
  const set = (status: string) => call('PATCH', pathOf(tenant, member), { headers: owner.headers, body: { status } })
  await set('SUSPENDED')
  await expectRevokedTokens(here, tenant.id)
  expect((await set('ACTIVE')).body).toMatchObject({ status: 'ACTIVE', role: 'admin' })
  await expectActiveTokens(here, tenant.id)
  expect((await refreshTokens(client, here.refresh_token)).status).toBe(200)
  expect((await call('GET', `/api/tenants/${tenant.id}`, member)).status).toBe(200)
  const anew = await getTenantTokens(member.person, tenant)
  await expectActiveTokens(anew, tenant.id)
})

test('a removed member who returns gets new tokens, and the old ones stay invalid', async () => {
  const { tenant, owner, member, here } = await newMemberOfTwoTenants()
  await call('DELETE', pathOf(tenant, member), owner)
  await joinTenant(owner.headers, tenant.id, member)
  // Checks only the tokens, before and after they are used.
  expect((await introspectToken(OPS, here.refresh_token)).body).toEqual({ active: false })
  await expectRevokedTokens(here, tenant.id)
  const anew = await getTenantTokens(member.person, tenant)
  await expectActiveTokens(anew, tenant.id)
  expect(decodeToken(anew.access_token).payload).toMatchObject({ tenant_roles: ['member'] })
  const shown = await call('GET', `/api/tenants/${tenant.id}`, member)
  expect(shown.status).toBe(200)
  const old = await call('PATCH', pathOf(tenant, member), {
    headers: owner.headers,
    body: { role: 'admin' },
  })
  expect(old.status).toBe(404)
})

describe('a change of role', () => {
  const rename = (tokens: Tokens, { id }: Tenant) =>
    call('PATCH', `/api/tenants/${id}`, {
      headers: bearer(tokens.access_token),
      body: { name: 'By the role of now' },
    })

  test('is effective immediately, independent of the role in the token', async () => {
    const { tenant, owner, member, here } = await newMemberOfTwoTenants()
    const set = (role: string) => call('PATCH', pathOf(tenant, member), { headers: owner.headers, body: { role } })
    expect((await rename(here, tenant)).status).toBe(200)
    await set('member')
    expect(decodeToken(here.access_token).payload).toMatchObject({ tenant_roles: ['admin'] })
    const demoted = await rename(here, tenant)
    expect(demoted.status).toBe(403)
    expect(demoted.body).toEqual(errorBody(403, 'FORBIDDEN'))
    await expectActiveTokens(here, tenant.id)
    await set('admin')
    expect((await rename(here, tenant)).status).toBe(200)
  })

  test('is in the token of the next refresh', async () => {
    const { tenant, owner, member, here } = await newMemberOfTwoTenants()
    await call('PATCH', pathOf(tenant, member), { headers: owner.headers, body: { role: 'owner' } })
    const { status, body } = await refreshTokens(client, here.refresh_token)
    expect(status).toBe(200)
    expect(decodeToken(body.access_token).payload).toMatchObject({
      tenant_id: tenant.id,
      tenant_slug: tenant.slug,
      tenant_roles: ['owner'],
    })
  })

  test('in one tenant has no effect in another', async () => {
    const { owner, tenant, otherTenant, member, there } = await newMemberOfTwoTenants()
    await call('PATCH', pathOf(tenant, member), { headers: owner.headers, body: { role: 'owner' } })
    expect((await rename(there, otherTenant)).status).toBe(403)
    // The tenant of the token does not decide: they are an owner there with any token.
    expect((await rename(there, tenant)).status).toBe(200)
  })
})
