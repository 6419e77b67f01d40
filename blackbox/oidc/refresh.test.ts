import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { admin, newApplication, newClient } from '../support/admin.ts'
import type { Browser } from '../support/browser.ts'
import { verifyAccessToken, verifyIdToken } from '../support/jwt.ts'
import { logOut } from '../support/logout.ts'
import {
  askToken,
  basic,
  EVERYTHING,
  getCode,
  getTokens,
  introspect,
  NO_BODY_CREDENTIALS,
  refresh,
  type Tokens,
  userinfo,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { GOODBYE } from '../support/service.ts'

const application = await newApplication()
const spa = await newClient(application, 'SPA')
const otherSpa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()

const invalidGrant = { status: 400, body: { error: 'invalid_grant', error_description: expect.any(String) } }
const sorted = (scope: string) => scope.split(' ').sort()

test('T048: each refresh gives a new pair; person, audience, scope and sign-in time stay', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  const { status, headers, body: second } = await refresh(spa, first.refresh_token)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toContain('no-store')
  expect(second).toMatchObject({ token_type: 'Bearer', expires_in: expect.any(Number) })
  expect(second.refresh_token).not.toBe(first.refresh_token)
  expect(sorted(second.scope)).toEqual(sorted(EVERYTHING))
  const [before, after] = [
    decodeJwt(first.access_token),
    await verifyAccessToken(second.access_token, application),
  ]
  for (const claim of ['sub', 'aud', 'scope', 'auth_time', 'client_id', 'sid', 'amr']) {
    expect(after[claim], claim).toEqual(before[claim])
  }
  expect(after.jti).not.toBe(before.jti)
})

test('T048: a refreshed ID token keeps iss, sub, aud and auth_time, and brings no other nonce', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  const { body } = await refresh(spa, first.refresh_token)
  const before = await verifyIdToken(first.id_token, spa.clientId)
  const after = await verifyIdToken(body.id_token, spa.clientId)
  for (const claim of ['iss', 'sub', 'aud', 'auth_time']) expect(after[claim], claim).toEqual(before[claim])
  expect([undefined, before.nonce]).toContain(after.nonce)
  expect(after.iat ?? 0).toBeGreaterThanOrEqual(before.iat ?? 0)
})

test('T048: a chain of ten refreshes holds', async () => {
  let tokens: Tokens = await getTokens(await someone.signIn(), spa)
  for (let round = 0; round < 10; round++) {
    const { status, body } = await refresh(spa, tokens.refresh_token)
    expect(status).toBe(200)
    tokens = body
  }
  expect((await userinfo(tokens.access_token)).status).toBe(200)
})

test('T049: reuse is invalid_grant and ends the whole family, which stays ended', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  const { body: second } = await refresh(spa, first.refresh_token)
  const { body: third } = await refresh(spa, second.refresh_token)
  expect(await refresh(spa, first.refresh_token)).toMatchObject(invalidGrant)
  for (const token of [third.refresh_token, second.refresh_token, first.refresh_token]) {
    expect(await refresh(spa, token)).toMatchObject(invalidGrant)
    expect((await introspect(web, token)).body).toEqual({ active: false })
  }
  for (const token of [first.access_token, second.access_token, third.access_token]) {
    expect((await introspect(web, token)).body).toEqual({ active: false })
    expect((await userinfo(token)).status).toBe(401)
  }
})

test('T049: reuse in one family leaves the families of the same browser and person alone', async () => {
  const browser = await someone.signIn()
  const [stolen, other] = [await getTokens(browser, spa), await getTokens(browser, spa)]
  await refresh(spa, stolen.refresh_token)
  await refresh(spa, stolen.refresh_token)
  expect((await refresh(spa, other.refresh_token)).status).toBe(200)
})

test('T049: reuse by another client is invalid_grant and ends nothing', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  expect(await refresh(otherSpa, first.refresh_token)).toMatchObject(invalidGrant)
  const { status, body: second } = await refresh(spa, first.refresh_token)
  expect(status).toBe(200)
  expect(await refresh(otherSpa, first.refresh_token)).toMatchObject(invalidGrant)
  expect((await refresh(spa, second.refresh_token)).status).toBe(200)
})

test('T053: a confidential client must authenticate; a failed try neither rotates nor revokes', async () => {
  const first = await getTokens(await someone.signIn(), web)
  const refused = { status: 400, body: { error: 'invalid_client' } }
  expect(await refresh(web, first.refresh_token, { client_secret: undefined })).toMatchObject(refused)
  expect(await refresh(web, first.refresh_token, { client_secret: 'wrong' })).toMatchObject(refused)
  const wrong = basic({ clientId: web.clientId, clientSecret: 'wrong' })
  expect(await refresh(web, first.refresh_token, NO_BODY_CREDENTIALS, wrong)).toMatchObject(refused)
  const { status, body: second } = await refresh(web, first.refresh_token, NO_BODY_CREDENTIALS, basic(web))
  expect(status).toBe(200)
  // Nor does a failed try with a used token count as reuse.
  expect(await refresh(web, first.refresh_token, { client_secret: 'wrong' })).toMatchObject(refused)
  expect((await refresh(web, second.refresh_token)).status).toBe(200)
})

test('T054: a wider scope is invalid_scope and costs nothing', async () => {
  const first = await getTokens(await someone.signIn(), spa, { scope: 'openid offline_access' })
  const answer = await refresh(spa, first.refresh_token, { scope: 'openid offline_access email' })
  expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
  expect((await refresh(spa, first.refresh_token)).status).toBe(200)
})

test('T054: a narrower scope is granted, and the next refresh may have the whole again', async () => {
  const first = await getTokens(await someone.signIn(), spa)
  const { body: narrow } = await refresh(spa, first.refresh_token, { scope: 'openid email' })
  expect(sorted(narrow.scope)).toEqual(['email', 'openid'])
  expect((await userinfo(narrow.access_token)).body).not.toHaveProperty('name')
  const { status, body: whole } = await refresh(spa, narrow.refresh_token, { scope: EVERYTHING })
  expect(status).toBe(200)
  expect(sorted(whole.scope)).toEqual(sorted(EVERYTHING))
  expect((await userinfo(whole.access_token)).body).toHaveProperty('name')
})

test('T054: without offline_access there is no refresh token', async () => {
  const tokens = await getTokens(await someone.signIn(), spa, { scope: 'openid' })
  expect(tokens).not.toHaveProperty('refresh_token')
})

describe('T056: no refresh survives', () => {
  const endings: [string, (browser: Browser, tokens: Tokens) => Promise<unknown>][] = [
    [
      'the logout of its session at the client',
      (browser, { id_token }) =>
        logOut(browser, { id_token_hint: id_token, post_logout_redirect_uri: GOODBYE }),
    ],
    ['the logout of its session at the service', (browser) => browser.postJson('/api/auth/logout', {})],
  ]

  test.each(endings)('%s', async (_, end) => {
    const browser = await someone.signIn()
    const tokens = await getTokens(browser, spa)
    await end(browser, tokens)
    expect(await refresh(spa, tokens.refresh_token)).toMatchObject(invalidGrant)
    expect((await userinfo(tokens.access_token)).status).toBe(401)
  })

  test('the end of its client', async () => {
    const client = await newClient(application, 'SPA')
    const tokens = await getTokens(await someone.signIn(), client)
    expect((await admin('PATCH', `/clients/${client.id}`, { disabled: true })).status).toBe(200)
    expect(await refresh(client, tokens.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_client' },
    })
    expect((await userinfo(tokens.access_token)).status).toBe(401)
  })
})

test('T058: nothing but a refresh token refreshes', async () => {
  const browser = await someone.signIn()
  const tokens = await getTokens(browser, spa)
  const code = await getCode(browser, spa)
  for (const other of [
    tokens.access_token,
    tokens.id_token,
    code,
    'garbage',
    'a.b.c',
    '\u0000',
    'x'.repeat(5000),
  ]) {
    const { status, body } = await refresh(spa, other)
    expect(status).toBe(400)
    expect(body.error).toMatch(/^invalid_(grant|request)$/)
  }
  expect((await askToken({ grant_type: 'refresh_token', client_id: spa.clientId })).body.error).toBe(
    'invalid_request',
  )
  expect((await userinfo(tokens.refresh_token)).status).toBe(401)
  expect((await refresh(spa, tokens.refresh_token)).status).toBe(200)
})
