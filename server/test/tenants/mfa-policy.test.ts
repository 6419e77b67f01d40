import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { surface } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { Role } from '../../src/db/tables.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Answer, call, failure, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { admin, obtainTokens, refresh, startWorld, userinfo } from '../support/world.ts'
import { furnish, type Place } from './callers.ts'
import { employ, newCompany, pictureOf } from './company.ts'

// A tenant that requires a second factor requires it of those who run it too: in their browser and with any token.

const HOUR_MS = 3_600_000
const { routes } = surface(loadConfig('demo', {}))
const doors = routes.filter(({ caller }) => caller === 'member')

let service: TestService
let place: Place
let owner: Somebody
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())
beforeEach(async () => {
  const company = await newCompany(service)
  place = await furnish(service, company)
  // They sign in while they belong nowhere: their token is of no tenant.
  owner = await newSomebody(service)
  await employ(service, company, owner, { role: 'owner' })
})

const pathOf = (path = '') => `/api/tenants/${place.company.id}${path}`
const REFUSED = failure(403, 'MFA_REQUIRED')

/** As an operator does it: nobody is given time. */
const setPolicy = (mfaPolicy: 'OPTIONAL' | 'REQUIRED') =>
  admin(service.url, `/api/admin/tenants/${place.company.id}`, { mfaPolicy }, 'PATCH')

type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>

const withHeaders =
  (headers: Record<string, string>): Ask =>
  (method, path, body) =>
    call(service.url + path, { method, headers, body })
const withCookie = (cookie: string): Ask => withHeaders({ cookie, origin: service.url })
const withToken = (token: string): Ask => withHeaders({ authorization: `Bearer ${token}` })

/** Sets an authenticator app up in the session of the cookie; the answer is the cookie from then on. */
async function enroll(cookie: string): Promise<string> {
  const ask = withCookie(cookie)
  const { body } = await ask('POST', '/api/users/me/mfa/totp')
  const code = totpCode(String(body.secret), service.ctx.now())
  const enrolled = await ask('POST', '/api/users/me/mfa/totp/verify', { code })
  expect(enrolled.status).toBe(200)
  return enrolled.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

describe('whoever has shown no second factor', () => {
  test.each(doors.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'is told so by %s, and nothing is done',
    async (_, { method, path, body }) => {
      await setPolicy('REQUIRED')
      const before = await pictureOf(service, place.company)
      const address = path.replace(/:(\w+)/g, (__, name: string) => place.ids[name] ?? name)
      for (const ask of [withCookie(owner.cookie), owner.call]) {
        expect(await ask(method, address, body && {})).toMatchObject(REFUSED)
      }
      expect(await pictureOf(service, place.company)).toEqual(before)
    },
  )

  test('reads how to show one', async () => {
    await setPolicy('REQUIRED')
    const { body } = await owner.call('GET', pathOf('/members'))
    expect(body.message).toMatch(/set one up at \/mfa\/setup, or sign in again with the one you have/i)
  })

  test('cannot take the requirement away', async () => {
    await setPolicy('REQUIRED')
    expect(await owner.call('PATCH', pathOf(), { mfaPolicy: 'OPTIONAL' })).toMatchObject(REFUSED)
  })

  test('may leave, and remove nobody else', async () => {
    const helper = await newSomebody(service)
    const own = await employ(service, place.company, helper, { role: 'admin' })
    await setPolicy('REQUIRED')
    const remove = (id: string | undefined) => helper.call('DELETE', pathOf(`/members/${id}`))
    for (const id of [place.ids.membershipId, newId(), 'nothing']) {
      expect(await remove(id)).toMatchObject(REFUSED)
    }
    expect(await remove(own.toUpperCase())).toMatchObject({
      status: 200,
      body: { message: 'Member removed' },
    })
  })

  test('is not told again what was answered before, by an Idempotency-Key', async () => {
    const headers = { authorization: `Bearer ${owner.tokens.access_token}`, 'Idempotency-Key': 'again' }
    const invite = () => withHeaders(headers)('POST', pathOf('/invitations'), { email: 'guest@people.test' })
    expect((await invite()).status).toBe(201)
    await setPolicy('REQUIRED')
    expect(await invite()).toMatchObject(REFUSED)
  })

  test.each<[string, Role | undefined, string, string, string]>([
    ['a stranger', undefined, 'GET', '/members', 'FORBIDDEN'],
    ['a stranger who would delete it', undefined, 'DELETE', '', 'OWNER_REQUIRED'],
    ['a member without the role', 'member', 'GET', '/invitations', 'FORBIDDEN'],
  ])('and may not anyway, hears only that: %s', async (_, role, method, path, code) => {
    const somebody = await newSomebody(service)
    if (role) await employ(service, place.company, somebody, { role })
    await setPolicy('REQUIRED')
    expect(await somebody.call(method, pathOf(path))).toMatchObject(failure(403, code))
  })
})

describe('whoever has shown a second factor', () => {
  test('runs the tenant, in the session and with the tokens in which they have', async () => {
    await setPolicy('REQUIRED')
    const cookie = await enroll(owner.cookie)
    const { access_token } = await obtainTokens(service.url, cookie)
    for (const ask of [withCookie(cookie), withToken(access_token)]) {
      expect((await ask('GET', pathOf('/members'))).status).toBe(200)
    }
    // A token from before is worth what was shown before.
    expect(await owner.call('GET', pathOf('/members'))).toMatchObject(REFUSED)
  })

  test('runs it no more once the last one is removed', async () => {
    await setPolicy('REQUIRED')
    const cookie = await enroll(owner.cookie)
    const { access_token } = await obtainTokens(service.url, cookie)
    const [byCookie, byToken] = [withCookie(cookie), withToken(access_token)]
    for (const ask of [byCookie, byToken]) expect((await ask('GET', pathOf())).status).toBe(200)
    await service.ctx.db.deleteFrom('totp_secrets').where('user_id', '=', owner.id).execute()
    await service.ctx.changes.settle()
    expect(await byCookie('GET', pathOf())).toMatchObject(REFUSED)
    // It was a token for this tenant.
    expect(await byToken('GET', pathOf())).toMatchObject(failure(401, 'UNAUTHORIZED'))
  })
})

describe('whoever makes a tenant require a second factor', () => {
  const require = (ask: Ask) => ask('PATCH', pathOf(), { mfaPolicy: 'REQUIRED' })

  test('keeps the session they did it with for an hour, and no other', async () => {
    const elsewhere = await owner.signInElsewhere()
    const colleague = await newSomebody(service)
    await employ(service, place.company, colleague, { role: 'owner' })
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

  test('has enrolled by then, and goes on', async () => {
    await require(withCookie(owner.cookie))
    const cookie = await enroll(owner.cookie)
    service.advance(HOUR_MS)
    expect((await withCookie(cookie)('GET', pathOf('/members'))).status).toBe(200)
  })

  test('may use the token for the tenant that they did it with, and gets no other', async () => {
    await admin(
      service.url,
      `/api/admin/applications/${await projectManager()}`,
      { accessTokenTtl: 7_200 },
      'PATCH',
    )
    const { slug: tenant } = place.company
    const tokens = await obtainTokens(service.url, owner.cookie, { tenant })
    const others = await obtainTokens(service.url, (await owner.signInElsewhere()).cookie, { tenant })
    const ask = withToken(tokens.access_token)
    expect((await require(ask)).status).toBe(200)
    expect((await ask('GET', pathOf('/members'))).status).toBe(200)
    expect((await ask('GET', '/api/users/me/mfa')).status).toBe(200)
    expect(await userinfo(service.url, others.access_token)).toBe(401)
    expect(await refresh(service.url, tokens.refresh_token)).toMatchObject({
      body: { error: 'invalid_grant' },
    })
    service.advance(HOUR_MS)
    expect(await ask('GET', pathOf('/members'))).toMatchObject(failure(401, 'UNAUTHORIZED'))
    expect(await userinfo(service.url, tokens.access_token)).toBe(401)
  })

  test('gains no second hour by switching it off and on', async () => {
    const byCookie = withCookie(owner.cookie)
    await require(byCookie)
    service.advance(HOUR_MS - 60_000)
    expect((await byCookie('PATCH', pathOf(), { mfaPolicy: 'OPTIONAL' })).status).toBe(200)
    expect((await require(byCookie)).status).toBe(200)
    expect((await byCookie('GET', pathOf())).status).toBe(200)
    service.advance(60_000)
    expect(await byCookie('GET', pathOf())).toMatchObject(REFUSED)
  })

  test('gains nothing by saying so again', async () => {
    await require(owner.call)
    service.advance(HOUR_MS / 2)
    await require(withCookie(owner.cookie))
    service.advance(HOUR_MS / 2)
    expect(await withCookie(owner.cookie)('GET', pathOf())).toMatchObject(REFUSED)
  })

  test('has no such hour after an operator has required it', async () => {
    await require(owner.call)
    await setPolicy('OPTIONAL')
    await setPolicy('REQUIRED')
    expect(await owner.call('GET', pathOf())).toMatchObject(REFUSED)
  })

  test('and has shown one needs no such hour, and loses all with the factor', async () => {
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
