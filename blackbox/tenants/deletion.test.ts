import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newApplication, newMachine, OPS } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { call, ownOrigin, refusal, withCookies } from '../support/calls.ts'
import { mailTo, tokenIn } from '../support/mail.ts'
import { askMachineToken, authorize, bearer, introspect, landing } from '../support/oauth.ts'
import { unique } from '../support/service.ts'
import {
  expectDead,
  expectLive,
  invitationTokenFor,
  invite,
  listMembers,
  newInsider,
  newMember,
  newOwnedTenant,
  newTenant,
  type Tenant,
  tokensIn,
} from '../support/tenants.ts'

const remove = ({ id }: Tenant, headers: Record<string, string>) =>
  call('DELETE', `/api/tenants/${id}`, { headers })

describe('deleting a tenant', () => {
  test('is for owners alone: others are told so, and it stays', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const suspended = await newMember(owner.headers, tenant.id, 'owner')
    const invited = await newInsider()
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
      outsider: await newInsider(),
    }
    for (const [who, { headers }] of Object.entries(others)) {
      const { status, body } = await remove(tenant, headers)
      expect(status, who).toBe(403)
      expect(body, who).toEqual(refusal(403, 'OWNER_REQUIRED'))
    }
    const { status, body } = await call('GET', `/api/tenants/${tenant.id}`, owner)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...tenant, memberCount: 3 })
  })

  test('makes it unknown to everybody who belonged to it', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const member = await newMember(owner.headers, tenant.id)
    const { status, body } = await remove(tenant, owner.headers)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Tenant deleted' })
    for (const { headers } of [owner, member]) {
      for (const path of ['', '/members', '/invitations', '/audit']) {
        const answer = await call('GET', `/api/tenants/${tenant.id}${path}`, { headers })
        expect(answer.status, path).toBe(404)
        expect(answer.body, path).toEqual(refusal(404, 'TENANT_NOT_FOUND'))
      }
      expect((await call('GET', '/api/tenants', { headers })).body).toEqual({ tenants: [] })
      expect((await call('GET', '/api/users/me', { headers })).body.memberships).toEqual([])
    }
    expect(await remove(tenant, owner.headers)).toMatchObject({
      status: 404,
      body: { error: 'TENANT_NOT_FOUND' },
    })
  })

  test('ends every token for it, the one that asked for it included, and none for another', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const member = await newMember(owner.headers, tenant.id)
    const other = await newTenant(owner.headers, 'Untouched')
    const ownersTokens = await tokensIn(owner.person, tenant)
    const membersTokens = await tokensIn(member.person, tenant)
    const othersTokens = await tokensIn(owner.person, other)
    await expectLive(membersTokens, tenant.id)
    expect((await remove(tenant, bearer(ownersTokens.access_token))).status).toBe(200)
    await expectDead(ownersTokens, tenant.id)
    await expectDead(membersTokens, tenant.id)
    await expectLive(othersTokens, other.id)
    expect((await call('GET', '/api/users/me', member)).status).toBe(200)
  })

  test('ends the machines that were bound to it, with their tokens', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const other = await newTenant(owner.headers)
    const application = await newApplication()
    const bound = await newMachine(application, ['licenses:read'], { tenantId: tenant.id })
    const elsewhere = await newMachine(application, ['licenses:read'], { tenantId: other.id })
    const token = (await askMachineToken(bound)).body.access_token
    const othersToken = (await askMachineToken(elsewhere)).body.access_token
    expect((await introspect(OPS, token)).body).toMatchObject({ active: true })
    await remove(tenant, owner.headers)
    expect((await introspect(OPS, token)).body).toEqual({ active: false })
    expect(await askMachineToken(bound)).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
    expect((await introspect(OPS, othersToken)).body).toMatchObject({ active: true })
  })

  test('makes the links of its invitations unknown, and leaves nobody half-invited behind', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const existing = await newInsider()
    const newcomer = `${unique('someone')}@blackbox.test`
    await invite(owner.headers, tenant.id, { email: existing.person.email })
    await invite(owner.headers, tenant.id, { email: newcomer })
    const tokens = [await invitationTokenFor(existing.person.email), await invitationTokenFor(newcomer)]
    await remove(tenant, owner.headers)
    const body = { password: unique('a long enough secret'), givenName: 'Sam', familyName: 'Someone' }
    for (const token of tokens) {
      for (const answer of [
        await call('GET', `/api/invitations/${token}`),
        await call('POST', `/api/invitations/${token}/accept`, { headers: existing.headers, body }),
        await call('POST', `/api/invitations/${token}/accept`, { body }),
      ]) {
        expect(answer.status).toBe(404)
        expect(answer.body).toEqual(refusal(404, 'INVITATION_NOT_FOUND'))
      }
    }
    const second = await newTenant(owner.headers)
    await invite(owner.headers, second.id, { email: newcomer })
    expect((await listMembers(owner.headers, second.id, '?status=INVITED')).pagination.total).toBe(1)
  })

  test('leaves whoever was only invited free to sign up as if they had not been', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const email = `${unique('someone')}@blackbox.test`
    await invite(owner.headers, tenant.id, { email })
    await remove(tenant, owner.headers)
    const password = unique('a long enough secret')
    const origin = { origin: ownOrigin }
    const signedUp = await call('POST', '/api/auth/register', { headers: origin, body: { email, password } })
    expect(signedUp.status).toBe(201)
    const token = tokenIn((await mailTo(email))[0])
    const verified = await call('POST', '/api/auth/email/verify', { headers: origin, body: { token } })
    expect(verified.status).toBe(200)
    const browser = openBrowser()
    expect((await browser.postJson('/api/auth/login', { email, password })).status).toBe(200)
    const profile = await call('GET', '/api/users/me', { headers: withCookies(browser) })
    expect(profile.body).toMatchObject({ email, emailVerified: true, memberships: [] })
  })

  test('frees its slug, under which another tenant gives its people nothing', async () => {
    const { tenant, owner } = await newOwnedTenant('The first of that slug')
    const member = await newMember(owner.headers, tenant.id, 'admin')
    const invited = await newInsider()
    await invite(owner.headers, tenant.id, { email: invited.person.email })
    const link = await invitationTokenFor(invited.person.email)
    const tokens = await tokensIn(member.person, tenant)
    await remove(tenant, owner.headers)

    const stranger = await newInsider()
    const body = { name: 'The second of that slug', slug: tenant.slug }
    const founded = await call<Tenant>('POST', '/api/tenants', { headers: stranger.headers, body })
    expect(founded.status).toBe(201)
    expect(founded.body).toMatchObject({ slug: tenant.slug })
    expect(founded.body.id).not.toBe(tenant.id)

    await expectDead(tokens, founded.body.id)
    for (const { headers } of [owner, member, invited]) {
      expect((await call('GET', '/api/tenants', { headers })).body).toEqual({ tenants: [] })
      expect((await call('GET', `/api/tenants/${founded.body.id}`, { headers })).status).toBe(403)
    }
    expect((await call('GET', `/api/invitations/${link}`)).status).toBe(404)
    const denied = landing(await authorize(await member.person.signIn(), client, { tenant: tenant.slug }))
    expect(denied).toMatchObject({ error: 'access_denied' })
    expect(await listMembers(stranger.headers, founded.body.id)).toMatchObject({
      members: [{ user: { email: stranger.person.email }, role: 'owner' }],
      pagination: { total: 1 },
    })
    expect((await call('GET', `/api/tenants/${founded.body.id}`, stranger)).body).toMatchObject({
      name: 'The second of that slug',
      settings: {},
      memberCount: 1,
    })
  })

  test('sets its last owner free to delete their account', async () => {
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
