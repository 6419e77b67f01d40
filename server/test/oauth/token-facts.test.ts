import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { replaceSigningKeys } from '../../src/keys/signing-keys.ts'
import { findLiveGrant } from '../../src/oauth/store.ts'
import { addPerson, call, newSomebody, type Somebody } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import {
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  exchange,
  introspect,
  machineToken,
  PASSWORD,
  refresh,
  startWorld,
  token,
  userinfo,
} from '../support/world.ts'
import { type Company, employ, newCompany } from '../tenants/company.ts'

// Every node remembers what it knows of a token. Each fact that a token's life or power rests on is announced when it
// changes: as soon as another node has heard of that, it refuses the token. Nothing here waits for anything else.

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

/** All that was committed so far has been announced to both nodes. */
async function heard(): Promise<void> {
  for (const { ctx } of [here, there]) await ctx.changes.settle()
}

const usesOn = async ({ url }: TestService, accessToken: string) => [
  await userinfo(url, accessToken),
  (await introspect(url, accessToken)).active,
]

async function expectLive(accessToken: string): Promise<void> {
  for (const node of [here, there]) expect(await usesOn(node, accessToken)).toEqual([200, true])
}

async function expectDead(accessToken: string): Promise<void> {
  await heard()
  for (const node of [there, here]) expect(await usesOn(node, accessToken)).toEqual([401, false])
}

interface Registered {
  id: string
  clientId: string
  clientSecret: string
}

/** A client in an application of its own, so that a test may do to it what it likes. */
async function newClient(draft: object): Promise<{ applicationId: string; client: Registered }> {
  const name = `Application ${randomUUID()}`
  const { id: applicationId } = await admin<{ id: string }>(here.url, '/api/admin/applications', { name })
  const body = { applicationId, name: 'Client', ...draft }
  return { applicationId, client: await admin<Registered>(here.url, '/api/admin/clients', body) }
}

/** A member of a company, and what they hold for it through a client of their own. */
interface Scene {
  company: Company
  member: Somebody
  membershipId: string
  applicationId: string
  client: Registered
  code: string
  accessToken: string
  refreshToken: string
}

async function newScene(traits: object = {}): Promise<Scene> {
  const [company, member] = [await newCompany(here), await newSomebody(here, traits)]
  await employ(here, company, await addPerson(here), { role: 'owner' })
  const membershipId = await employ(here, company, member)
  const registered = await newClient({ kind: 'SPA', redirectUris: [CALLBACK] })
  const held = await obtain(registered.client, member.cookie, company)
  return { company, member, membershipId, ...registered, ...held }
}

async function obtain({ clientId: client_id }: Registered, cookie: string, { slug: tenant }: Company) {
  const { answer } = await authorize(here.url, cookie, { client_id, tenant })
  const { body } = await exchange(here.url, answer.code, { client_id })
  return { code: answer.code ?? '', accessToken: body.access_token, refreshToken: body.refresh_token }
}

const patch = (path: string, body: object) => admin(here.url, `/api/admin${path}`, body, 'PATCH')
async function remove(path: string): Promise<void> {
  const headers = { authorization: `Bearer ${await machineToken(here.url, 'demo-ops')}` }
  expect((await call(`${here.url}/api/admin${path}`, { method: 'DELETE', headers })).status).toBe(200)
}
const revoke = ({ clientId: client_id }: Registered, shown: string) =>
  fetch(`${here.url}/api/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: shown, client_id }),
  })
const leave = (membershipId: string) =>
  here.ctx.db.deleteFrom('memberships').where('id', '=', membershipId).execute()

const ENDINGS: Record<string, (scene: Scene) => Promise<unknown>> = {
  'its session ends': ({ member }) => remove(`/users/${member.id}/sessions`),
  'its family is revoked': ({ client, refreshToken }) => revoke(client, refreshToken),
  'its code is shown again': ({ client, code }) => exchange(here.url, code, { client_id: client.clientId }),
  'a refresh token of its family is used twice': async ({ client, refreshToken }) => {
    for (let use = 0; use < 2; use++) await refresh(here.url, refreshToken, { client_id: client.clientId })
  },
  'it is revoked itself': ({ client, accessToken }) => revoke(client, accessToken),
  'its person is disabled': ({ member }) => patch(`/users/${member.id}`, { disabled: true }),
  'its person is about to be deleted': ({ member }) => remove(`/users/${member.id}`),
  'its person is erased': ({ member }) =>
    here.ctx.db.deleteFrom('users').where('id', '=', member.id).execute(),
  'its membership is suspended': ({ membershipId: id }) =>
    here.ctx.db.updateTable('memberships').set({ status: 'SUSPENDED' }).where('id', '=', id).execute(),
  'its membership ends': ({ membershipId }) => leave(membershipId),
  'its membership is another one': async ({ company, member, membershipId }) => {
    await leave(membershipId)
    await employ(here, company, member)
  },
  'its tenant is suspended': ({ company }) => patch(`/tenants/${company.id}`, { suspended: true }),
  'its tenant was suspended in between': async ({ company }) => {
    for (const suspended of [true, false]) await patch(`/tenants/${company.id}`, { suspended })
  },
  'its tenant begins to require a second factor': ({ company }) =>
    patch(`/tenants/${company.id}`, { mfaPolicy: 'REQUIRED' }),
  'its tenant is deleted': ({ company }) =>
    here.ctx.db.deleteFrom('tenants').where('id', '=', company.id).execute(),
  'its client is disabled': ({ client }) => patch(`/clients/${client.id}`, { disabled: true }),
  'its client is deleted': ({ client }) => remove(`/clients/${client.id}`),
  'its application is deleted': ({ applicationId }) => remove(`/applications/${applicationId}`),
}

describe("a person's token is dead on the other node as soon as", () => {
  test.each(Object.entries(ENDINGS))('%s', async (name, end) => {
    const scene = await newScene()
    await expectLive(scene.accessToken)
    // A token of the second in which a tenant is served again is good.
    if (name.includes('in between')) here.advance(2_000)
    await end(scene)
    await expectDead(scene.accessToken)
  })
})

/** Sets an authenticator app up in the session of the cookie; the answer is the cookie from then on. */
async function enroll(cookie: string): Promise<string> {
  const headers = { cookie, origin: here.url }
  const totp = `${here.url}/api/users/me/mfa/totp`
  const { body } = await call(totp, { method: 'POST', headers })
  const code = totpCode(String(body.secret), here.ctx.now())
  const enrolled = await call(`${totp}/verify`, { method: 'POST', headers, body: { code } })
  expect(enrolled.status).toBe(200)
  return enrolled.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

test('the last second factor removed ends the token of a tenant that requires one, also when its grant has moved on', async () => {
  const [strict, other] = [await newCompany(here), await newCompany(here)]
  const member = await newSomebody(here)
  for (const company of [strict, other]) await employ(here, company, member)
  const cookie = await enroll(member.cookie)
  await patch(`/tenants/${strict.id}`, { mfaPolicy: 'REQUIRED' })
  const { client } = await newClient({ kind: 'SPA', redirectUris: [CALLBACK] })
  const stayed = await obtain(client, cookie, strict)
  const first = await obtain(client, cookie, strict)
  const form = { client_id: client.clientId, tenant: other.slug }
  const { body: moved } = await refresh(here.url, first.refreshToken, form)
  for (const held of [stayed.accessToken, first.accessToken, moved.access_token]) await expectLive(held)
  const removed = await call(`${here.url}/api/users/me/mfa/totp`, {
    ...{ method: 'DELETE', headers: { cookie, origin: here.url }, body: { password: PASSWORD } },
  })
  expect(removed.status).toBe(200)
  await expectDead(stayed.accessToken)
  await expectDead(first.accessToken)
  await expectLive(moved.access_token)
})

test('the time is over that was given to set up a second factor, for whoever made the tenant require one', async () => {
  const [company, owner] = [await newCompany(here), await newSomebody(here)]
  await employ(here, company, owner, { role: 'owner' })
  const { applicationId, client } = await newClient({ kind: 'SPA', redirectUris: [CALLBACK] })
  await patch(`/applications/${applicationId}`, { accessTokenTtl: 7_200 })
  const { accessToken } = await obtain(client, owner.cookie, company)
  await expectLive(accessToken)
  const headers = { authorization: `Bearer ${accessToken}` }
  const body = { mfaPolicy: 'REQUIRED' }
  const required = await call(`${here.url}/api/tenants/${company.id}`, { method: 'PATCH', headers, body })
  expect(required.status).toBe(200)
  await heard()
  await expectLive(accessToken)
  // An hour and a little: the clocks of the two differ by now.
  for (const { advance } of [here, there]) advance(3_660_000)
  await expectDead(accessToken)
})

/** The status of a route on both nodes. */
async function statuses(path: string, accessToken: string): Promise<number[]> {
  const headers = { authorization: `Bearer ${accessToken}` }
  const ask = async ({ url }: TestService) => (await fetch(url + path, { headers })).status
  return [await ask(there), await ask(here)]
}

describe('what a live token may do ends on the other node as soon as', () => {
  test('its person is no Super Admin any more', async () => {
    const { accessToken, member } = await newScene({ is_super_admin: true })
    expect(await statuses('/api/admin/users', accessToken)).toEqual([200, 200])
    await patch(`/users/${member.id}`, { superAdmin: false })
    await heard()
    expect(await statuses('/api/admin/users', accessToken)).toEqual([403, 403])
  })

  test('its application is not trusted any more', async () => {
    const { accessToken, applicationId } = await newScene()
    expect(await statuses('/api/users/me', accessToken)).toEqual([200, 200])
    await patch(`/applications/${applicationId}`, { trusted: false })
    await heard()
    expect(await statuses('/api/users/me', accessToken)).toEqual([403, 403])
  })

  test('its client loses the scope', async () => {
    const { accessToken, client } = await newScene()
    await expectLive(accessToken)
    await patch(`/clients/${client.id}`, { scopes: ['profile'] })
    await heard()
    expect(await statuses('/api/oauth/userinfo', accessToken)).toEqual([403, 403])
  })

  test('its person has a lesser role', async () => {
    const { accessToken, membershipId } = await newScene()
    const setRole = async (role: 'admin' | 'member') => {
      await here.ctx.db.updateTable('memberships').set({ role }).where('id', '=', membershipId).execute()
      await heard()
    }
    await setRole('admin')
    expect(await statuses('/api/events', accessToken)).toEqual([200, 200])
    await setRole('member')
    expect(await statuses('/api/events', accessToken)).toEqual([403, 403])
  })
})

test('every column that is read for a token has a test here, or decides nothing', async () => {
  const { accessToken, company } = await newScene()
  const jti = String(claimsOf(accessToken).jti)
  const grantId = jti.split('.')[0] ?? ''
  const row = await findLiveGrant(here.ctx.db, { grantId, tenantId: company.id, jti, issuedAt: new Date() })
  const tested = [
    ...['session_id', 'amr', 'revoked', 'id', 'disabled', 'is_super_admin', 'role', 'trusted'],
    ...['mfa_policy', 'mfa_grace_session_id', 'mfa_grace_until'],
    ...['tenant_suspended_at', 'tenant_reactivated_at'],
    ...['client_uuid', 'client_disabled', 'client_scopes'],
  ]
  // A client has one client_id and one application for its whole life.
  const unchanging = ['client_id', 'application_id']
  const toldByUserinfo = [
    ...['email', 'email_verified', 'display_name', 'given_name', 'family_name', 'middle_name', 'nickname'],
    ...['picture_url', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'],
  ]
  expect(Object.keys(row ?? {}).sort()).toEqual([...tested, ...unchanging, ...toldByUserinfo].sort())
})

interface MachineScene {
  company: Company
  applicationId: string
  client: Registered
  accessToken: string
}

async function newMachine(): Promise<MachineScene> {
  const company = await newCompany(here)
  const traits = { kind: 'MACHINE', tenantId: company.id, scopes: ['licenses:read'] }
  const { applicationId, client } = await newClient(traits)
  const { clientId: client_id, clientSecret: client_secret } = client
  const { body } = await token(here.url, { grant_type: 'client_credentials', client_id, client_secret })
  return { company, applicationId, client, accessToken: body.access_token }
}

const MACHINE_ENDINGS: Record<string, (scene: MachineScene) => Promise<unknown>> = {
  'it is revoked itself': ({ client: { clientId: client_id, clientSecret: client_secret }, accessToken }) =>
    fetch(`${here.url}/api/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: accessToken, client_id, client_secret }),
    }),
  'its secret ends': async ({ client: { id } }) => {
    const [secret] = await here.ctx.db
      .selectFrom('client_secrets')
      .select('id')
      .where('client_id', '=', id)
      .execute()
    await admin(here.url, `/api/admin/clients/${id}/secrets`, {})
    await remove(`/clients/${id}/secrets/${secret?.id}`)
  },
  'its client is disabled': ({ client }) => patch(`/clients/${client.id}`, { disabled: true }),
  'its client is deleted': ({ client }) => remove(`/clients/${client.id}`),
  'its application is deleted': ({ applicationId }) => remove(`/applications/${applicationId}`),
  'its tenant is suspended': ({ company }) => patch(`/tenants/${company.id}`, { suspended: true }),
  'its tenant was suspended in between': async ({ company }) => {
    for (const suspended of [true, false]) await patch(`/tenants/${company.id}`, { suspended })
  },
  'its tenant is deleted': ({ company }) =>
    here.ctx.db.deleteFrom('tenants').where('id', '=', company.id).execute(),
}

describe("a machine's token is dead on the other node as soon as", () => {
  test.each(Object.entries(MACHINE_ENDINGS))('%s', async (name, end) => {
    const scene = await newMachine()
    const activeOn = async ({ url }: TestService) => (await introspect(url, scene.accessToken)).active
    expect([await activeOn(here), await activeOn(there)]).toEqual([true, true])
    if (name.includes('in between')) here.advance(2_000)
    await end(scene)
    await heard()
    expect([await activeOn(there), await activeOn(here)]).toEqual([false, false])
  })

  test('its client loses the scope', async () => {
    const { client, accessToken } = await newMachine()
    const path = `/api/integration/licenses/apps/${randomUUID()}/count`
    // There is no such application, and only who may read is told so.
    expect(await statuses(path, accessToken)).toEqual([400, 400])
    await patch(`/clients/${client.id}`, { scopes: ['events:read'] })
    await heard()
    expect(await statuses(path, accessToken)).toEqual([403, 403])
  })
})

// The last test: no token from before it is good after it.
test('a token is dead on the other node as soon as the key that signed it is withdrawn', async () => {
  const { accessToken } = await newScene()
  await expectLive(accessToken)
  await replaceSigningKeys(here.ctx)
  await heard()
  expect(await statuses('/api/oauth/userinfo', accessToken)).toEqual([401, 401])
})
