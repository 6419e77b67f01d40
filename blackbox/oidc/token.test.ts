import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { newApplication, newClient, newMachine } from '../support/admin.ts'
import { halfHash, verifyAccessToken, verifyIdToken } from '../support/jwt.ts'
import {
  askToken,
  authorizationRequest,
  basic,
  credentials,
  exchange,
  getCode,
  getTokens,
  introspect,
  NO_BODY_CREDENTIALS,
  refresh,
  userinfo,
  VERIFIER,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { base, CALLBACK, encode, type Fields, read } from '../support/service.ts'

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
])('T031: scope "%s" gives an ID token: %s, a refresh token: %s', async (scope, identity, offline) => {
  const { status, headers, body } = await exchange(spa, await newCode(spa, { scope }))
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
    expect(claims.at_hash).toBe(halfHash(body.access_token))
  }
})

test('T032: a code used twice by its client is invalid_grant, and what the first use gave dies', async () => {
  const code = await newCode(spa, { scope: 'openid offline_access' })
  const { body: tokens } = await exchange(spa, code)
  expect((await userinfo(tokens.access_token)).status).toBe(200)
  expect(await exchange(spa, code)).toMatchObject(refused('invalid_grant'))
  expect((await userinfo(tokens.access_token)).status).toBe(401)
  expect(await refresh(spa, tokens.refresh_token)).toMatchObject(refused('invalid_grant'))
  expect((await introspect(web, tokens.access_token)).body).toEqual({ active: false })
})

test.each<[string, typeof spa, Fields]>([
  ['another client', otherSpa, {}],
  ['a wrong verifier', spa, { code_verifier: 'w'.repeat(43) }],
])('T032: a used code replayed by %s is refused and ends nothing', async (_, client, extra) => {
  const code = await newCode(spa, { scope: 'openid offline_access' })
  const { body: tokens } = await exchange(spa, code)
  expect((await exchange(client, code, extra)).status).toBe(400)
  expect((await userinfo(tokens.access_token)).status).toBe(200)
  expect((await refresh(spa, tokens.refresh_token)).status).toBe(200)
})

test('T032: a used code replayed with a wrong secret is invalid_client and ends nothing', async () => {
  const code = await newCode(web)
  const { body: tokens } = await exchange(web, code)
  expect(await exchange(web, code, { client_secret: 'wrong' })).toMatchObject(refused('invalid_client'))
  expect((await userinfo(tokens.access_token)).status).toBe(200)
})

test.each([
  ['a confidential client with its own secret', web, otherWeb, {}],
  ['a public client that knows the verifier', spa, otherSpa, {}],
  ['a confidential client that knows the verifier of a public one', spa, web, { code_verifier: VERIFIER }],
])(
  'T035: the code of one client is invalid_grant for %s; its owner can still redeem it',
  async (_, a, b, extra) => {
    const code = await newCode(a)
    expect(await exchange(b, code, extra)).toMatchObject(refused('invalid_grant'))
    expect((await exchange(a, code)).status).toBe(200)
  },
)

test.each([undefined, '', OTHER_CALLBACK, `${CALLBACK}/`])(
  'T036: redirect_uri %s at the token endpoint is not the one of the request: 400',
  async (redirect_uri) => {
    expect(await exchange(spa, await newCode(), { redirect_uri })).toMatchObject(refused(GRANT_OR_REQUEST))
  },
)

test('T040: every failure of client authentication is the same 400 invalid_client', async () => {
  const code = await newCode(web)
  const answers = await Promise.all([
    exchange(web, code, { client_secret: undefined }),
    exchange(web, code, { client_secret: '' }),
    exchange(web, code, { client_secret: 'wrong' }),
    exchange(web, code, { client_secret: web.clientSecret.toUpperCase() }),
    exchange(web, code, { client_secret: otherWeb.clientSecret }),
    exchange(web, code, { client_id: 'nobody' }),
    exchange(spa, code, { client_secret: 'posing as confidential' }),
    exchange(machine, code, { client_secret: undefined }),
    exchange(machine, code, { client_secret: 'wrong' }),
    exchange(web, code, NO_BODY_CREDENTIALS, basic({ clientId: web.clientId, clientSecret: 'wrong' })),
    exchange(web, code, NO_BODY_CREDENTIALS, basic({ clientId: 'nobody', clientSecret: 'wrong' })),
  ])
  for (const answer of answers) expect(answer).toMatchObject(refused('invalid_client'))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  // None of them has used the code up.
  expect((await exchange(web, code)).status).toBe(200)
})

test('T045: grants are refused by the right name, always 400', async () => {
  const ask = (grant_type: string | undefined, client: typeof spa, extra: Fields = {}) =>
    askToken({ grant_type, ...credentials(client), ...extra })
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
  expect(await ask('refresh_token', machine, { refresh_token: 'x' })).toMatchObject(
    refused('unauthorized_client'),
  )
})

test.each(['code', 'client_id', 'redirect_uri', 'code_verifier', 'grant_type'])(
  'T046: %s sent twice is invalid_request, and the code stays good',
  async (name) => {
    const code = await newCode()
    const honest = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: spa.clientId }
    const fields: Record<string, string> = { ...honest, code_verifier: VERIFIER }
    const twice = { ...fields, [name]: [fields[name] ?? '', fields[name] ?? ''] }
    expect(await askToken(twice)).toMatchObject(refused('invalid_request'))
    expect((await askToken(fields)).status).toBe(200)
  },
)

test('T046: another media type is 400 invalid_request, and the code stays good', async () => {
  const code = await newCode()
  const fields = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: spa.clientId }
  const all = { ...fields, code_verifier: VERIFIER }
  const send = async (type: string, body: string) => {
    const headers = { 'content-type': type }
    return read(await fetch(`${base}/api/oauth/token`, { method: 'POST', headers, body }))
  }
  expect(await send('application/json', JSON.stringify(all))).toMatchObject(refused('invalid_request'))
  expect(await send('text/plain', encode(all).toString())).toMatchObject(refused('invalid_request'))
  expect(await send('multipart/form-data; boundary=x', '--x--')).toMatchObject(refused('invalid_request'))
  expect((await askToken(all)).status).toBe(200)
})

test('T046: a code or a secret in the address is not read', async () => {
  const code = await newCode(web)
  const fields: Fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    ...credentials(web),
  }
  const asked = async (moved: string) => {
    const query = encode({ [moved]: fields[moved] })
    const body = encode({ ...fields, [moved]: undefined })
    return read(await fetch(`${base}/api/oauth/token?${query}`, { method: 'POST', body }))
  }
  expect(await asked('code')).toMatchObject(refused('invalid_request'))
  expect(await asked('client_secret')).toMatchObject(
    refused(expect.stringMatching(/^invalid_(request|client)$/)),
  )
  expect((await askToken(fields)).status).toBe(200)
})

test('T031: the ID token of a code is for its client, its person and its request', async () => {
  const browser = await someone.signIn()
  const request = authorizationRequest(web)
  const code = await getCode(browser, web, request)
  const { body } = await exchange(web, code)
  const claims = await verifyIdToken(body.id_token, web.clientId)
  expect(claims).toMatchObject({ nonce: request.nonce, sid: expect.any(String), amr: expect.any(Array) })
  expect(claims).toMatchObject({ acr: expect.any(String), auth_time: expect.any(Number) })
  expect(claims.sub).toBe(decodeJwt(body.access_token).sub)
  // OIDC Core §5.4: in the code flow these belong into userinfo.
  for (const claim of ['email', 'email_verified', 'name', 'given_name'])
    expect(claims).not.toHaveProperty(claim)
})

test('T031: two sign-ins of one person have the same sub and different sid and jti', async () => {
  const [one, two] = [
    await getTokens(await someone.signIn(), spa),
    await getTokens(await someone.signIn(), spa),
  ]
  const [first, second] = [decodeJwt(one.access_token), decodeJwt(two.access_token)]
  expect(first.sub).toBe(second.sub)
  expect(first.sid).not.toBe(second.sid)
  expect(first.jti).not.toBe(second.jti)
})
