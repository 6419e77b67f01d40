import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { introspect, obtainTokens, refresh, startDemoService, type Tokens, userinfo } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from './tenant-rows.ts'

// A change of a member is visible on its own node immediately, and on other nodes after the change feed delivers it.

let here: TestService
let there: TestService
beforeAll(async () => {
  here = await startDemoService()
  there = await startService({ sameDatabaseAs: here })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

interface Fixture {
  company: TestTenant
  owner: TestUser
  member: TestUser
  membershipId: string
  /** Tokens for the tenant, cached by both nodes. */
  tokens: Tokens
  /** Tokens for another tenant of the same user. */
  otherTokens: Tokens
}

async function createFixture(): Promise<Fixture> {
  const [owner, member] = [await createSignedInUser(here), await createSignedInUser(here)]
  const [company, other] = [await insertTenant(here), await insertTenant(here)]
  for (const tenant of [company, other]) await insertMembership(here, tenant, owner, { role: 'owner' })
  const membershipId = await insertMembership(here, company, member)
  await insertMembership(here, other, member)
  const tokens = await obtainTokens(here.url, member.cookie, { tenant: company.slug })
  const otherTokens = await obtainTokens(here.url, member.cookie, { tenant: other.slug })
  for (const { access_token } of [tokens, otherTokens]) await expectAccepted(access_token)
  return { company, owner, member, membershipId, tokens, otherTokens }
}

const expectAccepted = async (accessToken: string) => {
  for (const { url } of [here, there]) expect(await userinfo(url, accessToken)).toBe(200)
}

async function expectRefused({ access_token, refresh_token }: Tokens): Promise<void> {
  expect(await userinfo(here.url, access_token)).toBe(401)
  expect(await introspect(here.url, access_token)).toEqual({ active: false })
  await expect.poll(() => userinfo(there.url, access_token)).toBe(401)
  expect(await introspect(there.url, access_token)).toEqual({ active: false })
  expect(await introspect(there.url, refresh_token)).toEqual({ active: false })
  const refused = { status: 400, body: { error: 'invalid_grant' } }
  expect(await refresh(there.url, refresh_token)).toMatchObject(refused)
}

/** The status of a request for the tenant on both nodes. */
const getTenantStatuses = async ({ company }: Fixture, accessToken: string) => {
  const headers = { authorization: `Bearer ${accessToken}` }
  const ask = async ({ url }: TestService) => (await fetch(`${url}/api/tenants/${company.id}`, { headers })).status
  return [await ask(here), await ask(there)]
}

const TERMINATIONS: [string, (fixture: Fixture) => Promise<{ status: number }>, number][] = [
  [
    'the suspension of a member',
    ({ owner, company, membershipId }) =>
      owner.call('PATCH', `/api/tenants/${company.id}/members/${membershipId}`, { status: 'SUSPENDED' }),
    403,
  ],
  [
    'the removal of a member',
    ({ owner, company, membershipId }) => owner.call('DELETE', `/api/tenants/${company.id}/members/${membershipId}`),
    403,
  ],
  [
    'a member who leaves',
    ({ member, company, membershipId }) => member.call('DELETE', `/api/tenants/${company.id}/members/${membershipId}`),
    403,
  ],
  ['the deletion of the tenant', ({ owner, company }) => owner.call('DELETE', `/api/tenants/${company.id}`), 404],
]

describe.each(TERMINATIONS)('%s on one node', (_, end, status) => {
  test('revokes all tokens for the tenant on both nodes, and no others', async () => {
    const fixture = await createFixture()
    expect((await end(fixture)).status).toBe(200)
    await expectRefused(fixture.tokens)
    await expectAccepted(fixture.otherTokens.access_token)
    expect((await refresh(there.url, fixture.otherTokens.refresh_token)).status).toBe(200)
  })

  test('ends access to the tenant on both nodes immediately, with any token', async () => {
    const fixture = await createFixture()
    const { otherTokens, member } = fixture
    for (const { access_token } of [otherTokens, member.tokens]) {
      expect(await getTenantStatuses(fixture, access_token)).toEqual([200, 200])
    }
    expect((await end(fixture)).status).toBe(200)
    for (const { access_token } of [otherTokens, member.tokens]) {
      expect(await getTenantStatuses(fixture, access_token)).toEqual([status, status])
    }
  })
})

test('the tokens of a suspended member work again on both nodes after reactivation', async () => {
  const fixture = await createFixture()
  const { owner, company, membershipId, tokens } = fixture
  const set = async (status: string) =>
    (await owner.call('PATCH', `/api/tenants/${company.id}/members/${membershipId}`, { status })).status
  expect(await set('SUSPENDED')).toBe(200)
  await expectRefused(tokens)
  expect(await set('ACTIVE')).toBe(200)
  expect(await userinfo(here.url, tokens.access_token)).toBe(200)
  await expect.poll(() => userinfo(there.url, tokens.access_token)).toBe(200)
  expect((await refresh(there.url, tokens.refresh_token)).status).toBe(200)
})

test('the tokens of a removed member stay revoked on both nodes when the user becomes a member again', async () => {
  const fixture = await createFixture()
  const { owner, company, member, membershipId, tokens } = fixture
  const path = `/api/tenants/${company.id}/members/${membershipId}`
  expect((await owner.call('DELETE', path)).status).toBe(200)
  await insertMembership(here, company, member)
  await here.ctx.changes.waitUntilCurrent()
  await there.ctx.changes.waitUntilCurrent()
  expect(await getTenantStatuses(fixture, member.tokens.access_token)).toEqual([200, 200])
  await expectRefused(tokens)
})

test('a changed role applies on both nodes immediately', async () => {
  const fixture = await createFixture()
  const { owner, company, member, membershipId } = fixture
  const listInvitations = async ({ url }: TestService) => {
    const headers = { authorization: `Bearer ${member.tokens.access_token}` }
    return (await fetch(`${url}/api/tenants/${company.id}/invitations`, { headers })).status
  }
  const path = `/api/tenants/${company.id}/members/${membershipId}`
  expect([await listInvitations(here), await listInvitations(there)]).toEqual([403, 403])
  expect((await owner.call('PATCH', path, { role: 'admin' })).status).toBe(200)
  expect([await listInvitations(here), await listInvitations(there)]).toEqual([200, 200])
  expect((await owner.call('PATCH', path, { role: 'member' })).status).toBe(200)
  expect([await listInvitations(here), await listInvitations(there)]).toEqual([403, 403])
})
