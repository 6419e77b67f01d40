import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, errorReply } from '../account/people.ts'
import { exchangeToken } from '../oauth/exchange-steps.ts'
import type { TestService } from '../support/service.ts'
import {
  addMember,
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  introspect,
  signIn,
  startDemoService,
  thirdParty,
  userinfo,
} from '../support/world.ts'
import {
  act,
  allowSupport,
  bearer,
  type Member,
  newMember,
  newOperator,
  type Operator,
  statusOf,
  tokensOf,
} from './steps.ts'

// What an operator may do while they act as a member.

let service: TestService
let url: string
let operator: Operator
let member: Member
let session: Awaited<ReturnType<typeof act>>

beforeAll(async () => {
  service = await startDemoService({ config: { supportAccess: true } })
  url = service.url
  await allowSupport(service)
  operator = await newOperator(service)
  member = await newMember(service)
  await addMember(service, member.email, 'globex')
  await service.ctx.db.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', member.id).execute()
  session = await act(service, operator, member, { minutes: 10 })
})
afterAll(() => service?.close())

const secondsOf = (time: string) => Math.floor(new Date(time).getTime() / 1000)

test('tokens are for the member in the one tenant, name the operator, and end with the session', async () => {
  const tokens = await tokensOf(url, session.cookie)
  const end = secondsOf(session.endsAt)
  const expected = { sub: member.id, sid: session.id, act: { sub: operator.id }, exp: end }
  const access = claimsOf(tokens.access_token)
  expect(access).toMatchObject({ ...expected, tenant_id: member.tenantId, tenant_roles: ['admin'] })
  expect(claimsOf(tokens.id_token)).toMatchObject(expected)
  expect(tokens.expires_in).toBe(end - Number(access.iat))
  expect(tokens.refresh_token).toBeUndefined()
  expect(tokens.scope).toBe('openid profile email')
  expect(await introspect(url, tokens.access_token)).toMatchObject({
    active: true,
    act: { sub: operator.id },
    exp: end,
  })
  expect(await userinfo(url, tokens.access_token)).toBe(200)
})

test('the own session and tokens of the operator stay as they are', async () => {
  const { cookie, tokens } = operator
  const own = await tokensOf(url, cookie)
  expect(claimsOf(own.access_token)).not.toHaveProperty('act')
  expect(claimsOf(own.access_token).sub).toBe(operator.id)
  expect(await statusOf(url, '/api/admin/users', tokens.access_token)).toBe(200)
})

test('neither cookie is of use without the other, nor as the cookie of the other kind', async () => {
  const [own = '', support = ''] = [
    operator.cookie.split('; ').find((cookie) => cookie.includes('latchkey_session=')),
    session.cookie.split('; ').find((cookie) => cookie.includes('latchkey_support=')),
  ]
  const location = async (cookie: string) => (await authorize(url, cookie)).location
  expect(await location(support)).toContain('/login')
  const secret = support.split('=')[1]
  expect(await location(`latchkey_session=${secret}`)).toContain('/login')
  const other = await signIn(url, 'mia@acme.test')
  const tokens = await tokensOf(url, `${other}; ${support}`)
  expect(claimsOf(tokens.access_token)).not.toHaveProperty('act')
  expect(claimsOf((await tokensOf(url, `${own}; ${support}`)).access_token).act).toEqual({ sub: operator.id })
})

test.each([
  ['GET', '/api/users/me/sessions'],
  ['DELETE', '/api/users/me/sessions'],
  ['DELETE', '/api/users/me'],
  ['PATCH', '/api/users/me'],
  ['POST', '/api/users/me/password'],
  ['POST', '/api/users/me/email'],
  ['GET', '/api/users/me/sso'],
  ['GET', '/api/users/me/consents'],
  ['GET', '/api/users/me/mfa'],
  ['GET', '/api/users/me/export'],
  ['GET', '/api/users/me/passkeys'],
  ['POST', '/api/tenants'],
  ['GET', '/api/admin/users'],
  ['GET', '/api/admin/audit'],
])('the account and the instance are out of reach: %s %s', async (method, path) => {
  const { access_token } = await tokensOf(url, session.cookie)
  const body = method === 'GET' || method === 'DELETE' ? undefined : {}
  const byToken = await call(url + path, { method, headers: bearer(access_token), body })
  if (byToken.status !== 404) expect(byToken).toMatchObject(errorReply(403, 'FORBIDDEN'))
  if (path.startsWith('/api/admin')) return
  const headers = { cookie: session.cookie, 'Sec-Fetch-Site': 'same-origin' }
  const byCookie = await call(url + path, { method, headers, body })
  expect(byCookie.status).toBe(byToken.status)
})

test('every page of the account, of a sign-in and of a device leads to the page about support access', async () => {
  for (const path of ['/account', '/account/security', '/login', '/mfa/setup', '/device', '/']) {
    const page = await fetch(url + path, { headers: { cookie: session.cookie }, redirect: 'manual' })
    expect([path, page.status, page.headers.get('location')]).toEqual([path, 303, '/support-access'])
  }
  const page = await fetch(`${url}/support-access`, { headers: { cookie: session.cookie } })
  const html = await page.text()
  for (const text of ['Sam Operator', 'Mara Member', 'Acme', 'End support access']) expect(html).toContain(text)
})

test('error pages say who acts as whom', async () => {
  const page = await fetch(`${url}/oauth/authorize?client_id=nobody`, { headers: { cookie: session.cookie } })
  expect(page.status).toBe(400)
  const known = await fetch(`${url}/oauth/authorize/continue`, { headers: { cookie: session.cookie } })
  expect(await known.text()).toContain('End support access')
})

test('the tenant can be managed as the member may, and no other tenant', async () => {
  const { access_token } = await tokensOf(url, session.cookie)
  const path = `/api/tenants/${member.tenantId}`
  expect(await statusOf(url, path, access_token)).toBe(200)
  expect(await statusOf(url, `${path}/invitations`, access_token)).toBe(200)
  const profile = await call(`${url}/api/users/me`, { method: 'GET', headers: bearer(access_token) })
  expect(profile.body).toMatchObject({
    id: member.id,
    memberships: [{ tenantSlug: 'acme' }],
    supportAccess: { operatorId: operator.id, operatorName: 'Sam Operator', tenantId: member.tenantId },
  })
  const tenants = await call(`${url}/api/tenants`, { method: 'GET', headers: bearer(access_token) })
  expect(tenants.body.tenants).toMatchObject([{ slug: 'acme' }])
  const { id: globex } = await service.ctx.db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', 'globex')
    .executeTakeFirstOrThrow()
  expect(await statusOf(url, `/api/tenants/${globex}`, access_token)).toBe(404)
  expect((await authorize(url, session.cookie, { tenant: 'globex' })).answer.error).toBe('access_denied')
})

test('the tenant is not deleted, nor support access allowed, by whoever acts as its owner', async () => {
  const { db } = service.ctx
  const owner = await newMember(service)
  await db.updateTable('memberships').set({ role: 'owner' }).where('user_id', '=', owner.id).execute()
  const { cookie } = await act(service, await newOperator(service), owner)
  const headers = bearer((await tokensOf(url, cookie)).access_token)
  const path = `${url}/api/tenants/${owner.tenantId}`
  expect(await call(path, { method: 'DELETE', headers })).toMatchObject(errorReply(403, 'FORBIDDEN'))
  const change = await call(path, { method: 'PATCH', headers, body: { supportAccess: true } })
  expect(change).toMatchObject(errorReply(403, 'FORBIDDEN'))
})

test.each([[{ prompt: 'login' }], [{ prompt: 'select_account' }], [{ max_age: '0' }]])(
  'the operator cannot sign in again as the member: %j',
  async (parameters) => {
    expect((await authorize(url, session.cookie, parameters)).answer.error).toBe('access_denied')
  },
)

test.each([[{ prompt: 'login' }], [{ prompt: 'select_account' }], [{ max_age: '0' }]])(
  'nor with a sign-in of their own after the request: %j',
  async (parameters) => {
    const by = await newOperator(service)
    const begun = await authorize(url, by.cookie, parameters)
    const journey = new URL(begun.location || (await journeyOf(begun.response)), url).searchParams.get('journey')
    const again = { ...by, cookie: await signIn(url, by.email) }
    again.tokens = await tokensOf(url, again.cookie)
    const { cookie } = await act(service, again, await newMember(service))
    const path = `${url}/oauth/authorize/continue?journey=${encodeURIComponent(journey ?? '')}`
    const { headers } = await fetch(path, { headers: { cookie }, redirect: 'manual' })
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied')
  },
)

/** The action of the form on the page. */
const journeyOf = async (page: Response): Promise<string> =>
  (/action="([^"]+)"/.exec(await page.text())?.[1] ?? '').replaceAll('&amp;', '&')

test('the operator cannot consent for the member', async () => {
  const { clientId: client_id } = await thirdParty(url)
  const { answer, response } = await authorize(url, session.cookie, { client_id })
  expect(answer.code).toBeUndefined()
  expect(await response.text()).not.toContain('name="decision"')
})

test('a service may exchange the token, and the operator stays the first actor', async () => {
  const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'Desk' })
  const client = (kind: string, draft: object = {}) =>
    admin<{ clientId: string; clientSecret: string }>(url, '/api/admin/clients', {
      applicationId,
      kind,
      name: kind,
      redirectUris: [CALLBACK],
      scopes: ['openid', 'profile'],
      ...draft,
    })
  const spa = await client('SPA')
  const api = await client('WEB', { tokenExchange: true })
  const { access_token } = await tokensOf(url, session.cookie, { client_id: spa.clientId }).catch(async () => {
    const { answer } = await authorize(url, session.cookie, { client_id: spa.clientId, scope: 'openid profile' })
    const { exchange } = await import('../support/world.ts')
    return (await exchange(url, answer.code, { client_id: spa.clientId })).body
  })
  const { status, body } = await exchangeToken(url, api, access_token)
  expect({ status, body }).toMatchObject({ status: 200 })
  const claims = claimsOf(body.access_token)
  const actor = { sub: api.clientId, act: { sub: operator.id } }
  expect(claims).toMatchObject({ sub: member.id, act: actor, exp: secondsOf(session.endsAt) })
  expect(await introspect(url, body.access_token)).toMatchObject({ active: true, act: actor })
  const again = await exchangeToken(url, api, body.access_token)
  expect(claimsOf(again.body.access_token).act).toEqual({ sub: api.clientId, act: actor })
  expect(await statusOf(url, `/api/tenants/${member.tenantId}`, body.access_token)).toBe(403)
})

test('what is done is in the audit log as done by the operator for the member', async () => {
  const { access_token } = await tokensOf(url, session.cookie)
  const invited = await call(`${url}/api/tenants/${member.tenantId}/invitations`, {
    method: 'POST',
    headers: bearer(access_token),
    body: { email: 'newcomer@acme.test' },
  })
  expect(invited.status).toBe(201)
  const other = await newMember(service)
  const members = await call(`${url}/api/tenants/${member.tenantId}/members?limit=100`, {
    method: 'GET',
    headers: bearer(access_token),
  })
  const { id } =
    (members.body.members as { id: string; userId: string }[]).find(({ userId }) => userId === other.id) ?? {}
  const path = `${url}/api/tenants/${member.tenantId}/members/${id}`
  expect((await call(path, { method: 'DELETE', headers: bearer(access_token) })).status).toBe(200)
  const entries = await service.ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_id', 'details'])
    .where('actor_id', '=', operator.id)
    .where('action', 'in', ['invitation.created', 'member.removed'])
    .orderBy('id')
    .execute()
  expect(entries).toMatchObject([
    { action: 'invitation.created', details: { onBehalfOf: member.id } },
    { action: 'member.removed', details: { onBehalfOf: member.id } },
  ])
})

test('the license ledger names the operator', async () => {
  const { access_token } = await tokensOf(url, session.cookie)
  const { id: userId } = await newMember(service)
  const plan = await service.ctx.db
    .selectFrom('subscriptions')
    .innerJoin('license_types', 'license_types.id', 'subscriptions.license_type_id')
    .select(['license_types.id', 'license_types.application_id'])
    .where('subscriptions.tenant_id', '=', member.tenantId)
    .executeTakeFirstOrThrow()
  const seat = { userId, applicationId: plan.application_id }
  const post = (path: string, body: object) =>
    call(`${url}/api/integration/licenses/${path}`, { method: 'POST', headers: bearer(access_token), body })
  expect(await post('grant', { ...seat, licenseTypeId: plan.id })).toMatchObject({ status: 201 })
  expect(await post('revoke/bulk', { revocations: [seat] })).toMatchObject({ status: 200 })
  const rows = await service.ctx.db
    .selectFrom('license_ledger')
    .select(['reason', 'actor'])
    .where('user_id', '=', userId)
    .orderBy('sequence')
    .execute()
  const actor = `user:${operator.id}`
  expect(rows).toEqual([
    { reason: 'GRANTED', actor },
    { reason: 'REVOKED', actor },
  ])
})

test('the member cannot be made to leave the tenant', async () => {
  const { access_token } = await tokensOf(url, session.cookie)
  const { id } = await service.ctx.db
    .selectFrom('memberships')
    .select('id')
    .where('user_id', '=', member.id)
    .where('tenant_id', '=', member.tenantId)
    .executeTakeFirstOrThrow()
  const path = `${url}/api/tenants/${member.tenantId}/members/${id}`
  expect(await call(path, { method: 'DELETE', headers: bearer(access_token) })).toMatchObject(
    errorReply(403, 'FORBIDDEN'),
  )
})

test('the directory of users does not count it as a sign-in of the member', async () => {
  const found = await call(`${url}/api/admin/users/${member.id}`, {
    method: 'GET',
    headers: bearer(operator.tokens.access_token),
  })
  expect(found.body).toMatchObject({ id: member.id, lastSignInAt: null })
})
