import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import {
  addMember,
  admin,
  authorize,
  authorizeUrl,
  CALLBACK,
  claimsOf,
  exchange,
  refresh,
  startDemoService,
  type Tokens,
  thirdParty,
} from '../support/world.ts'

let service: TestService
let url: string
let ann: TestUser

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())
beforeEach(async () => {
  ann = await createSignedInUser(service, { nickname: 'ann', given_name: 'Ann' })
})

interface Request {
  client?: string
  scope?: string
  claims: object
}

const toParameters = ({ client = 'demo-spa', scope = 'openid', claims }: Request) => ({
  client_id: client,
  scope,
  claims: JSON.stringify(claims),
})

/** Runs the code flow with these claims requested by name. */
async function request(wanted: Request): Promise<Tokens> {
  const { answer } = await authorize(url, ann.cookie, toParameters(wanted))
  const { body } = await exchange(url, answer.code, { client_id: wanted.client ?? 'demo-spa' })
  return body
}

async function userinfoOf({ access_token }: Tokens): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api/oauth/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })
  return (await response.json()) as Record<string, unknown>
}

const userClaimsOf = ({ id_token }: Tokens) => {
  const { iss, sub, aud, exp, iat, nonce, at_hash, acr, sid, auth_time, amr, ...rest } = claimsOf(id_token)
  return rest
}

test('a claim that is requested by name is returned without its scope, and only where it was requested', async () => {
  const tokens = await request({ claims: { userinfo: { nickname: null }, id_token: { email: { essential: true } } } })
  expect(tokens.scope).toBe('openid')
  expect(await userinfoOf(tokens)).toEqual({ sub: ann.id, nickname: 'ann' })
  expect(userClaimsOf(tokens)).toEqual({ email: ann.email })
})

test.each<[string, object, string[]]>([
  ['null', { email: null }, ['email']],
  ['essential', { email: { essential: true } }, ['email']],
  ['a value that is not that of the user', { email: { value: 'x@y.test' } }, ['email']],
  ['a list of values', { email: { values: ['x@y.test'] } }, ['email']],
  ['members that are not known', { email: { 'urn:x': 1 } }, ['email']],
  ['several claims', { email: null, email_verified: null, given_name: {} }, ['email', 'email_verified', 'given_name']],
  ['a claim without a value for this user', { birthdate: { essential: true } }, []],
  ['an unknown claim', { shoe_size: { essential: true } }, []],
  ['a claim about nobody', { constructor: null, __proto__: null, toString: null }, []],
  ['something that is no request', { email: true }, []],
])('%s requests from userinfo what is known', async (_, claims, names) => {
  const { sub, ...rest } = await userinfoOf(await request({ claims: { userinfo: claims } }))
  expect(sub).toBe(ann.id)
  expect(Object.keys(rest).sort()).toEqual(names)
})

test('claims requested by name add to those of the scopes', async () => {
  const tokens = await request({ scope: 'openid profile', claims: { userinfo: { email: null } } })
  expect(await userinfoOf(tokens)).toMatchObject({ email: ann.email, nickname: 'ann', given_name: 'Ann' })
  expect(userClaimsOf(tokens)).toMatchObject({ nickname: 'ann' })
  expect(userClaimsOf(tokens)).not.toHaveProperty('email')
})

test('a refresh keeps the requested claims, also in the ID token', async () => {
  const scope = 'openid offline_access'
  const claims = { userinfo: { email: null }, id_token: { nickname: null } }
  const { refresh_token } = await request({ scope, claims })
  let next = (await refresh(url, refresh_token)).body
  next = (await refresh(url, next.refresh_token)).body
  expect(await userinfoOf(next)).toEqual({ sub: ann.id, email: ann.email })
  expect(userClaimsOf(next)).toEqual({ nickname: 'ann' })
})

test('a client whose ID tokens have no claims of userinfo gets there what it requests by name', async () => {
  const { id } = await newClient({ userinfoInIdToken: false })
  const tokens = await request({ client: id, scope: 'openid profile', claims: { id_token: { nickname: null } } })
  expect(userClaimsOf(tokens)).toEqual({ nickname: 'ann' })
})

test('without openid the claims parameter reveals nothing', async () => {
  const tokens = await request({ scope: 'profile', claims: { userinfo: { email: null }, id_token: { email: null } } })
  expect(tokens.id_token).toBeUndefined()
  expect(await userinfoOf(tokens)).toMatchObject({ error: 'insufficient_scope' })
})

test('a client that may not have a scope cannot request its claims by name', async () => {
  const { id } = await newClient({ scopes: ['openid', 'profile'] })
  const claims = { userinfo: { email: null, nickname: null }, id_token: { email: null } }
  const tokens = await request({ client: id, claims })
  expect(await userinfoOf(tokens)).toEqual({ sub: ann.id, nickname: 'ann' })
  expect(userClaimsOf(tokens)).toEqual({})
})

test('a client that loses a scope loses its claims with the next request, and with the next refresh', async () => {
  const client = await newClient({ scopes: ['openid', 'email', 'offline_access'] })
  const claims = { userinfo: { email: null }, id_token: { email: null } }
  const tokens = await request({ client: client.id, scope: 'openid offline_access', claims })
  expect(await userinfoOf(tokens)).toHaveProperty('email')
  await admin(url, `/api/admin/clients/${client.uuid}`, { scopes: ['openid', 'offline_access'] }, 'PATCH')
  expect(await userinfoOf(tokens)).toEqual({ sub: ann.id })
  const { body } = await refresh(url, tokens.refresh_token, { client_id: client.id })
  expect(userClaimsOf(body)).toEqual({})
})

async function newClient(settings: object): Promise<{ id: string; uuid: string }> {
  const application = await service.ctx.db
    .selectFrom('applications')
    .select('id')
    .where('slug', '=', 'project-manager')
    .executeTakeFirstOrThrow()
  const client = await admin<{ id: string; clientId: string }>(url, '/api/admin/clients', {
    applicationId: application.id,
    kind: 'SPA',
    name: 'Web',
    redirectUris: [CALLBACK],
    ...settings,
  })
  return { id: client.clientId, uuid: client.id }
}

test('a third-party application gets a claim only after consent to the scope that grants it', async () => {
  const { clientId: client } = await thirdParty(url)
  const openId = toParameters({ client, claims: {} })
  const wanted = toParameters({ client, claims: { userinfo: { email: null } } })
  const tab = openTab(url, ann.cookie)
  await tab.open(authorizeUrl('', openId))
  await tab.open((await tab.submit({ decision: 'allow' })).location)
  expect((await authorize(url, ann.cookie, { ...openId, prompt: 'none' })).answer).toHaveProperty('code')
  // The consent so far does not cover the address.
  const silent = await authorize(url, ann.cookie, { ...wanted, prompt: 'none' })
  expect(silent.answer).toMatchObject({ error: 'consent_required' })
  const page = await tab.open(authorizeUrl('', wanted))
  expect(page.text).toContain('See your email address')
  expect(page.text).not.toContain('See your name')
  const denied = new URL((await tab.submit({ decision: 'deny' })).location)
  expect(denied.searchParams.get('error')).toBe('access_denied')
  await tab.open(authorizeUrl('', wanted))
  const done = await tab.open((await tab.submit({ decision: 'allow' })).location)
  const { body } = await exchange(url, new URL(done.location).searchParams.get('code') ?? '', { client_id: client })
  expect(body.scope).toBe('openid')
  expect(await userinfoOf(body)).toEqual({ sub: ann.id, email: ann.email })
})

test('the consent page names the gender and the date of birth, which are claims of the profile', async () => {
  const { clientId: client } = await thirdParty(url, 'Birthdays')
  for (const wanted of [
    { client, claims: { userinfo: { birthdate: null, gender: null } } },
    { client, claims: {}, scope: 'openid profile' },
  ]) {
    const page = await openTab(url, ann.cookie).open(authorizeUrl('', toParameters(wanted)))
    expect(page.text).toContain('gender, date of birth')
  }
})

test('a third-party application that switches the tenant needs the consent to the claims there too', async () => {
  const { clientId: client } = await thirdParty(url, 'Two tenants')
  await addMember(service, ann.email, 'acme')
  await addMember(service, ann.email, 'globex')
  const allow = async (tenant: string, scope: string, claims: object) => {
    const tab = openTab(url, ann.cookie)
    await tab.open(authorizeUrl('', { ...toParameters({ client, scope, claims }), tenant }))
    const { location } = await tab.open((await tab.submit({ decision: 'allow' })).location)
    const { body } = await exchange(url, new URL(location).searchParams.get('code') ?? '', { client_id: client })
    return body
  }
  const scope = 'openid offline_access'
  const { refresh_token } = await allow('acme', scope, { userinfo: { email: null } })
  await allow('globex', scope, {})
  const form = { client_id: client, tenant: 'globex' }
  expect((await refresh(url, refresh_token, form)).body).toMatchObject({ error: 'invalid_grant' })
  await allow('globex', 'openid email', {})
  expect((await refresh(url, refresh_token, form)).status).toBe(200)
})
