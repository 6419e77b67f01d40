import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createSignedInUser, entriesOf, errorReply, insertUser, type TestUser } from '../account/people.ts'
import { callAsOps } from '../people/calls.ts'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  exchange,
  introspect,
  refresh,
  startDemoService,
  type Tokens,
  thirdParty,
  userinfo,
} from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'

const CONSENTS = '/api/users/me/consents'
const SCOPE = 'openid email offline_access'

let here: TestService
let there: TestService
let partner: { applicationId: string; client_id: string }
beforeAll(async () => {
  here = await startDemoService()
  there = await startService({ sameDatabaseAs: here })
  partner = await registerPartner('Partner Reports')
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

async function registerPartner(name: string) {
  const client = await thirdParty(here.url, name)
  const { application_id } = await here.ctx.db
    .selectFrom('clients')
    .select('application_id')
    .where('id', '=', client.id)
    .executeTakeFirstOrThrow()
  return { applicationId: application_id, client_id: client.clientId }
}

const allow = (user: { id: string }, tenant: TestTenant | undefined, { applicationId } = partner) =>
  here.ctx.db
    .insertInto('consents')
    .values({
      user_id: user.id,
      application_id: applicationId,
      tenant_id: tenant?.id ?? null,
      scopes: SCOPE.split(' '),
      granted_at: here.ctx.now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** Without the consent page, which is not shown to a user who has consented. */
async function obtain(user: TestUser, tenant: TestTenant, { client_id } = partner): Promise<Tokens> {
  const parameters = { client_id, tenant: tenant.slug, scope: SCOPE }
  const { answer } = await authorize(here.url, user.cookie, parameters)
  const { status, body } = await exchange(here.url, answer.code, { client_id })
  expect(status).toBe(200)
  return body
}

/** A member of two tenants who has allowed the application in both, with its tokens for each. */
async function newFixture(application = partner) {
  const [acme, globex] = [await insertTenant(here), await insertTenant(here)]
  const user = await createSignedInUser(here)
  for (const tenant of [acme, globex]) {
    await insertMembership(here, tenant, user)
    await allow(user, tenant, application)
  }
  const [inAcme, inGlobex] = [await obtain(user, acme, application), await obtain(user, globex, application)]
  return { user, acme, globex, inAcme, inGlobex }
}

const usesOn = async ({ url }: TestService, { access_token, refresh_token }: Tokens) => [
  await userinfo(url, access_token),
  (await introspect(url, access_token)).active,
  (await introspect(url, refresh_token)).active,
]

async function expectValid(tokens: Tokens): Promise<void> {
  for (const node of [there, here]) expect(await usesOn(node, tokens)).toEqual([200, true, true])
}

/** Everything ends on the node of the request at once, and on the other within a second. */
async function expectEnded(tokens: Tokens): Promise<void> {
  const ended = [401, false, false]
  expect(await usesOn(here, tokens)).toEqual(ended)
  await expect.poll(() => usesOn(there, tokens), { timeout: 1_000 }).toEqual(ended)
  for (const { url } of [there, here]) {
    const { body } = await refresh(url, tokens.refresh_token, { client_id: partner.client_id })
    expect(body.error).toBe('invalid_grant')
  }
}

const withdraw = (user: TestUser, query: string, applicationId = partner.applicationId) =>
  user.call('DELETE', `${CONSENTS}/${applicationId}${query}`)
const listTenants = async (user: TestUser) =>
  ((await user.call('GET', CONSENTS)).body.consents as { tenantId: string | null }[]).map(({ tenantId }) => tenantId)

describe('a consent that is withdrawn in one tenant', () => {
  test('ends the tokens of this tenant on every node, and no others', async () => {
    const { user, acme, globex, inAcme, inGlobex } = await newFixture()
    const other = await registerPartner('Another partner')
    await allow(user, acme, other)
    const ofOther = await obtain(user, acme, other)
    for (const tokens of [inAcme, inGlobex, ofOther]) await expectValid(tokens)
    const { status, body } = await withdraw(user, `?tenantId=${acme.id}`)
    expect([status, body]).toEqual([200, { success: true, message: 'Consent withdrawn' }])
    await expectEnded(inAcme)
    for (const tokens of [inGlobex, ofOther, user.tokens]) await expectValid(tokens)
    expect((await listTenants(user)).sort()).toEqual([acme.id, globex.id].sort())
    const { answer } = await authorize(here.url, user.cookie, {
      client_id: partner.client_id,
      tenant: acme.slug,
      prompt: 'none',
    })
    expect(answer.error).toBe('consent_required')
  })

  test('ends the tokens of a grant that has switched to another tenant', async () => {
    const { user, acme, globex, inAcme, inGlobex } = await newFixture()
    const switchTo = async ({ refresh_token }: Tokens, { slug: tenant }: TestTenant) =>
      (await refresh(here.url, refresh_token, { client_id: partner.client_id, tenant })).body
    const switched = await switchTo(inAcme, globex)
    const returned = await switchTo(await switchTo(inGlobex, acme), globex)
    for (const tokens of [switched, returned]) await expectValid(tokens)
    expect((await withdraw(user, `?tenantId=${acme.id}`)).status).toBe(200)
    await expectEnded({ ...switched, access_token: inAcme.access_token })
    for (const tokens of [switched, returned]) await expectEnded(tokens)
  })

  test('is the one without a tenant for `none`', async () => {
    const { user, inAcme } = await newFixture()
    await allow(user, undefined)
    expect(await listTenants(user)).toHaveLength(3)
    expect((await withdraw(user, '?tenantId=none')).status).toBe(200)
    expect(await listTenants(user)).not.toContain(null)
    await expectValid(inAcme)
    const notFound = errorReply(404, 'CONSENT_NOT_FOUND')
    expect(await withdraw(user, '?tenantId=none')).toMatchObject(notFound)
    for (const tenant of [newId(), 'rubbish', '']) {
      expect(await withdraw(user, `?tenantId=${tenant}`)).toMatchObject(notFound)
    }
    expect(await withdraw(user, `?tenantId=${'x'.repeat(101)}`)).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
    expect(await listTenants(user)).toHaveLength(2)
  })

  test('without a tenant, all tenants are meant', async () => {
    const { user, inAcme, inGlobex } = await newFixture()
    expect((await withdraw(user, '')).status).toBe(200)
    for (const tokens of [inAcme, inGlobex]) await expectEnded(tokens)
    expect(await listTenants(user)).toEqual([])
  })

  test.each(rounds(20))('leaves no token to a refresh that switches to the tenant at the same time (%i)', async () => {
    const { user, acme, inGlobex } = await newFixture()
    const form = { client_id: partner.client_id, tenant: acme.slug }
    const [{ body }] = await Promise.all([
      refresh(there.url, inGlobex.refresh_token, form),
      withdraw(user, `?tenantId=${acme.id}`),
    ])
    if (body.access_token === undefined) expect(body.error).toBe('invalid_grant')
    else await expectEnded(body)
  })

  test.each(rounds(20))('leaves no code to an authorization at the same time (%i)', async () => {
    const { user, acme } = await newFixture()
    const parameters = { client_id: partner.client_id, tenant: acme.slug, prompt: 'none', scope: SCOPE }
    const [{ answer }] = await Promise.all([
      authorize(there.url, user.cookie, parameters),
      withdraw(user, `?tenantId=${acme.id}`),
    ])
    if (answer.code === undefined) {
      expect(answer.error).toMatch(/^(consent|login)_required$/)
      return
    }
    const { body } = await exchange(there.url, answer.code, { client_id: partner.client_id })
    expect(body.error).toBe('invalid_grant')
  })
})

describe('without consent, a third-party application', () => {
  const newUser = async () => {
    const [acme, globex] = [await insertTenant(here), await insertTenant(here)]
    const user = await createSignedInUser(here)
    await insertMembership(here, acme, user)
    return { user, acme, globex }
  }

  test('learns from prompt=none neither who the user is, nor their tenants, nor whether they have a second factor', async () => {
    const { user, acme, globex } = await newUser()
    const { id: stranger } = await insertUser(here)
    const wants = (claim: string, request: object) => ({ claims: JSON.stringify({ id_token: { [claim]: request } }) })
    const questions: Record<string, string>[] = [
      wants('sub', { value: user.id }),
      wants('sub', { value: stranger }),
      wants('acr', { essential: true, value: '2' }),
      { tenant: acme.slug },
      { tenant: globex.slug },
      { tenant: 'no-such-tenant' },
      { max_age: '0' },
    ]
    for (const question of questions) {
      const parameters = { client_id: partner.client_id, prompt: 'none', ...question }
      const { error, error_description } = (await authorize(here.url, user.cookie, parameters)).answer
      expect([error, error_description]).toEqual(['consent_required', 'The user must consent first.'])
    }
  })

  test('learns of the tenant that the user consented in, and of no other', async () => {
    const { user, acme, globex } = await newUser()
    await allow(user, acme)
    const ask = async (tenant: string) => {
      const parameters = { client_id: partner.client_id, prompt: 'none', scope: SCOPE, tenant }
      return (await authorize(here.url, user.cookie, parameters)).answer
    }
    expect(await ask(acme.slug)).toHaveProperty('code')
    expect(await ask(globex.slug)).toMatchObject({ error: 'consent_required' })
    await insertMembership(here, globex, user)
    expect(await ask(globex.slug)).toMatchObject({ error: 'consent_required' })
  })

  test('learns from a refresh that would switch the tenant of no other tenants', async () => {
    const { user, acme, globex } = await newUser()
    await allow(user, acme)
    const { refresh_token } = await obtain(user, acme)
    const ask = async (tenant: string) =>
      (await refresh(here.url, refresh_token, { client_id: partner.client_id, tenant })).body
    const refused = await ask(globex.slug)
    expect(refused).toMatchObject({ error: 'invalid_grant' })
    await insertMembership(here, globex, user)
    expect([await ask(globex.slug), await ask('no-such-tenant')]).toEqual([refused, refused])
  })
})

test('an application that becomes third-party gets no new tokens without consent', async () => {
  const application = await admin<{ id: string }>(here.url, '/api/admin/applications', { name: 'Formerly ours' })
  const { clientId: client_id } = await admin<{ clientId: string }>(here.url, '/api/admin/clients', {
    applicationId: application.id,
    kind: 'SPA',
    name: 'Web',
    redirectUris: ['http://localhost:8080/callback'],
  })
  const [tenant, user] = [await insertTenant(here), await createSignedInUser(here)]
  await insertMembership(here, tenant, user)
  const ours = { applicationId: application.id, client_id }
  const profile = { client_id, tenant: tenant.slug, scope: `${SCOPE} profile` }
  const { answer } = await authorize(here.url, user.cookie, profile)
  const wide = (await exchange(here.url, answer.code, { client_id })).body
  const narrow = await obtain(user, tenant, ours)
  const refreshOn = async ({ url }: TestService, token = '') => (await refresh(url, token, { client_id })).body
  const held = await refreshOn(there, narrow.refresh_token)
  await admin(here.url, `/api/admin/applications/${application.id}`, { trusted: false }, 'PATCH')
  await there.ctx.changes.waitUntilCurrent()
  const refused = { error: 'invalid_grant', error_description: 'The user has not consented to what this grant gives.' }
  for (const token of [held.refresh_token, wide.refresh_token]) {
    expect(await refreshOn(there, token)).toMatchObject(refused)
    expect((await introspect(here.url, token)).active).toBe(false)
  }
  await allow(user, tenant, ours)
  expect(await refreshOn(there, held.refresh_token)).toHaveProperty('access_token')
  expect(await refreshOn(there, wide.refresh_token)).toMatchObject(refused)
})

describe('an operator', () => {
  test('sees the consents of a person and withdraws one, under their own name', async () => {
    const { user, acme, globex, inAcme, inGlobex } = await newFixture()
    const { status, body } = await callAsOps(here, 'GET', `/${user.id}/consents`)
    expect(status).toBe(200)
    expect(body).toEqual((await user.call('GET', CONSENTS)).body)
    const path = `/${user.id}/consents/${partner.applicationId}`
    expect((await callAsOps(here, 'DELETE', `${path}?tenantId=${acme.id}`)).status).toBe(200)
    await expectEnded(inAcme)
    await expectValid(inGlobex)
    expect(await listTenants(user)).toEqual([globex.id])
    const entries = (await entriesOf(here, user.id)).filter(({ action }) => action === 'user.consent_withdrawn')
    expect(entries).toMatchObject([
      {
        actor_kind: 'client',
        actor_id: 'demo-ops',
        details: { applicationId: partner.applicationId, scopes: SCOPE.split(' ') },
      },
    ])
    const notFound = { ...errorReply(404, 'CONSENT_NOT_FOUND') }
    expect(await callAsOps(here, 'DELETE', `${path}?tenantId=${acme.id}`)).toMatchObject(notFound)
    expect(await callAsOps(here, 'DELETE', `/${user.id}/consents/rubbish`)).toMatchObject(notFound)
  })

  test('withdraws all consents of a person', async () => {
    const { user, inAcme, inGlobex } = await newFixture()
    const { body } = await callAsOps(here, 'DELETE', `/${user.id}/consents`)
    expect(body).toEqual({ success: true, message: 'All consents withdrawn', count: 2 })
    for (const tokens of [inAcme, inGlobex]) await expectEnded(tokens)
    await expectValid(user.tokens)
  })

  test('finds nothing for an unknown person, and no route is open to others', async () => {
    const user = await createSignedInUser(here)
    const { id } = await insertUser(here)
    for (const [method, path] of [
      ['GET', 'consents'],
      ['DELETE', 'consents'],
      ['DELETE', `consents/${partner.applicationId}`],
    ] as const) {
      for (const unknown of [newId(), 'rubbish']) {
        expect(await callAsOps(here, method, `/${unknown}/${path}`)).toMatchObject(errorReply(404, 'USER_NOT_FOUND'))
      }
      expect((await user.call(method, `/api/admin/users/${id}/${path}`)).status).toBe(403)
    }
  })
})

// This test must be last: it moves the clock of one node.
test('a consent shows when the application last obtained tokens, and that it has none any more', async () => {
  const { user, acme, inAcme } = await newFixture()
  const read = async () => {
    const { body } = await callAsOps(here, 'GET', `/${user.id}/consents`)
    const consents = body.consents as { tenantId: string; lastUsedAt: string | null }[]
    return consents.find(({ tenantId }) => tenantId === acme.id)?.lastUsedAt
  }
  const exchangedAt = Date.parse(String(await read()))
  expect(exchangedAt).toBeGreaterThan(here.ctx.now().getTime() - 60_000)
  here.advance(3_600_000)
  expect(Date.parse(String(await read()))).toBe(exchangedAt)
  await refresh(here.url, inAcme.refresh_token, { client_id: partner.client_id })
  expect(Date.parse(String(await read()))).toBeGreaterThanOrEqual(exchangedAt + 3_600_000)
  here.advance(400 * 86_400_000)
  expect(await read()).toBeNull()
})
