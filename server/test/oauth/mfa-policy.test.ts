import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { call, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import {
  authorize,
  authorizeUrl,
  claimsOf,
  cookieOf,
  exchange,
  join,
  obtainTokens,
  PASSWORD,
  refresh,
  signIn,
  startWorld,
  userinfo,
} from '../support/world.ts'

let service: TestService
let url: string
let ann: Somebody
beforeAll(async () => {
  service = await startWorld()
  url = service.url
  await setPolicy('REQUIRED')
})
afterAll(() => service.close())
beforeEach(async () => {
  ann = await newSomebody(service)
  await join(service, ann.email, 'acme')
})

const setPolicy = (mfa_policy: 'REQUIRED' | 'OPTIONAL') =>
  service.ctx.db.updateTable('tenants').set({ mfa_policy }).where('slug', '=', 'acme').execute()

async function enrol(): Promise<string> {
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const secret = body.secret as string
  service.advance(30_000)
  const code = totpCode(secret, service.ctx.now())
  expect((await ann.call('POST', '/api/users/me/mfa/totp/verify', { code })).status).toBe(200)
  return secret
}

test('the way to such a tenant leads into setting a second factor up, and goes on from there', async () => {
  const { location } = await authorize(url, ann.cookie, { tenant: 'acme' })
  expect(location).toMatch(/^\/mfa\/setup\?journey=/)
  await enrol()
  const { answer } = await authorize(url, ann.cookie, { tenant: 'acme' })
  const { body } = await exchange(url, answer.code)
  expect(claimsOf(body.access_token)).toMatchObject({
    tenant_slug: 'acme',
    amr: expect.arrayContaining(['mfa']),
  })
})

test('silently there is no way', async () => {
  const { answer } = await authorize(url, ann.cookie, { tenant: 'acme', prompt: 'none' })
  expect(answer).toMatchObject({ error: 'interaction_required', state: 'st' })
})

test('a session without a second factor is asked for it once one is set up', async () => {
  const other = await signIn(url, ann.email)
  const secret = await enrol()
  const { location } = await authorize(url, other, { tenant: 'acme' })
  expect(location).toMatch(/^\/mfa\?journey=/)
  service.advance(30_000)
  const answer = {
    method: 'POST',
    headers: { cookie: other },
    body: { code: totpCode(secret, service.ctx.now()) },
  }
  const shown = await call(`${url}/api/auth/mfa`, answer)
  expect(shown.status).toBe(200)
  const fresh = shown.headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ')
  expect((await authorize(url, fresh, { tenant: 'acme' })).answer.code).toBeDefined()
})

test('whoever removes their second factor loses that tenant, and nothing else', async () => {
  await join(service, ann.email, 'globex')
  await enrol()
  const inAcme = await obtainTokens(url, ann.cookie, { tenant: 'acme' })
  const inGlobex = await obtainTokens(url, ann.cookie, { tenant: 'globex' })
  await ann.call('DELETE', '/api/users/me/mfa/totp', { password: PASSWORD })
  expect(await userinfo(url, inAcme.access_token)).toBe(401)
  expect(await refresh(url, inAcme.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
  expect(await userinfo(url, inGlobex.access_token)).toBe(200)
  const next = await refresh(url, inGlobex.refresh_token)
  expect(next.status).toBe(200)
  expect(await refresh(url, next.body.refresh_token, { tenant: 'acme' })).toMatchObject({ status: 400 })
  expect((await authorize(url, ann.cookie, { tenant: 'acme' })).location).toMatch(/^\/mfa\/setup/)
})

test('a reset and a sign-in by password alone give no token there', async () => {
  await enrol()
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: ann.email, password: PASSWORD }),
  })
  const half = await fetch(authorizeUrl(url, { tenant: 'acme' }), {
    headers: { cookie: cookieOf(response) },
    redirect: 'manual',
  })
  expect(half.headers.get('location')).toMatch(/^\/login\?journey=/)
})

test('a tenant that begins to demand a second factor ends at once what it gave without one, and nothing else', async () => {
  const ben = await newSomebody(service)
  await join(service, ben.email, 'acme')
  await setPolicy('OPTIONAL')
  await enrol()
  const shown = await obtainTokens(url, ann.cookie, { tenant: 'acme' })
  const unshown = await obtainTokens(url, ben.cookie, { tenant: 'acme' })
  for (const { access_token } of [shown, unshown]) expect(await userinfo(url, access_token)).toBe(200)
  await setPolicy('REQUIRED')
  await service.ctx.changes.settle()
  expect(await userinfo(url, unshown.access_token)).toBe(401)
  expect(await refresh(url, unshown.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
  expect(await userinfo(url, shown.access_token)).toBe(200)
  expect((await refresh(url, shown.refresh_token)).status).toBe(200)
  // Outside that tenant nothing has changed.
  expect(await userinfo(url, ben.tokens.access_token)).toBe(200)
})

test('a token for it without a second factor ends, also when its grant has moved on to another tenant', async () => {
  await setPolicy('OPTIONAL')
  try {
    await join(service, ann.email, 'globex')
    const cookie = await signIn(url, ann.email)
    const first = await obtainTokens(url, cookie, { tenant: 'acme' })
    const { body: moved } = await refresh(url, first.refresh_token, { tenant: 'globex' })
    expect([await userinfo(url, first.access_token), await userinfo(url, moved.access_token)]).toEqual([
      200, 200,
    ])
    await setPolicy('REQUIRED')
    await service.ctx.changes.settle()
    expect([await userinfo(url, first.access_token), await userinfo(url, moved.access_token)]).toEqual([
      401, 200,
    ])
  } finally {
    await setPolicy('REQUIRED')
  }
})
