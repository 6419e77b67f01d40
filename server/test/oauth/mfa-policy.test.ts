import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { call, createSignedInUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import {
  addMember,
  authorize,
  authorizeUrl,
  claimsOf,
  cookieOf,
  exchange,
  obtainTokens,
  PASSWORD,
  refresh,
  signIn,
  startDemoService,
  userinfo,
} from '../support/world.ts'

let service: TestService
let url: string
let ann: TestUser
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  await setPolicy('REQUIRED')
})
afterAll(() => service.close())
beforeEach(async () => {
  ann = await createSignedInUser(service)
  await addMember(service, ann.email, 'acme')
})

const setPolicy = (mfa_policy: 'REQUIRED' | 'OPTIONAL') =>
  service.ctx.db.updateTable('tenants').set({ mfa_policy }).where('slug', '=', 'acme').execute()

async function enroll(): Promise<string> {
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
  const secret = body.secret as string
  service.advance(30_000)
  const code = totpCode(secret, service.ctx.now())
  expect((await ann.call('POST', '/api/users/me/mfa/totp/verify', { code })).status).toBe(200)
  return secret
}

test('an authorization for a tenant that requires MFA redirects to the setup, and succeeds after it', async () => {
  const { location } = await authorize(url, ann.cookie, { tenant: 'acme' })
  expect(location).toMatch(/^\/mfa\/setup\?journey=/)
  await enroll()
  const { answer } = await authorize(url, ann.cookie, { tenant: 'acme' })
  const { body } = await exchange(url, answer.code)
  expect(claimsOf(body.access_token)).toMatchObject({
    tenant_slug: 'acme',
    amr: expect.arrayContaining(['mfa']),
  })
})

test('prompt=none for a tenant that requires MFA is interaction_required', async () => {
  const { answer } = await authorize(url, ann.cookie, { tenant: 'acme', prompt: 'none' })
  expect(answer).toMatchObject({ error: 'interaction_required', state: 'st' })
})

test('a session without a second factor must show it once the user has one', async () => {
  const other = await signIn(url, ann.email)
  const secret = await enroll()
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

test('removing the second factor ends access to tenants that require MFA, and nothing else', async () => {
  await addMember(service, ann.email, 'globex')
  await enroll()
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

test('a password alone gets no token for a tenant that requires MFA', async () => {
  await enroll()
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

test('requiring MFA in a tenant ends its grants without a second factor immediately, and nothing else', async () => {
  const ben = await createSignedInUser(service)
  await addMember(service, ben.email, 'acme')
  await setPolicy('OPTIONAL')
  await enroll()
  const withFactor = await obtainTokens(url, ann.cookie, { tenant: 'acme' })
  const withoutFactor = await obtainTokens(url, ben.cookie, { tenant: 'acme' })
  for (const { access_token } of [withFactor, withoutFactor]) expect(await userinfo(url, access_token)).toBe(200)
  await setPolicy('REQUIRED')
  await service.ctx.changes.waitUntilCurrent()
  expect(await userinfo(url, withoutFactor.access_token)).toBe(401)
  expect(await refresh(url, withoutFactor.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
  expect(await userinfo(url, withFactor.access_token)).toBe(200)
  expect((await refresh(url, withFactor.refresh_token)).status).toBe(200)
  // Tokens without this tenant are unaffected.
  expect(await userinfo(url, ben.tokens.access_token)).toBe(200)
})

test('requiring MFA in a tenant also ends tokens whose grant has switched to another tenant', async () => {
  await setPolicy('OPTIONAL')
  try {
    await addMember(service, ann.email, 'globex')
    const cookie = await signIn(url, ann.email)
    const first = await obtainTokens(url, cookie, { tenant: 'acme' })
    const { body: moved } = await refresh(url, first.refresh_token, { tenant: 'globex' })
    expect([await userinfo(url, first.access_token), await userinfo(url, moved.access_token)]).toEqual([200, 200])
    await setPolicy('REQUIRED')
    await service.ctx.changes.waitUntilCurrent()
    expect([await userinfo(url, first.access_token), await userinfo(url, moved.access_token)]).toEqual([401, 200])
  } finally {
    await setPolicy('REQUIRED')
  }
})
