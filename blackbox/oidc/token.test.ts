import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { newApplication, newClient, newMachine } from '../support/admin.ts'
import { call, fromOwnPage } from '../support/calls.ts'
import { leftHalfHash, verifyAccessToken, verifyIdToken } from '../support/jwt.ts'
import {
  authorizationRequest,
  basic,
  credentials,
  exchangeCode,
  getCode,
  getTokens,
  getUserinfo,
  introspectToken,
  NO_BODY_CREDENTIALS,
  refreshTokens,
  requestToken,
  VERIFIER,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl, CALLBACK, encodeFields, type Fields, readResponse } from '../support/service.ts'

const OTHER_CALLBACK = 'https://app.blackbox.test/other'
const application = await newApplication()
const redirectUris = [CALLBACK, OTHER_CALLBACK]
const spa = await newClient(application, 'SPA', { redirectUris })
const otherSpa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB', { redirectUris })
const otherWeb = await newClient(application, 'WEB')
const machine = await newMachine(application, ['reports:read'])
const someone = await newPerson()

const newCode = async (client: typeof spa | typeof web = spa, extra: Fields = {}) =>
  getCode(await someone.signIn(), client, extra)

const refused = (error: unknown) => ({
  status: 400,
  body: { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
})
const GRANT_OR_REQUEST = expect.stringMatching(/^invalid_(grant|request)$/)

test.each([
  ['openid', true, false],
  ['openid profile email', true, false],
  ['openid offline_access', true, true],
  ['profile offline_access', false, true],
  ['profile', false, false],
])('T031: scope "%s" issues an ID token: %s, a refresh token: %s', async (scope, identity, offline) => {
  const { status, headers, body } = await exchangeCode(spa, await newCode(spa, { scope }))
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expect(headers.get('cache-control')).toContain('no-store')
  expect(body.token_type).toBe('Bearer')
  expect(body.scope.split(' ').sort()).toEqual(scope.split(' ').sort())
  expect('id_token' in body).toBe(identity)
  expect('refresh_token' in body).toBe(offline)
  const { exp = 0, iat = 0, scope: claimed } = await verifyAccessToken(body.access_token, application)
  expect(body.expires_in).toBe(exp - iat)
  expect(claimed).toBe(body.scope)
  if (identity) {
    const claims = await verifyIdToken(body.id_token, spa.clientId)
    expect(claims.at_hash).toBe(leftHalfHash(body.access_token))
  }
})

const USER_CLAIMS = ['name', 'given_name', 'family_name', 'email', 'email_verified', 'updated_at']

test.each([
  ['openid', []],
  ['openid email', ['email', 'email_verified']],
  ['openid profile', ['name', 'updated_at']],
  ['openid profile email offline_access', ['name', 'updated_at', 'email', 'email_verified']],
])('T180: with scope "%s" the ID token has the same claims about the user as userinfo', async (scope, some) => {
  const { body } = await exchangeCode(spa, await newCode(spa, { scope }))
  const { body: userinfo } = await getUserinfo(body.access_token)
  const claims = await verifyIdToken(body.id_token, spa.clientId)
  expect(Object.keys(userinfo)).toEqual(expect.arrayContaining(some))
  expect(claims).toMatchObject(userinfo)
  for (const name of USER_CLAIMS) expect(name in claims).toBe(name in userinfo)
})

test('T180: a refreshed ID token has the claims as well, as they are now', async () => {
  const person = await newPerson()
  const browser = await person.signIn()
  const tokens = await getTokens(browser, spa)
  await call('PATCH', '/api/users/me', { headers: fromOwnPage(browser), body: { nickname: 'Blue' } })
  const { body } = await refreshTokens(spa, tokens.refresh_token)
  expect(await verifyIdToken(body.id_token, spa.clientId)).toMatchObject({ nickname: 'Blue', email: person.email })
})

test('T180: a client can leave the claims about the user to userinfo', async () => {
  const thin = await newClient(application, 'SPA', { redirectUris, userinfoInIdToken: false })
  const { body } = await exchangeCode(thin, await newCode(thin, { scope: 'openid profile email' }))
  const claims = await verifyIdToken(body.id_token, thin.clientId)
  for (const name of USER_CLAIMS) expect(claims).not.toHaveProperty(name)
  expect((await getUserinfo(body.access_token)).body).toHaveProperty('email')
})

test('T032: a second use of a code is invalid_grant and revokes the tokens of the first use', async () => {
  const code = await newCode(spa, { scope: 'openid offline_access' })
  const { body: tokens } = await exchangeCode(spa, code)
  expect((await getUserinfo(tokens.access_token)).status).toBe(200)
  expect(await exchangeCode(spa, code)).toMatchObject(refused('invalid_grant'))
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  expect(await refreshTokens(spa, tokens.refresh_token)).toMatchObject(refused('invalid_grant'))
  expect((await introspectToken(web, tokens.access_token)).body).toEqual({ active: false })
})

test.each<[string, typeof spa, Fields]>([
  ['another client', otherSpa, {}],
  ['a wrong verifier', spa, { code_verifier: 'w'.repeat(43) }],
])('T032: a used code replayed by %s is refused and revokes nothing', async (_, client, extra) => {
  const code = await newCode(spa, { scope: 'openid offline_access' })
  const { body: tokens } = await exchangeCode(spa, code)
  expect((await exchangeCode(client, code, extra)).status).toBe(400)
  expect((await getUserinfo(tokens.access_token)).status).toBe(200)
  expect((await refreshTokens(spa, tokens.refresh_token)).status).toBe(200)
})

test('T032: a used code replayed with a wrong secret is invalid_client and revokes nothing', async () => {
  const code = await newCode(web)
  const { body: tokens } = await exchangeCode(web, code)
  expect(await exchangeCode(web, code, { client_secret: 'wrong' })).toMatchObject(refused('invalid_client'))
  expect((await getUserinfo(tokens.access_token)).status).toBe(200)
})

test.each([
  ['a confidential client with its own secret', web, otherWeb, {}],
  ['a public client that knows the verifier', spa, otherSpa, {}],
  ['a confidential client that knows the verifier of a public one', spa, web, { code_verifier: VERIFIER }],
])('T035: the code of one client is invalid_grant for %s; its owner can still redeem it', async (_, a, b, extra) => {
  const code = await newCode(a)
  expect(await exchangeCode(b, code, extra)).toMatchObject(refused('invalid_grant'))
  expect((await exchangeCode(a, code)).status).toBe(200)
})

test.each([undefined, '', OTHER_CALLBACK, `${CALLBACK}/`])(
  'T036: redirect_uri %s at the token endpoint differs from the request: 400',
  async (redirect_uri) => {
    expect(await exchangeCode(spa, await newCode(), { redirect_uri })).toMatchObject(refused(GRANT_OR_REQUEST))
  },
)

test('T040: every client authentication failure is the same 400 invalid_client', async () => {
  const code = await newCode(web)
  const responses = await Promise.all([
    exchangeCode(web, code, { client_secret: undefined }),
    exchangeCode(web, code, { client_secret: '' }),
    exchangeCode(web, code, { client_secret: 'wrong' }),
    exchangeCode(web, code, { client_secret: web.clientSecret.toUpperCase() }),
    exchangeCode(web, code, { client_secret: otherWeb.clientSecret }),
    exchangeCode(web, code, { client_id: 'nobody' }),
    exchangeCode(spa, code, { client_secret: 'posing as confidential' }),
    exchangeCode(machine, code, { client_secret: undefined }),
    exchangeCode(machine, code, { client_secret: 'wrong' }),
    exchangeCode(web, code, NO_BODY_CREDENTIALS, basic({ clientId: web.clientId, clientSecret: 'wrong' })),
    exchangeCode(web, code, NO_BODY_CREDENTIALS, basic({ clientId: 'nobody', clientSecret: 'wrong' })),
  ])
  for (const response of responses) expect(response).toMatchObject(refused('invalid_client'))
  expect(new Set(responses.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  // None of them has used the code.
  expect((await exchangeCode(web, code)).status).toBe(200)
})

test('T045: unsupported grants have specific errors, always 400', async () => {
  const ask = (grant_type: string | undefined, client: typeof spa, extra: Fields = {}) =>
    requestToken({ grant_type, ...credentials(client), ...extra })
  expect(await ask(undefined, web)).toMatchObject(refused('invalid_request'))
  expect(await ask('', web)).toMatchObject(refused('invalid_request'))
  const password = { username: someone.email, password: someone.password }
  expect(await ask('password', web, password)).toMatchObject(refused('unsupported_grant_type'))
  expect(await ask('implicit', web)).toMatchObject(refused('unsupported_grant_type'))
  const device = 'urn:ietf:params:oauth:grant-type:device_code'
  expect(await ask(device, web, { device_code: 'x' })).toMatchObject(refused('unsupported_grant_type'))
  expect(await ask('client_credentials', spa)).toMatchObject(refused('unauthorized_client'))
  expect(await ask('client_credentials', web)).toMatchObject(refused('unauthorized_client'))
  const redeem = { code: 'x', redirect_uri: CALLBACK }
  expect(await ask('authorization_code', machine, redeem)).toMatchObject(refused('unauthorized_client'))
  expect(await ask('refresh_token', machine, { refresh_token: 'x' })).toMatchObject(refused('unauthorized_client'))
})

test.each(['code', 'client_id', 'redirect_uri', 'code_verifier', 'grant_type'])(
  'T046: a repeated %s is invalid_request, and the code stays valid',
  async (name) => {
    const code = await newCode()
    const honest = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: spa.clientId }
    const fields: Record<string, string> = { ...honest, code_verifier: VERIFIER }
    const twice = { ...fields, [name]: [fields[name] ?? '', fields[name] ?? ''] }
    expect(await requestToken(twice)).toMatchObject(refused('invalid_request'))
    expect((await requestToken(fields)).status).toBe(200)
  },
)

test('T046: another media type is 400 invalid_request, and the code stays valid', async () => {
  const code = await newCode()
  const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: spa.clientId }
  const all = { ...fields, code_verifier: VERIFIER }
  const send = async (type: string, body: string) => {
    const headers = { 'content-type': type }
    return readResponse(await fetch(`${baseUrl}/api/oauth/token`, { method: 'POST', headers, body }))
  }
  expect(await send('application/json', JSON.stringify(all))).toMatchObject(refused('invalid_request'))
  expect(await send('text/plain', encodeFields(all).toString())).toMatchObject(refused('invalid_request'))
  expect(await send('multipart/form-data; boundary=x', '--x--')).toMatchObject(refused('invalid_request'))
  expect((await requestToken(all)).status).toBe(200)
})

test('T046: a code or a secret in the query is not accepted', async () => {
  const code = await newCode(web)
  const fields: Fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    ...credentials(web),
  }
  const exchangeWithQuery = async (moved: string) => {
    const query = encodeFields({ [moved]: fields[moved] })
    const body = encodeFields({ ...fields, [moved]: undefined })
    return readResponse(await fetch(`${baseUrl}/api/oauth/token?${query}`, { method: 'POST', body }))
  }
  expect(await exchangeWithQuery('code')).toMatchObject(refused('invalid_request'))
  expect(await exchangeWithQuery('client_secret')).toMatchObject(
    refused(expect.stringMatching(/^invalid_(request|client)$/)),
  )
  expect((await requestToken(fields)).status).toBe(200)
})

test('T031: the ID token names its client, its user and its nonce', async () => {
  const browser = await someone.signIn()
  const request = authorizationRequest(web)
  const code = await getCode(browser, web, request)
  const { body } = await exchangeCode(web, code)
  const claims = await verifyIdToken(body.id_token, web.clientId)
  expect(claims).toMatchObject({ nonce: request.nonce, sid: expect.any(String), amr: expect.any(Array) })
  expect(claims).toMatchObject({ acr: expect.any(String), auth_time: expect.any(Number) })
  expect(claims.sub).toBe(decodeJwt(body.access_token).sub)
  // OIDC Core §5.4: in the code flow these claims are returned by userinfo.
  for (const claim of ['email', 'email_verified', 'name', 'given_name']) expect(claims).not.toHaveProperty(claim)
})

test('T031: two sign-ins of one person have the same sub and different sid and jti', async () => {
  const [one, two] = [await getTokens(await someone.signIn(), spa), await getTokens(await someone.signIn(), spa)]
  const [first, second] = [decodeJwt(one.access_token), decodeJwt(two.access_token)]
  expect(first.sub).toBe(second.sub)
  expect(first.sid).not.toBe(second.sid)
  expect(first.jti).not.toBe(second.jti)
})
