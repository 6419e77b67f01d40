import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replaceSigningKeys } from '../../src/keys/signing-keys.ts'
import { newId } from '../../src/lib/ids.ts'
import { hashSecret } from '../../src/lib/secrets.ts'
import { sweepExpired } from '../../src/oauth/sweep.ts'
import type { TestService } from '../support/service.ts'
import {
  addMember,
  admin,
  authorize,
  authorizeUrl,
  CALLBACK,
  changeClient,
  claimsOf,
  cookieOf,
  exchange,
  introspect,
  machineToken,
  obtainTokens,
  refresh,
  signIn,
  startDemoService,
  thirdParty,
  token,
  userinfo,
} from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({
    config: { limits: { signInFailures: 30, confirmFailures: 5, clientFailures: 60 } },
  })
  url = service.url
  await addMember(service, 'gus@globex.test', 'acme')
})
afterAll(() => service.close())

test('a scope removed from a machine client is removed from its existing tokens immediately', async () => {
  const { id } = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'Robots' })
  const robot = await admin<{ clientId: string; clientSecret: string }>(url, '/api/admin/clients', {
    applicationId: id,
    kind: 'MACHINE',
    name: 'Robot',
    scopes: ['admin'],
  })
  const { body } = await token(url, {
    grant_type: 'client_credentials',
    client_id: robot.clientId,
    client_secret: robot.clientSecret,
  })
  const list = () => fetch(`${url}/api/admin/clients`, { headers: { authorization: `Bearer ${body.access_token}` } })
  expect((await list()).status).toBe(200)
  await changeClient(service, robot.clientId, { scopes: [] })
  expect((await list()).status).toBe(403)
  expect(await introspect(url, body.access_token)).toMatchObject({ active: true, scope: '' })
})

test("a scope removed from a user's client is missing in userinfo and after a refresh", async () => {
  const client = await thirdParty(url, 'Shrinking')
  await admin(
    url,
    `/api/admin/applications/${(await applicationOf(client.clientId)).application_id}`,
    { trusted: true },
    'PATCH',
  )
  const cookie = await signIn(url, 'mia@acme.test')
  const { answer } = await authorize(url, cookie, { client_id: client.clientId })
  const { body } = await exchange(url, answer.code, { client_id: client.clientId })
  await changeClient(service, client.clientId, { scopes: ['openid', 'offline_access'] })
  const info = await fetch(`${url}/api/oauth/userinfo`, {
    headers: { authorization: `Bearer ${body.access_token}` },
  })
  expect(Object.keys((await info.json()) as object)).toEqual(['sub'])
  const next = await refresh(url, body.refresh_token, { client_id: client.clientId })
  expect(next.body.scope).toBe('openid offline_access')
})

const applicationOf = (clientId: string) =>
  service.ctx.db
    .selectFrom('clients')
    .select('application_id')
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow()

/** Submits the form of a page. */
async function submitForm(cookie: string, page: Response, fields: Record<string, string>) {
  const html = await page.text()
  const action = /action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''
  return fetch(url + action, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `${cookie}; ${cookieOf(page)}` },
    body: new URLSearchParams({ csrf, ...fields }),
  })
}

test('consent to a third-party application in one tenant does not apply to another', async () => {
  const client_id = (await thirdParty(url, 'Nosy')).clientId
  const cookie = await signIn(url, 'gus@globex.test')
  const page = await fetch(authorizeUrl(url, { client_id, tenant: 'acme' }), { headers: { cookie } })
  const on = (await submitForm(cookie, page, { decision: 'allow' })).headers.get('location') ?? ''
  const done = await fetch(url + on, { headers: { cookie }, redirect: 'manual' })
  const code = new URL(done.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const { body } = await exchange(url, code, { client_id })
  expect(claimsOf(body.access_token)).toMatchObject({ tenant_slug: 'acme' })
  expect(await refresh(url, body.refresh_token, { client_id, tenant: 'globex' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  })
  const silent = await authorize(url, cookie, { client_id, tenant: 'globex', prompt: 'none' })
  expect(silent.answer.error).toBe('consent_required')
  expect((await refresh(url, body.refresh_token, { client_id, tenant: 'acme' })).status).toBe(200)
})

const crossSite = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example.test' }

test('a cross-site logout form is redirected to GET, where the browser sends its cookies', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { id_token } = await obtainTokens(url, cookie)
  const form = new URLSearchParams({
    id_token_hint: id_token,
    post_logout_redirect_uri: 'http://localhost:8080/',
  })
  const bounced = await fetch(`${url}/api/oauth/logout`, {
    method: 'POST',
    headers: crossSite,
    body: form,
    redirect: 'manual',
  })
  expect(bounced.status).toBe(303)
  expect(bounced.headers.getSetCookie()).toEqual([])
  const location = bounced.headers.get('location') ?? ''
  const again = await fetch(new URL(location, url), { headers: { cookie }, redirect: 'manual' })
  expect(again.headers.get('location')).toBe('http://localhost:8080/')
})

test("another user's ID token neither signs out nor clears a cookie", async () => {
  const mia = await signIn(url, 'mia@acme.test')
  const { id_token } = await obtainTokens(url, await signIn(url, 'max@acme.test'))
  const logout = `${url}/api/oauth/logout?id_token_hint=${id_token}`
  const asked = await fetch(logout, { headers: { cookie: mia } })
  expect(await asked.text()).toContain('Sign out?')
  const without = await fetch(logout)
  expect(without.headers.getSetCookie().filter((cookie) => cookie.includes('session'))).toEqual([])
  expect((await authorize(url, mia, { prompt: 'none' })).answer.code).toBeDefined()
})

test('an authorization concurrent with a sign-out redirects and never fails with a 5xx', async () => {
  for (let round = 0; round < 10; round++) {
    const cookie = await signIn(url, 'mia@acme.test')
    const racing = Array.from({ length: 10 }, () => authorize(url, cookie))
    const logout = fetch(`${url}/api/auth/logout`, { method: 'POST', headers: { cookie } })
    const answers = await Promise.all(racing)
    await logout
    expect(answers.every(({ response }) => response.status === 303)).toBe(true)
  }
})

test('a form with too many fields or too much text is refused', async () => {
  const fields = Array.from({ length: 10_000 }, (_, index) => `f${index}=1`).join('&')
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  for (const path of ['/api/oauth/token', '/api/oauth/revoke', '/oauth/authorize']) {
    const response = await fetch(url + path, { method: 'POST', headers, body: fields.slice(0, 60_000) })
    expect(response.status).toBe(400)
    const large = await fetch(url + path, { method: 'POST', headers, body: `token=${'x'.repeat(100_000)}` })
    expect(large.status).toBe(413)
  }
})

test('an authorization request that is too long for a URL is refused', async () => {
  const { answer } = await authorize(url, '', { login_hint: 'x'.repeat(9_000) })
  expect(answer).toMatchObject({ error: 'invalid_request', state: 'st' })
})

test('wrong secrets do not lock out a public client, and secret guesses are rate limited', async () => {
  const limit = service.ctx.config.limits.clientFailures
  const guess = (client_id: string) =>
    token(url, { grant_type: 'refresh_token', refresh_token: 'x', client_id, client_secret: 'guess' })
  const { refresh_token } = await obtainTokens(url, await signIn(url, 'mia@acme.test'))
  for (let count = 0; count <= limit; count += 50) {
    await Promise.all(Array.from({ length: 50 }, () => guess('demo-spa')))
    await Promise.all(Array.from({ length: 50 }, () => guess('demo-web')))
  }
  expect((await refresh(url, refresh_token)).status).toBe(200)
  expect((await guess('demo-web')).status).toBe(429)
  expect(await machineToken(url, 'demo-machine')).toBeDefined()
})

test('a registered redirect URI cannot inject directives into the Content-Security-Policy', async () => {
  const { application_id: applicationId } = await applicationOf('demo-spa')
  const create = (redirectUri: string) =>
    admin(url, '/api/admin/clients', { applicationId, kind: 'WEB', name: 'X', redirectUris: [redirectUri] })
  for (const uri of ['https://a;sandbox/cb', 'https://x,y/cb', "https://x'y/cb"]) {
    await expect(create(uri)).rejects.toThrow('422')
  }
  const page = await fetch(authorizeUrl(url))
  expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${new URL(CALLBACK).origin};`)
})

test('consent given in separate requests accumulates', async () => {
  const client_id = (await thirdParty(url, 'Piecemeal')).clientId
  const cookie = await signIn(url, 'mia@acme.test')
  for (const scope of ['openid profile', 'openid email']) {
    const page = await fetch(authorizeUrl(url, { client_id, scope }), { headers: { cookie } })
    expect((await submitForm(cookie, page, { decision: 'allow' })).status).toBe(303)
  }
  for (const scope of ['openid profile', 'openid email', 'openid profile email']) {
    const { answer } = await authorize(url, cookie, { client_id, scope, prompt: 'none' })
    expect(answer.code).toBeDefined()
  }
})

test('an access token stays valid after the last refresh token of its family has expired', async () => {
  const { application_id } = await applicationOf('demo-spa')
  const lifetimes = { refreshTokenTtl: 60, accessTokenTtl: 3600 }
  await admin(url, `/api/admin/applications/${application_id}`, lifetimes, 'PATCH')
  const { access_token } = await obtainTokens(url, await signIn(url, 'mia@acme.test'))
  service.advance(10 * 60_000)
  await sweepExpired.run(service.ctx, undefined)
  await service.ctx.changes.waitUntilCurrent()
  expect(await userinfo(url, access_token)).toBe(200)
  await admin(
    url,
    `/api/admin/applications/${application_id}`,
    { refreshTokenTtl: null, accessTokenTtl: null },
    'PATCH',
  )
})

test('after a leaked key is replaced, its tokens are invalid and new tokens are valid', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { access_token, refresh_token } = await obtainTokens(url, cookie)
  expect(await userinfo(url, access_token)).toBe(200)
  await replaceSigningKeys(service.ctx)
  service.advance(10)
  await service.ctx.changes.waitUntilCurrent()
  expect(await userinfo(url, access_token)).toBe(401)
  const next = await refresh(url, refresh_token)
  expect(await userinfo(url, next.body.access_token)).toBe(200)
  const { keys } = (await (await fetch(`${url}/api/oauth/jwks`)).json()) as { keys: unknown[] }
  expect(keys).toHaveLength(1)
})

test('a Basic secret is form-urlencoded, and two Authorization headers are refused (T041, T044)', async () => {
  const secret = 'p:a+s s%é&=ok'
  const { id } = await service.ctx.db
    .selectFrom('clients')
    .select('id')
    .where('client_id', '=', 'demo-machine')
    .executeTakeFirstOrThrow()
  const row = { id: newId(), client_id: id, hash: hashSecret(secret), created_at: new Date() }
  await service.ctx.db.insertInto('client_secrets').values(row).execute()
  await service.ctx.changes.waitUntilCurrent()
  const basic = `Basic ${btoa(`demo-machine:${new URLSearchParams({ s: secret }).toString().slice(2)}`)}`
  const ask = (...headers: string[]) =>
    new Promise<number | undefined>((resolve, reject) => {
      const call = request(`${url}/api/oauth/token`, { method: 'POST' }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      call.on('error', reject)
      call.setHeader('Content-Type', 'application/x-www-form-urlencoded')
      call.setHeader('Authorization', headers)
      call.end('grant_type=client_credentials')
    })
  expect(await ask(basic)).toBe(200)
  expect(await ask(basic, basic)).toBe(400)
  expect(await ask('Bearer x', basic)).toBe(400)
})
