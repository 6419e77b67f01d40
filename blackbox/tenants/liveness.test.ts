import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { OPS } from '../support/admin.ts'
import { call, refusal, withCookies } from '../support/calls.ts'
import { splitToken } from '../support/jwt.ts'
import {
  authorize,
  bearer,
  exchange,
  getCode,
  introspect,
  landing,
  refresh,
  type Tokens,
} from '../support/oauth.ts'
import {
  expectDead,
  expectLive,
  joinTenant,
  type Member,
  newMember,
  newOwnedTenant,
  newTenant,
  type Tenant,
  tokensIn,
} from '../support/tenants.ts'

/** Somebody with tokens in two tenants, who is about to lose their place in the first. */
async function newTwofold() {
  const { tenant, owner } = await newOwnedTenant('Here')
  const member = await newMember(owner.headers, tenant.id, 'admin')
  const elsewhere = await newTenant(owner.headers, 'There')
  await joinTenant(owner.headers, elsewhere.id, member)
  return {
    tenant,
    owner,
    member,
    elsewhere,
    here: await tokensIn(member.person, tenant),
    there: await tokensIn(member.person, elsewhere),
  }
}

const pathOf = ({ id }: Tenant, { membershipId }: Member) => `/api/tenants/${id}/members/${membershipId}`

const ENDINGS = {
  suspended: (owner: Member, path: string) =>
    call('PATCH', path, { headers: owner.headers, body: { status: 'SUSPENDED' } }),
  removed: (owner: Member, path: string) => call('DELETE', path, owner),
}

describe.each(['suspended', 'removed'] as const)('who is %s', (ending) => {
  test('holds only dead tokens for that tenant from that moment, and live ones for others', async () => {
    const { tenant, owner, member, elsewhere, here, there } = await newTwofold()
    await expectLive(here, tenant.id)
    expect((await ENDINGS[ending](owner, pathOf(tenant, member))).status).toBe(200)
    await expectDead(here, tenant.id)
    await expectLive(there, elsewhere.id)
    // A live token of theirs for another tenant, or for none, opens nothing here.
    for (const headers of [bearer(there.access_token), member.headers]) {
      for (const path of ['', '/members', '/invitations', '/audit']) {
        const answer = await call('GET', `/api/tenants/${tenant.id}${path}`, { headers })
        expect(answer.status, path).toBe(403)
        expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
      }
    }
    const refreshed = await refresh(client, there.refresh_token)
    expect(refreshed.status).toBe(200)
    expect(splitToken(refreshed.body.access_token).payload).toMatchObject({ tenant_id: elsewhere.id })
  })

  test('stays signed in in their browser, without a place in that tenant', async () => {
    const { tenant, owner, member } = await newTwofold()
    const browser = await member.person.signIn()
    await ENDINGS[ending](owner, pathOf(tenant, member))
    const headers = withCookies(browser)
    expect((await call('GET', '/api/users/me', { headers })).status).toBe(200)
    expect((await call('GET', `/api/tenants/${tenant.id}`, { headers })).status).toBe(403)
    const denied = landing(await authorize(browser, client, { tenant: tenant.slug }))
    expect(denied).toMatchObject({ error: 'access_denied' })
    expect(denied).not.toHaveProperty('code')
  })

  test('cannot redeem a code from before, nor switch to that tenant', async () => {
    const { tenant, owner, member, there } = await newTwofold()
    const code = await getCode(await member.person.signIn(), client, { tenant: tenant.slug })
    await ENDINGS[ending](owner, pathOf(tenant, member))
    const redeemed = await exchange(client, code)
    expect(redeemed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(redeemed.body).not.toHaveProperty('access_token')
    const switched = await refresh(client, there.refresh_token, { tenant: tenant.slug })
    expect(switched.status).toBe(400)
    expect(switched.body).not.toHaveProperty('access_token')
  })
})

test('whoever leaves by a token for the tenant has made it a dead one', async () => {
  const { tenant, member, elsewhere, here, there } = await newTwofold()
  const left = await call('DELETE', pathOf(tenant, member), { headers: bearer(here.access_token) })
  expect(left.status).toBe(200)
  await expectDead(here, tenant.id)
  await expectLive(there, elsewhere.id)
})

test('whoever is reactivated has their place back at once, and may use the tokens they had', async () => {
  const { tenant, owner, member, here } = await newTwofold()
  const set = (status: string) =>
    call('PATCH', pathOf(tenant, member), { headers: owner.headers, body: { status } })
  await set('SUSPENDED')
  await expectDead(here, tenant.id)
  expect((await set('ACTIVE')).body).toMatchObject({ status: 'ACTIVE', role: 'admin' })
  await expectLive(here, tenant.id)
  expect((await refresh(client, here.refresh_token)).status).toBe(200)
  expect((await call('GET', `/api/tenants/${tenant.id}`, member)).status).toBe(200)
  const anew = await tokensIn(member.person, tenant)
  await expectLive(anew, tenant.id)
})

test('whoever was removed and comes back gets new tokens, and the old ones stay dead', async () => {
  const { tenant, owner, member, here } = await newTwofold()
  await call('DELETE', pathOf(tenant, member), owner)
  await joinTenant(owner.headers, tenant.id, member)
  // Judged by the tokens alone, before and after anybody tries to use them.
  expect((await introspect(OPS, here.refresh_token)).body).toEqual({ active: false })
  await expectDead(here, tenant.id)
  const anew = await tokensIn(member.person, tenant)
  await expectLive(anew, tenant.id)
  expect(splitToken(anew.access_token).payload).toMatchObject({ tenant_roles: ['member'] })
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

  test('counts at once, whatever role the token still names', async () => {
    const { tenant, owner, member, here } = await newTwofold()
    const set = (role: string) =>
      call('PATCH', pathOf(tenant, member), { headers: owner.headers, body: { role } })
    expect((await rename(here, tenant)).status).toBe(200)
    await set('member')
    expect(splitToken(here.access_token).payload).toMatchObject({ tenant_roles: ['admin'] })
    const demoted = await rename(here, tenant)
    expect(demoted.status).toBe(403)
    expect(demoted.body).toEqual(refusal(403, 'FORBIDDEN'))
    await expectLive(here, tenant.id)
    await set('admin')
    expect((await rename(here, tenant)).status).toBe(200)
  })

  test('shows in the token that the next refresh gives', async () => {
    const { tenant, owner, member, here } = await newTwofold()
    await call('PATCH', pathOf(tenant, member), { headers: owner.headers, body: { role: 'owner' } })
    const { status, body } = await refresh(client, here.refresh_token)
    expect(status).toBe(200)
    expect(splitToken(body.access_token).payload).toMatchObject({
      tenant_id: tenant.id,
      tenant_slug: tenant.slug,
      tenant_roles: ['owner'],
    })
  })

  test('in one tenant gives nothing in another', async () => {
    const { owner, tenant, elsewhere, member, there } = await newTwofold()
    await call('PATCH', pathOf(tenant, member), { headers: owner.headers, body: { role: 'owner' } })
    expect((await rename(there, elsewhere)).status).toBe(403)
    // The token's own tenant does not decide either: they are an owner there, whatever token they show.
    expect((await rename(there, tenant)).status).toBe(200)
  })
})
