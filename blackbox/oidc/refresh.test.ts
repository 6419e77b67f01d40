import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { callAdmin, newApplication, newClient } from '../support/admin.ts'
import type { Browser } from '../support/browser.ts'
import { verifyAccessToken, verifyIdToken } from '../support/jwt.ts'
import { logOut } from '../support/logout.ts'
import {
  ALL_SCOPES,
  basic,
  getCode,
  getTokens,
  getUserinfo,
  introspectToken,
  NO_BODY_CREDENTIALS,
  refreshTokens,
  requestToken,
  type Tokens,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { POST_LOGOUT_URI } from '../support/service.ts'

const application = await newApplication()
const spa = await newClient(application, 'SPA')
const otherSpa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()

const invalidGrant = { status: 400, body: { error: 'invalid_grant', error_description: expect.any(String) } }
const sorted = (scope: string) => scope.split(' ').sort()

test('T048: each refresh issues new tokens; user, audience, scope and auth_time stay the same', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  const { status, headers, body: second } = await refreshTokens(spa, first.refresh_token)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toContain('no-store')
  expect(second).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) })
  expect(second.refresh_token).not.toBe(first.refresh_token)
  expect(sorted(second.scope)).toEqual(sorted(ALL_SCOPES))
  const [before, after] = [decodeJwt(first.access_token), await verifyAccessToken(second.access_token, application)]
  for (const claim of ['sub', 'aud', 'scope', 'auth_time', 'client_id', 'sid', 'amr']) {
    expect(after[claim], claim).toEqual(before[claim])
  }
  expect(after.jti).not.toBe(before.jti)
})

test('T048: a refreshed ID token keeps iss, sub, aud and auth_time, and has no other nonce', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  const { body } = await refreshTokens(spa, first.refresh_token)
  const before = await verifyIdToken(first.id_token, spa.clientId)
  const after = await verifyIdToken(body.id_token, spa.clientId)
  for (const claim of ['iss', 'sub', 'aud', 'auth_time']) expect(after[claim], claim).toEqual(before[claim])
  expect([undefined, before.nonce]).toContain(after.nonce)
  expect(after.iat ?? 0).toBeGreaterThanOrEqual(before.iat ?? 0)
})

test('T048: ten refreshes in sequence work', async () => {
  let tokens: Tokens = await getTokens(await someone.signIn(), spa)
  for (let round = 0; round < 10; round++) {
    const { status, body } = await refreshTokens(spa, tokens.refresh_token)
    expect(status).toBe(200)
    tokens = body
  }
  expect((await getUserinfo(tokens.access_token)).status).toBe(200)
})

test('T049: reuse is invalid_grant and revokes the grant family permanently', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  const { body: second } = await refreshTokens(spa, first.refresh_token)
  const { body: third } = await refreshTokens(spa, second.refresh_token)
  expect(await refreshTokens(spa, first.refresh_token)).toMatchObject(invalidGrant)
  for (const token of [third.refresh_token, second.refresh_token, first.refresh_token]) {
    expect(await refreshTokens(spa, token)).toMatchObject(invalidGrant)
    expect((await introspectToken(web, token)).body).toEqual({ active: false })
  }
  for (const token of [first.access_token, second.access_token, third.access_token]) {
    expect((await introspectToken(web, token)).body).toEqual({ active: false })
    expect((await getUserinfo(token)).status).toBe(401)
  }
})

test('T049: reuse in one grant family does not affect others of the same browser and person', async () => {
  const browser = await someone.signIn()
  const [stolen, other] = [await getTokens(browser, spa), await getTokens(browser, spa)]
  await refreshTokens(spa, stolen.refresh_token)
  await refreshTokens(spa, stolen.refresh_token)
  expect((await refreshTokens(spa, other.refresh_token)).status).toBe(200)
})

test('T049: reuse by another client is invalid_grant and revokes nothing', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  expect(await refreshTokens(otherSpa, first.refresh_token)).toMatchObject(invalidGrant)
  const { status, body: second } = await refreshTokens(spa, first.refresh_token)
  expect(status).toBe(200)
  expect(await refreshTokens(otherSpa, first.refresh_token)).toMatchObject(invalidGrant)
  expect((await refreshTokens(spa, second.refresh_token)).status).toBe(200)
})

test('T053: a confidential client must authenticate; a failed attempt neither rotates nor revokes', async () => {
  const first = await getTokens(await someone.signIn(), web)
  const refused = { status: 400, body: { error: 'invalid_client' } }
  expect(await refreshTokens(web, first.refresh_token, { client_secret: undefined })).toMatchObject(refused)
  expect(await refreshTokens(web, first.refresh_token, { client_secret: 'wrong' })).toMatchObject(refused)
  const wrong = basic({ clientId: web.clientId, clientSecret: 'wrong' })
  expect(await refreshTokens(web, first.refresh_token, NO_BODY_CREDENTIALS, wrong)).toMatchObject(refused)
  const { status, body: second } = await refreshTokens(web, first.refresh_token, NO_BODY_CREDENTIALS, basic(web))
  expect(status).toBe(200)
  // A failed attempt with a used token does not count as reuse.
  expect(await refreshTokens(web, first.refresh_token, { client_secret: 'wrong' })).toMatchObject(refused)
  expect((await refreshTokens(web, second.refresh_token)).status).toBe(200)
})

test('T054: a wider scope is invalid_scope without other effect', async () => {
  const first = await getTokens(await someone.signIn(), spa, { scope: 'openid offline_access' })
  const response = await refreshTokens(spa, first.refresh_token, { scope: 'openid offline_access email' })
  expect(response).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  expect((await refreshTokens(spa, first.refresh_token)).status).toBe(200)
})

test('T054: a narrower scope is granted, and the next refresh may have the full scope again', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  const { body: narrow } = await refreshTokens(spa, first.refresh_token, { scope: 'openid email' })
  expect(sorted(narrow.scope)).toEqual(['email', 'openid'])
  expect((await getUserinfo(narrow.access_token)).body).not.toHaveProperty('name')
  const { status, body: whole } = await refreshTokens(spa, narrow.refresh_token, { scope: ALL_SCOPES })
  expect(status).toBe(200)
  expect(sorted(whole.scope)).toEqual(sorted(ALL_SCOPES))
  expect((await getUserinfo(whole.access_token)).body).toHaveProperty('name')
})

test('T054: without offline_access no refresh token is issued', async () => {
  const tokens = await getTokens(await someone.signIn(), spa, { scope: 'openid' })
  expect(tokens).not.toHaveProperty('refresh_token')
})

describe('T056: refresh is refused after', () => {
  const endings: [string, (browser: Browser, tokens: Tokens) => Promise<unknown>][] = [
    [
      'the logout of its session at the client',
      (browser, { id_token }) =>
        logOut(browser, { id_token_hint: id_token, post_logout_redirect_uri: POST_LOGOUT_URI }),
    ],
    ['the logout of its session at the service', (browser) => browser.postJson('/api/auth/logout', {})],
  ]

  test.each(endings)('%s', async (_, end) => {
    const browser = await someone.signIn()
    const tokens = await getTokens(browser, spa)
    await end(browser, tokens)
    expect(await refreshTokens(spa, tokens.refresh_token)).toMatchObject(invalidGrant)
    expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  })

  test('its client was disabled', async () => {
    const client = await newClient(application, 'SPA')
    const tokens = await getTokens(await someone.signIn(), client)
    expect((await callAdmin('PATCH', `/clients/${client.id}`, { disabled: true })).status).toBe(200)
    expect(await refreshTokens(client, tokens.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_client' },
    })
    expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  })
})

test('T058: only a refresh token is accepted for refresh', async () => {
  const browser = await someone.signIn()
  const tokens = await getTokens(browser, spa)
  const code = await getCode(browser, spa)
  for (const other of [tokens.access_token, tokens.id_token, code, 'garbage', 'a.b.c', '\u0000', 'x'.repeat(5000)]) {
    const { status, body } = await refreshTokens(spa, other)
    expect(status).toBe(400)
    expect(body.error).toMatch(/^invalid_(grant|request)$/)
  }
  expect((await requestToken({ grant_type: 'refresh_token', client_id: spa.clientId })).body.error).toBe(
    'invalid_request',
  )
  expect((await getUserinfo(tokens.refresh_token)).status).toBe(401)
  expect((await refreshTokens(spa, tokens.refresh_token)).status).toBe(200)
})
