import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSomebody, type Somebody } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { introspect, obtainTokens, refresh, startWorld, type Tokens, userinfo } from '../support/world.ts'
import { type Company, employ, newCompany } from './company.ts'

// What is done to a member on one node is known to that node at once, and to the others a moment later.

let here: TestService
let there: TestService
beforeAll(async () => {
  here = await startWorld()
  there = await startService({ beside: here })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

interface Scene {
  company: Company
  owner: Somebody
  member: Somebody
  membershipId: string
  /** Of the tenant, and known to both nodes. */
  tokens: Tokens
  /** Of another tenant of the same person. */
  others: Tokens
}

async function newScene(): Promise<Scene> {
  const [owner, member] = [await newSomebody(here), await newSomebody(here)]
  const [company, other] = [await newCompany(here), await newCompany(here)]
  for (const tenant of [company, other]) await employ(here, tenant, owner, { role: 'owner' })
  const membershipId = await employ(here, company, member)
  await employ(here, other, member)
  const tokens = await obtainTokens(here.url, member.cookie, { tenant: company.slug })
  const others = await obtainTokens(here.url, member.cookie, { tenant: other.slug })
  for (const { access_token } of [tokens, others]) await expectAlive(access_token)
  return { company, owner, member, membershipId, tokens, others }
}

const expectAlive = async (accessToken: string) => {
  for (const { url } of [here, there]) expect(await userinfo(url, accessToken)).toBe(200)
}

async function expectDead({ access_token, refresh_token }: Tokens): Promise<void> {
  expect(await userinfo(here.url, access_token)).toBe(401)
  expect(await introspect(here.url, access_token)).toEqual({ active: false })
  await expect.poll(() => userinfo(there.url, access_token)).toBe(401)
  expect(await introspect(there.url, access_token)).toEqual({ active: false })
  expect(await introspect(there.url, refresh_token)).toEqual({ active: false })
  const refused = { status: 400, body: { error: 'invalid_grant' } }
  expect(await refresh(there.url, refresh_token)).toMatchObject(refused)
}

/** How the two nodes answer somebody who asks for the tenant itself. */
const lookAt = async ({ company }: Scene, accessToken: string) => {
  const headers = { authorization: `Bearer ${accessToken}` }
  const ask = async ({ url }: TestService) =>
    (await fetch(`${url}/api/tenants/${company.id}`, { headers })).status
  return [await ask(here), await ask(there)]
}

const ENDINGS: [string, (scene: Scene) => Promise<{ status: number }>, number][] = [
  [
    'the suspension of a member',
    ({ owner, company, membershipId }) =>
      owner.call('PATCH', `/api/tenants/${company.id}/members/${membershipId}`, { status: 'SUSPENDED' }),
    403,
  ],
  [
    'the removal of a member',
    ({ owner, company, membershipId }) =>
      owner.call('DELETE', `/api/tenants/${company.id}/members/${membershipId}`),
    403,
  ],
  [
    'the leaving of a member',
    ({ member, company, membershipId }) =>
      member.call('DELETE', `/api/tenants/${company.id}/members/${membershipId}`),
    403,
  ],
  [
    'the deletion of the tenant',
    ({ owner, company }) => owner.call('DELETE', `/api/tenants/${company.id}`),
    404,
  ],
]

describe.each(ENDINGS)('%s on one node', (_, end, status) => {
  test('ends every token of that tenant on both, and no other', async () => {
    const scene = await newScene()
    expect((await end(scene)).status).toBe(200)
    await expectDead(scene.tokens)
    await expectAlive(scene.others.access_token)
    expect((await refresh(there.url, scene.others.refresh_token)).status).toBe(200)
  })

  test('takes their place from them on both at once, whatever token they come with', async () => {
    const scene = await newScene()
    const { others, member } = scene
    for (const { access_token } of [others, member.tokens]) {
      expect(await lookAt(scene, access_token)).toEqual([200, 200])
    }
    expect((await end(scene)).status).toBe(200)
    for (const { access_token } of [others, member.tokens]) {
      expect(await lookAt(scene, access_token)).toEqual([status, status])
    }
  })
})

test('a suspended member who is reactivated is served again on both nodes with the tokens they had', async () => {
  const scene = await newScene()
  const { owner, company, membershipId, tokens } = scene
  const set = async (status: string) =>
    (await owner.call('PATCH', `/api/tenants/${company.id}/members/${membershipId}`, { status })).status
  expect(await set('SUSPENDED')).toBe(200)
  await expectDead(tokens)
  expect(await set('ACTIVE')).toBe(200)
  expect(await userinfo(here.url, tokens.access_token)).toBe(200)
  await expect.poll(() => userinfo(there.url, tokens.access_token)).toBe(200)
  expect((await refresh(there.url, tokens.refresh_token)).status).toBe(200)
})

test('a member who is invited anew after a removal finds none of their old tokens alive on either node', async () => {
  const scene = await newScene()
  const { owner, company, member, membershipId, tokens } = scene
  const path = `/api/tenants/${company.id}/members/${membershipId}`
  expect((await owner.call('DELETE', path)).status).toBe(200)
  await employ(here, company, member)
  await here.ctx.changes.settle()
  await there.ctx.changes.settle()
  expect(await lookAt(scene, member.tokens.access_token)).toEqual([200, 200])
  await expectDead(tokens)
})

test('another role is that of the member on both nodes at once', async () => {
  const scene = await newScene()
  const { owner, company, member, membershipId } = scene
  const invite = async ({ url }: TestService) => {
    const headers = { authorization: `Bearer ${member.tokens.access_token}` }
    return (await fetch(`${url}/api/tenants/${company.id}/invitations`, { headers })).status
  }
  const path = `/api/tenants/${company.id}/members/${membershipId}`
  expect([await invite(here), await invite(there)]).toEqual([403, 403])
  expect((await owner.call('PATCH', path, { role: 'admin' })).status).toBe(200)
  expect([await invite(here), await invite(there)]).toEqual([200, 200])
  expect((await owner.call('PATCH', path, { role: 'member' })).status).toBe(200)
  expect([await invite(here), await invite(there)]).toEqual([403, 403])
})
