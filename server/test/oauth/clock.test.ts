import { afterAll, beforeAll, expect, test } from 'vitest'
import { rotateSigningKeys } from '../../src/keys/signing-keys.ts'
import { sweepExpired } from '../../src/oauth/sweep.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  authorize,
  exchange,
  introspect,
  obtainTokens,
  refresh,
  signIn,
  startDemoService,
  userinfo,
} from '../support/world.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService()
  url = service.url
})
afterAll(() => service.close())

test('an authorization code expires after one minute (T037)', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { answer } = await authorize(url, cookie)
  service.advance(61_000)
  expect(await exchange(url, answer.code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('an access token expires after its lifetime (T070)', async () => {
  const { access_token } = await obtainTokens(url, await signIn(url, 'mia@acme.test'))
  service.advance(14 * MINUTE)
  expect(await userinfo(url, access_token)).toBe(200)
  service.advance(2 * MINUTE)
  expect(await userinfo(url, access_token)).toBe(401)
  expect(await introspect(url, access_token)).toEqual({ active: false })
})

test('a refresh token expires after 30 days without use', async () => {
  const { refresh_token } = await obtainTokens(url, await signIn(url, 'mia@acme.test'))
  service.advance(31 * DAY)
  expect(await refresh(url, refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await introspect(url, refresh_token)).toEqual({ active: false })
})

test('a refresh token family expires after 90 days, however often it is used (T060)', async () => {
  let { refresh_token } = await obtainTokens(url, await signIn(url, 'mia@acme.test'))
  for (let day = 0; day < 88; day += 22) {
    service.advance(22 * DAY)
    const { status, body } = await refresh(url, refresh_token)
    expect(status).toBe(200)
    refresh_token = body.refresh_token
  }
  service.advance(3 * DAY)
  expect(await refresh(url, refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
})

test('a browser session expires after 14 idle days, while its refresh tokens stay valid', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { refresh_token } = await obtainTokens(url, cookie)
  service.advance(15 * DAY)
  expect((await authorize(url, cookie, { prompt: 'none' })).answer.error).toBe('login_required')
  expect((await refresh(url, refresh_token)).status).toBe(200)
})

test('the sweep deletes expired rows only', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { access_token, refresh_token } = await obtainTokens(url, cookie)
  await authorize(url, cookie)
  service.advance(2 * MINUTE)
  await sweepExpired.run(service.ctx, undefined)
  const count = async (table: 'grants' | 'sessions') =>
    (
      await service.ctx.db
        .selectFrom(table)
        .select((at) => at.fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n
  expect(await userinfo(url, access_token)).toBe(200)
  expect((await refresh(url, refresh_token)).status).toBe(200)
  service.advance(91 * DAY)
  await sweepExpired.run(service.ctx, undefined)
  expect([await count('grants'), await count('sessions')]).toEqual([0, 0])
})

test('after a key rotation, old and new tokens verify on every running node (T005)', async () => {
  const other = await startService({ sameDatabaseAs: service })
  const cookie = await signIn(url, 'mia@acme.test')
  const before = await obtainTokens(url, cookie)
  const [{ kid } = { kid: '' }] = await rotateSigningKeys(service.ctx, { immediately: true })
  service.advance(10)
  await service.ctx.changes.waitUntilCurrent()
  const kids = async (at: string) =>
    ((await (await fetch(`${at}/api/oauth/jwks`)).json()) as { keys: { kid: string }[] }).keys.map((key) => key.kid)
  await expect.poll(() => kids(other.url)).toContain(kid)
  const after = await obtainTokens(url, cookie)
  const kidOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()).kid
  expect([kidOf(before.access_token) === kid, kidOf(after.access_token) === kid]).toEqual([false, true])
  for (const { access_token } of [before, after]) {
    expect((await introspect(url, access_token)).active).toBe(true)
  }
  await other.close()
})

test('an expired ID token is accepted as a logout hint (T080)', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  const { id_token } = await obtainTokens(url, cookie)
  service.advance(2 * 60 * MINUTE)
  const query = new URLSearchParams({
    id_token_hint: id_token,
    post_logout_redirect_uri: 'http://localhost:8080/',
    state: 'back',
  })
  const response = await fetch(`${url}/api/oauth/logout?${query}`, {
    headers: { cookie },
    redirect: 'manual',
  })
  expect(response.headers.get('location')).toBe('http://localhost:8080/?state=back')
  expect((await authorize(url, cookie, { prompt: 'none' })).answer.error).toBe('login_required')
})
