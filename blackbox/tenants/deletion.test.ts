import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newApplication, newMachine, OPS } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { call, errorBody, ownOrigin, withCookies } from '../support/calls.ts'
import { findToken, listMails } from '../support/mail.ts'
import { authorize, bearer, introspectToken, readRedirect, requestMachineToken } from '../support/oauth.ts'
import { unique } from '../support/service.ts'
import {
  expectActiveTokens,
  expectRevokedTokens,
  getTenantTokens,
  invite,
  listMembers,
  newCaller,
  newMember,
  newOwnedTenant,
  newTenant,
  type Tenant,
  waitForInvitationToken,
} from '../support/tenants.ts'

const remove = ({ id }: Tenant, headers: Record<string, string>) => call('DELETE', `/api/tenants/${id}`, { headers })

describe('deleting a tenant', () => {
  test('is allowed for owners only', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const suspended = await newMember(owner.headers, tenant.id, 'owner')
    const invited = await newCaller()
    await invite(owner.headers, tenant.id, { email: invited.person.email, role: 'owner' })
    await call('PATCH', `/api/tenants/${tenant.id}/members/${suspended.membershipId}`, {
      headers: owner.headers,
      body: { status: 'SUSPENDED' },
    })
    const others = {
      admin: await newMember(owner.headers, tenant.id, 'admin'),
      member: await newMember(owner.headers, tenant.id, 'member'),
      'suspended owner': suspended,
      'invited owner': invited,
      'owner of another tenant': (await newOwnedTenant()).owner,
      outsider: await newCaller(),
    }
    for (const [who, { headers }] of Object.entries(others)) {
      const { status, body } = await remove(tenant, headers)
      expect(status, who).toBe(403)
      expect(body, who).toEqual(errorBody(403, 'OWNER_REQUIRED'))
    }
    const { status, body } = await call('GET', `/api/tenants/${tenant.id}`, owner)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...tenant, memberCount: 3 })
  })

  test('makes it unknown to all its members', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const member = await newMember(owner.headers, tenant.id)
    const { status, body } = await remove(tenant, owner.headers)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Tenant deleted' })
    for (const { headers } of [owner, member]) {
      for (const path of ['', '/members', '/invitations', '/audit']) {
        const response = await call('GET', `/api/tenants/${tenant.id}${path}`, { headers })
        expect(response.status, path).toBe(404)
        expect(response.body, path).toEqual(errorBody(404, 'TENANT_NOT_FOUND'))
      }
      expect((await call('GET', '/api/tenants', { headers })).body).toEqual({ tenants: [] })
      expect((await call('GET', '/api/users/me', { headers })).body.memberships).toEqual([])
    }
    expect(await remove(tenant, owner.headers)).toMatchObject({
      status: 404,
      body: { error: 'TENANT_NOT_FOUND' },
    })
  })

  test('revokes every token for it, including that of the request, and none for other tenants', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const member = await newMember(owner.headers, tenant.id)
    const other = await newTenant(owner.headers, 'Untouched')
    const ownersTokens = await getTenantTokens(owner.person, tenant)
    const membersTokens = await getTenantTokens(member.person, tenant)
    const othersTokens = await getTenantTokens(owner.person, other)
    await expectActiveTokens(membersTokens, tenant.id)
    expect((await remove(tenant, bearer(ownersTokens.access_token))).status).toBe(200)
    await expectRevokedTokens(ownersTokens, tenant.id)
    await expectRevokedTokens(membersTokens, tenant.id)
    await expectActiveTokens(othersTokens, other.id)
    expect((await call('GET', '/api/users/me', member)).status).toBe(200)
  })

  test('deletes its machines and revokes their tokens', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const other = await newTenant(owner.headers)
    const application = await newApplication()
    const bound = await newMachine(application, ['licenses:read'], { tenantId: tenant.id })
    const otherMachine = await newMachine(application, ['licenses:read'], { tenantId: other.id })
    const token = (await requestMachineToken(bound)).body.access_token
    const othersToken = (await requestMachineToken(otherMachine)).body.access_token
    expect((await introspectToken(OPS, token)).body).toMatchObject({ active: true })
    await remove(tenant, owner.headers)
    expect((await introspectToken(OPS, token)).body).toEqual({ active: false })
    expect(await requestMachineToken(bound)).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
    expect((await introspectToken(OPS, othersToken)).body).toMatchObject({ active: true })
  })

  test('invalidates its invitations and removes INVITED members', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const existing = await newCaller()
    const newcomer = `${unique('someone')}@blackbox.test`
    await invite(owner.headers, tenant.id, { email: existing.person.email })
    await invite(owner.headers, tenant.id, { email: newcomer })
    const tokens = [await waitForInvitationToken(existing.person.email), await waitForInvitationToken(newcomer)]
    await remove(tenant, owner.headers)
    const body = { password: unique('a long enough secret'), givenName: 'Sam', familyName: 'Someone' }
    for (const token of tokens) {
      for (const response of [
        await call('GET', `/api/invitations/${token}`),
        await call('POST', `/api/invitations/${token}/accept`, { headers: existing.headers, body }),
        await call('POST', `/api/invitations/${token}/accept`, { body }),
      ]) {
        expect(response.status).toBe(404)
        expect(response.body).toEqual(errorBody(404, 'INVITATION_NOT_FOUND'))
      }
    }
    const second = await newTenant(owner.headers)
    await invite(owner.headers, second.id, { email: newcomer })
    expect((await listMembers(owner.headers, second.id, '?status=INVITED')).pagination.total).toBe(1)
  })

  test('lets invited people sign up as usual', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const email = `${unique('someone')}@blackbox.test`
    await invite(owner.headers, tenant.id, { email })
    await remove(tenant, owner.headers)
    const password = unique('a long enough secret')
    const origin = { origin: ownOrigin }
    const signedUp = await call('POST', '/api/auth/register', { headers: origin, body: { email, password } })
    expect(signedUp.status).toBe(201)
    const token = findToken((await listMails(email))[0])
    const verified = await call('POST', '/api/auth/email/verify', { headers: origin, body: { token } })
    expect(verified.status).toBe(200)
    const browser = openBrowser()
    expect((await browser.postJson('/api/auth/login', { email, password })).status).toBe(200)
    const profile = await call('GET', '/api/users/me', { headers: withCookies(browser) })
    expect(profile.body).toMatchObject({ email, emailVerified: true, memberships: [] })
  })

  test('frees its slug, and a new tenant with it has none of the old members', async () => {
    const { tenant, owner } = await newOwnedTenant('The first of that slug')
    const member = await newMember(owner.headers, tenant.id, 'admin')
    const invited = await newCaller()
    await invite(owner.headers, tenant.id, { email: invited.person.email })
    const link = await waitForInvitationToken(invited.person.email)
    const tokens = await getTenantTokens(member.person, tenant)
    await remove(tenant, owner.headers)

    const outsider = await newCaller()
    const body = { name: 'The second of that slug', slug: tenant.slug }
    const created = await call<Tenant>('POST', '/api/tenants', { headers: outsider.headers, body })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ slug: tenant.slug })
    expect(created.body.id).not.toBe(tenant.id)

    await expectRevokedTokens(tokens, created.body.id)
    for (const { headers } of [owner, member, invited]) {
      expect((await call('GET', '/api/tenants', { headers })).body).toEqual({ tenants: [] })
      expect((await call('GET', `/api/tenants/${created.body.id}`, { headers })).status).toBe(403)
    }
    expect((await call('GET', `/api/invitations/${link}`)).status).toBe(404)
    const denied = readRedirect(await authorize(await member.person.signIn(), client, { tenant: tenant.slug }))
    expect(denied).toMatchObject({ error: 'access_denied' })
    expect(await listMembers(outsider.headers, created.body.id)).toMatchObject({
      members: [{ user: { email: outsider.person.email }, role: 'owner' }],
      pagination: { total: 1 },
    })
    expect((await call('GET', `/api/tenants/${created.body.id}`, outsider)).body).toMatchObject({
      name: 'The second of that slug',
      settings: {},
      memberCount: 1,
    })
  })

  test('lets its last owner delete the account', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const { headers, person } = owner
    const body = { confirmation: 'DELETE MY ACCOUNT', password: person.password }
    expect((await call('DELETE', '/api/users/me', { headers, body })).body).toMatchObject({
      error: 'TENANT_OWNER',
    })
    await remove(tenant, headers)
    expect((await call('DELETE', '/api/users/me', { headers, body })).status).toBe(200)
  })
})
