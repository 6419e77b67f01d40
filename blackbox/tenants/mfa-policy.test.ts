import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { callAs, client } from '../support/account.ts'
import { OPS } from '../support/admin.ts'
import { addAuthenticatorApp, newAuthenticatorApp } from '../support/authenticator-app.ts'
import { call, errorBody, fromOwnPage } from '../support/calls.ts'
import { bearer, getTokens, getUserinfo, introspectToken, refreshTokens } from '../support/oauth.ts'
import { type Member, newMember, newOwnedTenant, newTenant, type Tenant } from '../support/tenants.ts'

const REFUSED = errorBody(403, 'MFA_REQUIRED')

describe('a tenant that requires a second factor, with an owner without one (T176)', () => {
  let tenant: Tenant
  let owner: Member
  let helper: Member
  const at = (path = '') => `/api/tenants/${tenant.id}${path}`
  beforeAll(async () => {
    ;({ tenant, owner } = await newOwnedTenant())
    helper = await newMember(owner.headers, tenant.id, 'admin')
    const body = { mfaPolicy: 'REQUIRED' }
    expect((await call('PATCH', at(), { headers: owner.headers, body })).status).toBe(200)
  })

  const ways: [string, string, string, object?][] = [
    ['reading it', 'GET', ''],
    ['listing the members', 'GET', '/members'],
    ['listing the invitations', 'GET', '/invitations'],
    ['inviting an owner', 'POST', '/invitations', { email: 'accomplice@blackbox.test', role: 'owner' }],
    ['reading the audit log', 'GET', '/audit'],
    ['exporting the audit log', 'GET', '/audit/export?format=csv'],
    ['listing the webhooks', 'GET', '/webhooks'],
    ['seeing the licenses', 'GET', '/licenses'],
    ['changing the branding', 'PUT', '/branding', { displayName: 'Another face' }],
    ['switching the policy off', 'PATCH', '', { mfaPolicy: 'OPTIONAL' }],
    ['deleting it', 'DELETE', ''],
  ]
  test.each(ways)('refuses %s in another session of its owner', async (_, method, path, body) => {
    const browser = await owner.person.signIn()
    const inBrowser = await call(method, at(path), { headers: fromOwnPage(browser), body })
    expect(inBrowser.status).toBe(403)
    expect(inBrowser.body).toEqual(REFUSED)
    expect(inBrowser.body.message).toMatch(/\/mfa\/setup/)
  })

  test('refuses a token of another member, and allows leaving', async () => {
    const { headers, membershipId } = helper
    expect((await call('GET', at('/members'), { headers })).body).toEqual(REFUSED)
    for (const id of [owner.membershipId, randomUUID()]) {
      expect((await call('DELETE', at(`/members/${id}`), { headers })).body).toEqual(REFUSED)
    }
    expect((await call('DELETE', at(`/members/${membershipId}`), { headers })).status).toBe(200)
  })

  test('allows the session that set the policy to continue, for enrollment', async () => {
    const { headers } = owner
    expect((await call('GET', at('/members'), { headers })).status).toBe(200)
    expect(
      (await call('POST', '/api/users/me/mfa/totp', { headers, body: { password: owner.person.password } })).status,
    ).toBe(200)
  })
})

test('a session with a second factor has access with its cookie and with its new tokens (T176)', async () => {
  const { tenant, owner } = await newOwnedTenant()
  const path = `/api/tenants/${tenant.id}`
  const body = { mfaPolicy: 'REQUIRED' }
  await call('PATCH', path, { headers: owner.headers, body })
  const browser = await owner.person.signIn()
  const begun = await call('POST', '/api/users/me/mfa/totp', { headers: fromOwnPage(browser) })
  const code = await newAuthenticatorApp(String(begun.body.secret)).nextCode()
  expect((await browser.postJson('/api/users/me/mfa/totp/verify', { code })).status).toBe(200)
  const tokens = await getTokens(browser, client, { tenant: tenant.slug })
  for (const headers of [fromOwnPage(browser), bearer(tokens.access_token)]) {
    expect((await call('GET', `${path}/members`, { headers })).status).toBe(200)
  }
})

test('tokens end with the last second factor, also after the grant was refreshed into another tenant (T177)', async () => {
  const { tenant: strict, owner } = await newOwnedTenant()
  const other = await newTenant(owner.headers)
  const browser = await owner.person.signIn()
  const { password } = owner.person
  await addAuthenticatorApp({ ...(await getTokens(browser, client, { tenant: other.slug })), password })
  const body = { mfaPolicy: 'REQUIRED' }
  await call('PATCH', `/api/tenants/${strict.id}`, { headers: owner.headers, body })
  const first = await getTokens(browser, client, { tenant: strict.slug })
  const moved = await refreshTokens(client, first.refresh_token, { tenant: other.slug })
  for (const { access_token } of [first, moved.body]) expect((await getUserinfo(access_token)).status).toBe(200)
  expect((await callAs(moved.body, 'DELETE', '/api/users/me/mfa/totp', { password })).status).toBe(200)
  expect((await getUserinfo(first.access_token)).status).toBe(401)
  expect((await introspectToken(OPS, first.access_token)).body).toEqual({ active: false })
  expect((await getUserinfo(moved.body.access_token)).status).toBe(200)
})
