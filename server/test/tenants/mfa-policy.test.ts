import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listRoutes } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { Role } from '../../src/db/tables.ts'
import { newId } from '../../src/lib/ids.ts'
import { type ApiResponse, call, createSignedInUser, errorReply, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { admin, obtainTokens, refresh, startDemoService, userinfo } from '../support/world.ts'
import { createTenantFixture, type TenantFixture } from './callers.ts'
import { insertMembership, insertTenant, readTenantRows } from './tenant-rows.ts'

// The MFA policy of a tenant also applies to its owners and admins, with a session cookie and with any token.

const HOUR_MS = 3_600_000
const { routes } = listRoutes(loadConfig('demo', {}))
const tenantRoutes = routes.filter(({ caller }) => caller === 'member')

let service: TestService
let tenant: TenantFixture
let owner: TestUser
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())
beforeEach(async () => {
  const company = await insertTenant(service)
  tenant = await createTenantFixture(service, company)
  // Signing in before there is a membership gives a token without a tenant.
  owner = await createSignedInUser(service)
  await insertMembership(service, company, owner, { role: 'owner' })
})

const pathOf = (path = '') => `/api/tenants/${tenant.company.id}${path}`
const REFUSED = errorReply(403, 'MFA_REQUIRED')

/** As an operator, so that no session gets a grace period. */
const setPolicy = (mfaPolicy: 'OPTIONAL' | 'REQUIRED') =>
  admin(service.url, `/api/admin/tenants/${tenant.company.id}`, { mfaPolicy }, 'PATCH')

type Ask = (method: string, path: string, body?: unknown) => Promise<ApiResponse>

const withHeaders =
  (headers: Record<string, string>): Ask =>
  (method, path, body) =>
    call(service.url + path, { method, headers, body })
const withCookie = (cookie: string): Ask => withHeaders({ cookie, origin: service.url })
const withToken = (token: string): Ask => withHeaders({ authorization: `Bearer ${token}` })

/** Enrolls an authenticator app in the session of the cookie and returns the new cookie. */
async function enroll(cookie: string): Promise<string> {
  const ask = withCookie(cookie)
  const { body } = await ask('POST', '/api/users/me/mfa/totp')
  const code = totpCode(String(body.secret), service.ctx.now())
  const enrolled = await ask('POST', '/api/users/me/mfa/totp/verify', { code })
  expect(enrolled.status).toBe(200)
  return enrolled.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

describe('a session without a second factor', () => {
  test.each(tenantRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'is refused by %s, and nothing changes',
    async (_, { method, path, body }) => {
      await setPolicy('REQUIRED')
      const before = await readTenantRows(service, tenant.company)
      const address = path.replace(/:(\w+)/g, (__, name: string) => tenant.ids[name] ?? name)
      for (const ask of [withCookie(owner.cookie), owner.call]) {
        expect(await ask(method, address, body && {})).toMatchObject(REFUSED)
      }
      expect(await readTenantRows(service, tenant.company)).toEqual(before)
    },
  )

  test('is told how to set one up', async () => {
    await setPolicy('REQUIRED')
    const { body } = await owner.call('GET', pathOf('/members'))
    expect(body.message).toMatch(/set one up at \/mfa\/setup, or sign in again with the one you have/i)
  })

  test('cannot make the second factor optional', async () => {
    await setPolicy('REQUIRED')
    expect(await owner.call('PATCH', pathOf(), { mfaPolicy: 'OPTIONAL' })).toMatchObject(REFUSED)
  })

  test('may leave the tenant but not remove other members', async () => {
    const colleague = await createSignedInUser(service)
    const own = await insertMembership(service, tenant.company, colleague, { role: 'admin' })
    await setPolicy('REQUIRED')
    const remove = (id: string | undefined) => colleague.call('DELETE', pathOf(`/members/${id}`))
    for (const id of [tenant.ids.membershipId, newId(), 'nothing']) {
      expect(await remove(id)).toMatchObject(REFUSED)
    }
    expect(await remove(own.toUpperCase())).toMatchObject({
      status: 200,
      body: { message: 'Member removed' },
    })
  })

  test('does not get a stored response for an Idempotency-Key', async () => {
    const headers = { authorization: `Bearer ${owner.tokens.access_token}`, 'Idempotency-Key': 'again' }
    const invite = () => withHeaders(headers)('POST', pathOf('/invitations'), { email: 'guest@people.test' })
    expect((await invite()).status).toBe(201)
    await setPolicy('REQUIRED')
    expect(await invite()).toMatchObject(REFUSED)
  })

  test.each<[string, Role | undefined, string, string, string]>([
    ['a non-member', undefined, 'GET', '/members', 'FORBIDDEN'],
    ['a non-member who tries to delete it', undefined, 'DELETE', '', 'OWNER_REQUIRED'],
    ['a member without the role', 'member', 'GET', '/invitations', 'FORBIDDEN'],
  ])('gets only the error for the missing permission: %s', async (_, role, method, path, code) => {
    const somebody = await createSignedInUser(service)
    if (role) await insertMembership(service, tenant.company, somebody, { role })
    await setPolicy('REQUIRED')
    expect(await somebody.call(method, pathOf(path))).toMatchObject(errorReply(403, code))
  })
})

describe('a session with a second factor', () => {
  test('has access to the tenant, with its cookie and with tokens issued afterwards', async () => {
    await setPolicy('REQUIRED')
    const cookie = await enroll(owner.cookie)
    const { access_token } = await obtainTokens(service.url, cookie)
    for (const ask of [withCookie(cookie), withToken(access_token)]) {
      expect((await ask('GET', pathOf('/members'))).status).toBe(200)
    }
    // A token that was issued before the second factor does not count.
    expect(await owner.call('GET', pathOf('/members'))).toMatchObject(REFUSED)
  })

  test('loses access when the last factor is removed', async () => {
    await setPolicy('REQUIRED')
    const cookie = await enroll(owner.cookie)
    const { access_token } = await obtainTokens(service.url, cookie)
    const [byCookie, byToken] = [withCookie(cookie), withToken(access_token)]
    for (const ask of [byCookie, byToken]) expect((await ask('GET', pathOf())).status).toBe(200)
    await service.ctx.db.deleteFrom('totp_secrets').where('user_id', '=', owner.id).execute()
    await service.ctx.changes.waitUntilCurrent()
    expect(await byCookie('GET', pathOf())).toMatchObject(REFUSED)
    // The token was issued for this tenant and is revoked.
    expect(await byToken('GET', pathOf())).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
  })
})

describe('a member who makes the tenant require a second factor', () => {
  const require = (ask: Ask) => ask('PATCH', pathOf(), { mfaPolicy: 'REQUIRED' })

  test('keeps access for an hour with the same session, and with no other', async () => {
    const elsewhere = await owner.signInAgain()
    const colleague = await createSignedInUser(service)
    await insertMembership(service, tenant.company, colleague, { role: 'owner' })
    expect((await require(owner.call)).status).toBe(200)
    for (const ask of [owner.call, withCookie(owner.cookie)]) {
      expect((await ask('GET', pathOf('/members'))).status).toBe(200)
    }
    for (const ask of [withCookie(elsewhere.cookie), withCookie(colleague.cookie), colleague.call]) {
      expect(await ask('GET', pathOf('/members'))).toMatchObject(REFUSED)
    }
    service.advance(HOUR_MS - 60_000)
    expect((await withCookie(owner.cookie)('GET', pathOf('/members'))).status).toBe(200)
    service.advance(60_000)
    expect(await withCookie(owner.cookie)('GET', pathOf('/members'))).toMatchObject(REFUSED)
  })

  test('keeps access after enrolling within the hour', async () => {
    await require(withCookie(owner.cookie))
    const cookie = await enroll(owner.cookie)
    service.advance(HOUR_MS)
    expect((await withCookie(cookie)('GET', pathOf('/members'))).status).toBe(200)
  })

  test('may keep using the token of the request, and gets no new one', async () => {
    await admin(service.url, `/api/admin/applications/${await projectManager()}`, { accessTokenTtl: 7_200 }, 'PATCH')
    const { slug } = tenant.company
    const tokens = await obtainTokens(service.url, owner.cookie, { tenant: slug })
    const elsewhere = await owner.signInAgain()
    const otherSession = await obtainTokens(service.url, elsewhere.cookie, { tenant: slug })
    const ask = withToken(tokens.access_token)
    expect((await require(ask)).status).toBe(200)
    expect((await ask('GET', pathOf('/members'))).status).toBe(200)
    expect((await ask('GET', '/api/users/me/mfa')).status).toBe(200)
    expect(await userinfo(service.url, otherSession.access_token)).toBe(401)
    expect(await refresh(service.url, tokens.refresh_token)).toMatchObject({
      body: { error: 'invalid_grant' },
    })
    service.advance(HOUR_MS)
    expect(await ask('GET', pathOf('/members'))).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
    expect(await userinfo(service.url, tokens.access_token)).toBe(401)
  })

  test('does not get a second hour by switching the policy off and on', async () => {
    const byCookie = withCookie(owner.cookie)
    await require(byCookie)
    service.advance(HOUR_MS - 60_000)
    expect((await byCookie('PATCH', pathOf(), { mfaPolicy: 'OPTIONAL' })).status).toBe(200)
    expect((await require(byCookie)).status).toBe(200)
    expect((await byCookie('GET', pathOf())).status).toBe(200)
    service.advance(60_000)
    expect(await byCookie('GET', pathOf())).toMatchObject(REFUSED)
  })

  test('does not extend the hour by setting the policy again', async () => {
    await require(owner.call)
    service.advance(HOUR_MS / 2)
    await require(withCookie(owner.cookie))
    service.advance(HOUR_MS / 2)
    expect(await withCookie(owner.cookie)('GET', pathOf())).toMatchObject(REFUSED)
  })

  test('has no grace period after an operator has set the policy', async () => {
    await require(owner.call)
    await setPolicy('OPTIONAL')
    await setPolicy('REQUIRED')
    expect(await owner.call('GET', pathOf())).toMatchObject(REFUSED)
  })

  test('gets no grace period when the session already has a second factor', async () => {
    const cookie = await enroll(owner.cookie)
    expect((await require(withCookie(cookie))).status).toBe(200)
    await service.ctx.db.deleteFrom('totp_secrets').where('user_id', '=', owner.id).execute()
    expect(await withCookie(cookie)('GET', pathOf())).toMatchObject(REFUSED)
  })
})

async function projectManager(): Promise<string> {
  const { id } = await service.ctx.db
    .selectFrom('applications')
    .select('id')
    .where('slug', '=', 'project-manager')
    .executeTakeFirstOrThrow()
  return id
}
