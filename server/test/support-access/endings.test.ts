import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeSupportSessions } from '../../src/sessions/support/session.ts'
import { call, entriesOf } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type TestService } from '../support/service.ts'
import { authorize, claimsOf, cookieOf, startDemoService, userinfo } from '../support/world.ts'
import { act, allowSupport, bearer, type Member, newMember, newOperator, type Operator, tokensOf } from './steps.ts'

// Support access ends on every node, and for good.

let service: TestService
let there: TestService

beforeAll(async () => {
  service = await startDemoService({ config: { supportAccess: true } })
  there = await startService({ sameDatabaseAs: service, config: { supportAccess: true } })
  await allowSupport(service)
})
afterAll(async () => {
  await there?.close()
  await service?.close()
})

interface Access {
  operator: Operator
  member: Member
  id: string
  cookie: string
  token: string
}

async function begin(): Promise<Access> {
  const operator = await newOperator(service)
  const member = await newMember(service)
  const { id, cookie } = await act(service, operator, member)
  const { access_token: token } = await tokensOf(service.url, cookie)
  expect(await userinfo(there.url, token)).toBe(200)
  return { operator, member, id, cookie, token }
}

async function expectEnded({ cookie, token, member, id }: Access, cause: string): Promise<void> {
  const since = Date.now()
  await eventually(async () => ((await userinfo(there.url, token)) === 401 ? true : undefined))
  expect(Date.now() - since).toBeLessThan(1_000)
  expect(await userinfo(service.url, token)).toBe(401)
  const { answer } = await authorize(service.url, cookie)
  expect(answer.code === undefined || (await isOfOther(answer.code, member.id))).toBe(true)
  await closeSupportSessions(service.ctx)
  await closeSupportSessions(service.ctx)
  const entries = (await entriesOf(service, member.id)).filter(({ action }) => action === 'support_access.ended')
  expect(entries).toMatchObject([{ details: { sessionId: id, cause } }])
}

async function isOfOther(code: string, userId: string): Promise<boolean> {
  const { exchange } = await import('../support/world.ts')
  const { body } = await exchange(service.url, code)
  return claimsOf(body.access_token).sub !== userId
}

const update = (table: 'users' | 'memberships' | 'tenants', change: object, where: [string, string]) =>
  service.ctx.db
    .updateTable(table)
    .set(change as never)
    .where(where[0] as never, '=', where[1] as never)
    .execute()

test('when the operator ends it with the API', async () => {
  const access = await begin()
  const path = `${service.url}/api/users/me/support-session`
  expect((await call(path, { method: 'DELETE', headers: bearer(access.token) })).status).toBe(200)
  await expectEnded(access, 'ENDED')
  expect((await call(path, { method: 'DELETE', headers: bearer(access.operator.tokens.access_token) })).status).toBe(
    403,
  )
})

test('when the operator ends it on the page, and is then signed in as themselves', async () => {
  const access = await begin()
  const page = await fetch(`${service.url}/support-access`, { headers: { cookie: access.cookie } })
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const cookie = [access.cookie, cookieOf(page)].filter(Boolean).join('; ')
  const end = (form: Record<string, string>) =>
    fetch(`${service.url}/support-access/end`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
  expect((await end({})).status).toBe(403)
  expect(await userinfo(there.url, access.token)).toBe(200)
  expect((await end({ csrf })).status).toBe(303)
  await expectEnded(access, 'ENDED')
  const own = await tokensOf(service.url, access.operator.cookie)
  expect(claimsOf(own.access_token).sub).toBe(access.operator.id)
})

test('when an application signs the member out, while the operator stays signed in', async () => {
  const access = await begin()
  const { id_token } = await tokensOf(service.url, access.cookie)
  const logout = (query: Record<string, string>) =>
    fetch(`${service.url}/api/oauth/logout?${new URLSearchParams(query)}`, {
      headers: { cookie: access.cookie },
      redirect: 'manual',
    })
  expect((await logout({})).headers.get('location')).toBe('/support-access')
  expect(await userinfo(there.url, access.token)).toBe(200)
  expect((await logout({ id_token_hint: id_token })).status).toBe(200)
  await expectEnded(access, 'ENDED')
  await tokensOf(service.url, access.operator.cookie)
})

const SIGN_OUT = async ({ operator }: Access) => {
  const headers = { cookie: operator.cookie, 'Sec-Fetch-Site': 'same-origin' }
  expect((await call(`${service.url}/api/auth/logout`, { method: 'POST', headers, body: {} })).status).toBe(200)
}
const ALLOW_AGAIN = () => allowSupport(service)

test.each<[string, (access: Access) => Promise<unknown>, (() => Promise<unknown>)?]>([
  ['the operator signs out', SIGN_OUT],
  ['the operator loses the right', ({ operator }) => update('users', { is_super_admin: false }, ['id', operator.id])],
  ['the operator is disabled', ({ operator }) => update('users', { disabled: true }, ['id', operator.id])],
  ['the member becomes a Super Admin', ({ member }) => update('users', { is_super_admin: true }, ['id', member.id])],
  ['the member is disabled', ({ member }) => update('users', { disabled: true }, ['id', member.id])],
  [
    'the membership is suspended',
    ({ member }) => update('memberships', { status: 'SUSPENDED' }, ['user_id', member.id]),
  ],
  [
    'the membership ends',
    ({ member }) => service.ctx.db.deleteFrom('memberships').where('user_id', '=', member.id).execute(),
  ],
  ['the tenant forbids it', () => allowSupport(service, false), ALLOW_AGAIN],
  [
    'the tenant is suspended',
    () => update('tenants', { suspended_at: new Date() }, ['slug', 'acme']),
    () => update('tenants', { suspended_at: null }, ['slug', 'acme']),
  ],
])('when %s', async (_, cause, undo) => {
  const access = await begin()
  await cause(access)
  // Undone at once: what has ended does not come back.
  await undo?.()
  await expectEnded(access, 'WITHDRAWN')
})

test('at its time', async () => {
  const access = await begin()
  service.advance(31 * 60_000)
  there.advance(31 * 60_000)
  await expectEnded(access, 'EXPIRED')
})
