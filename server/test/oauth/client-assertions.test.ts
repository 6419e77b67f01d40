import { createHmac, randomUUID } from 'node:crypto'
import { exportSPKI } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepExpired } from '../../src/oauth/sweep.ts'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  CALLBACK,
  introspect,
  machineToken,
  signIn,
  startDemoService,
  VERIFIER,
} from '../support/world.ts'
import {
  ASSERTION_TYPE,
  type CreatedClient,
  newKey,
  newKeyClient,
  post,
  requestToken,
  sign,
  type TestKey,
  validClaims,
} from './key-clients.ts'

let service: TestService
let url: string
let keys: Record<'rsa' | 'ps' | 'ec' | 'ed', TestKey>
let client: CreatedClient

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  keys = {
    rsa: await newKey('RS256'),
    ps: await newKey('PS256'),
    ec: await newKey('ES256'),
    ed: await newKey('EdDSA'),
  }
  client = await newKeyClient(url, { jwks: { keys: Object.values(keys).map(({ publicJwk }) => publicJwk) } })
})
afterAll(() => service.close())
beforeEach(() => {
  service.logs.length = 0
})

const claims = (changes: Record<string, unknown> = {}) => ({ ...validClaims(url, client.clientId), ...changes })
const seconds = () => Math.floor(Date.now() / 1000)
const problems = () => service.logs.filter(({ msg }) => msg === 'request refused').map(({ problem }) => problem)
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const alive = async (token: string) => (await introspect(url, token)).active

test('a new client with a key has no secret', () => {
  expect(client).toMatchObject({ clientSecret: null, secrets: [], tokenEndpointAuthMethod: 'private_key_jwt' })
})

describe('a client authenticates with its key', () => {
  test.each(['rsa', 'ps', 'ec', 'ed'] as const)('%s', async (name) => {
    const { status, body } = await requestToken(url, await sign(keys[name], claims()))
    expect({ status, body }).toMatchObject({ status: 200, body: { scope: 'licenses:read' } })
    expect(await alive(body.access_token)).toBe(true)
  })

  test.each(['rsa', 'ps', 'ec', 'ed'] as const)('%s, with oauth4webapi', async (name) => {
    const { kid, privateKey } = keys[name]
    const options = { [oauth.allowInsecureRequests]: true }
    const server = await oauth.processDiscoveryResponse(
      new URL(url),
      await oauth.discoveryRequest(new URL(url), options),
    )
    const auth = oauth.PrivateKeyJwt({ key: privateKey, kid })
    const self = { client_id: client.clientId }
    const response = await oauth.clientCredentialsGrantRequest(server, self, auth, {}, options)
    const { access_token } = await oauth.processClientCredentialsResponse(server, self, response)
    const introspection = await oauth.introspectionRequest(server, self, auth, access_token, options)
    expect(await oauth.processIntrospectionResponse(server, self, introspection)).toMatchObject({ active: true })
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, self, auth, access_token, options))
    expect(await alive(access_token)).toBe(false)
  })

  test('for a user, with openid-client: code, userinfo, refresh', async () => {
    const web = await newKeyClient(url, {
      kind: 'WEB',
      redirectUris: [CALLBACK],
      scopes: ['openid', 'email', 'offline_access'],
      jwks: { keys: [keys.ec.publicJwk] },
    })
    const auth = openid.PrivateKeyJwt({ key: keys.ec.privateKey, kid: keys.ec.kid })
    const options = { execute: [openid.allowInsecureRequests] }
    const config = await openid.discovery(new URL(url), web.clientId, undefined, auth, options)
    const cookie = await signIn(url, 'mia@acme.test')
    const scope = 'openid email offline_access'
    const { location } = await authorize(url, cookie, { client_id: web.clientId, scope })
    await admin(url, `/api/admin/clients/${web.id}`, { requirePushedRequests: true }, 'PATCH')
    await expect
      .poll(async () => (await openid.discovery(new URL(url), web.clientId, undefined, auth, options)).serverMetadata())
      .toHaveProperty('pushed_authorization_request_endpoint')
    const withPush = await openid.discovery(new URL(url), web.clientId, undefined, auth, options)
    const request = { redirect_uri: CALLBACK, scope: 'openid', nonce: 'n', state: 'st' }
    const pushed = await openid.buildAuthorizationUrlWithPAR(withPush, request)
    const response = await fetch(pushed, { headers: { cookie }, redirect: 'manual' })
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('code')).toBeTruthy()
    const tokens = await openid.authorizationCodeGrant(config, new URL(location), {
      pkceCodeVerifier: VERIFIER,
      expectedState: 'st',
      expectedNonce: 'n',
    })
    const subject = tokens.claims()?.sub ?? ''
    expect(await openid.fetchUserInfo(config, tokens.access_token, subject)).toMatchObject({ email: 'mia@acme.test' })
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(await openid.tokenIntrospection(config, refreshed.access_token)).toMatchObject({ active: true })
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '')
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('with the client_id, without a kid if one key fits, with both types, without iat and nbf', async () => {
    const plain = await sign(keys.ec, claims())
    expect((await requestToken(url, plain, { client_id: client.clientId })).status).toBe(200)
    expect((await requestToken(url, await sign(keys.ec, claims(), { kid: undefined }))).status).toBe(200)
    expect((await requestToken(url, await sign(keys.ec, claims(), { typ: 'JWT' }))).status).toBe(200)
    const typ = 'client-authentication+jwt'
    expect((await requestToken(url, await sign(keys.ec, claims(), { typ }))).status).toBe(200)
    const short = claims({ iat: undefined, nbf: undefined, exp: seconds() + 300 })
    expect((await requestToken(url, await sign(keys.ec, short))).status).toBe(200)
  })

  test('a clock that is a minute ahead does no harm', async () => {
    const ahead = { iat: seconds() + 55, nbf: seconds() + 55, exp: seconds() + 355 }
    expect((await requestToken(url, await sign(keys.ed, claims(ahead)))).status).toBe(200)
  })
})

/** Each is refused with the same answer; the log says why. */
const HOSTILE: [name: string, problem: string, assertion: () => Promise<string> | string][] = [
  ['unsigned', 'wrong_algorithm', () => `${encode({ alg: 'none' })}.${encode(claims())}.${encode('x')}`],
  ['unsigned, with an empty signature', 'malformed_assertion', () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
  [
    'signed with the public key as HMAC secret',
    'wrong_algorithm',
    async () => {
      const content = `${encode({ alg: 'HS256', kid: keys.rsa.kid })}.${encode(claims())}`
      const { publicKey } = await import('jose').then(async ({ importJWK }) => ({
        publicKey: (await importJWK({ ...keys.rsa.publicJwk, ext: true }, 'RS256')) as CryptoKey,
      }))
      return `${content}.${createHmac('sha256', await exportSPKI(publicKey))
        .update(content)
        .digest('base64url')}`
    },
  ],
  [
    'of another key with the kid of the client',
    'wrong_signature',
    async () => sign(await newKey('ES256', keys.ec.kid), claims()),
  ],
  ['with an unknown kid', 'unknown_key', async () => sign(await newKey('ES256'), claims())],
  ['with the kid of a key of another type', 'unknown_key', () => sign(keys.ec, claims(), { kid: keys.ed.kid })],
  ['without a kid, where several keys fit', 'ambiguous_key', () => sign(keys.rsa, claims(), { kid: undefined })],
  ['with the kid as a list', 'wrong_kid', () => raw(keys.ec, { alg: 'ES256', kid: [keys.ec.kid] }, claims())],
  [
    'with its own key in the header',
    'unknown_key',
    async () => {
      const own = await newKey('ES256')
      return sign(own, claims(), { jwk: own.publicJwk })
    },
  ],
  ['with jku', 'unknown_key', async () => sign(await newKey('ES256'), claims(), { jku: `${url}/api/oauth/jwks` })],
  [
    'with an algorithm that is not allowed',
    'wrong_algorithm',
    () => raw(keys.rsa, { alg: 'RS512', kid: keys.rsa.kid }, claims()),
  ],
  [
    'with the algorithm in lowercase',
    'wrong_algorithm',
    () => raw(keys.ec, { alg: 'es256', kid: keys.ec.kid }, claims()),
  ],
  [
    'with a critical extension',
    'unknown_extension',
    () => raw(keys.ec, { alg: 'ES256', kid: keys.ec.kid, crit: ['x'], x: 1 }, claims()),
  ],
  ['of the type of an access token', 'wrong_type', () => sign(keys.ec, claims(), { typ: 'at+jwt' })],
  ['of the type of a DPoP proof', 'wrong_type', () => sign(keys.ec, claims(), { typ: 'dpop+jwt' })],
  ['with another issuer', 'wrong_issuer', () => sign(keys.ec, claims({ iss: 'demo-machine' }))],
  ['without an issuer', 'wrong_issuer', () => sign(keys.ec, claims({ iss: undefined }))],
  ['for another client', 'wrong_method', () => sign(keys.ec, claims({ iss: 'demo-machine', sub: 'demo-machine' }))],
  ['for a public client', 'wrong_method', () => sign(keys.ec, claims({ iss: 'demo-spa', sub: 'demo-spa' }))],
  ['for an unknown client', 'unknown_client', () => sign(keys.ec, claims({ iss: 'nobody', sub: 'nobody' }))],
  ['without a subject', 'no_subject', () => sign(keys.ec, claims({ sub: undefined }))],
  ['with a subject that is no text', 'no_subject', () => sign(keys.ec, claims({ iss: 7, sub: 7 }))],
  ['without an audience', 'wrong_audience', () => sign(keys.ec, claims({ aud: undefined }))],
  ['for the token endpoint', 'wrong_audience', () => sign(keys.ec, claims({ aud: `${url}/api/oauth/token` }))],
  ['for the issuer with a slash', 'wrong_audience', () => sign(keys.ec, claims({ aud: `${url}/` }))],
  ['for the issuer in a list', 'wrong_audience', () => sign(keys.ec, claims({ aud: [url] }))],
  ['for two audiences', 'wrong_audience', () => sign(keys.ec, claims({ aud: [url, 'https://other.example'] }))],
  ['for another server', 'wrong_audience', () => sign(keys.ec, claims({ aud: 'https://other.example' }))],
  ['without an expiry', 'no_expiry', () => sign(keys.ec, claims({ exp: undefined }))],
  ['with an expiry that is text', 'no_expiry', () => sign(keys.ec, claims({ exp: String(seconds() + 60) }))],
  ['expired', 'expired', () => sign(keys.ec, claims({ exp: seconds() - 1 }))],
  ['valid for too long', 'expiry_too_late', () => sign(keys.ec, claims({ exp: seconds() + 370 }))],
  ['valid for ever', 'expiry_too_late', () => sign(keys.ec, claims({ exp: 1e15 }))],
  ['issued in the future', 'not_yet_valid', () => sign(keys.ec, claims({ iat: seconds() + 70 }))],
  ['not valid yet', 'not_yet_valid', () => sign(keys.ec, claims({ nbf: seconds() + 70 }))],
  ['with nbf as text', 'wrong_nbf', () => sign(keys.ec, claims({ nbf: 'now' }))],
  ['without a jti', 'no_jti', () => sign(keys.ec, claims({ jti: undefined }))],
  ['with an empty jti', 'no_jti', () => sign(keys.ec, claims({ jti: '' }))],
  ['with a jti that is no text', 'no_jti', () => sign(keys.ec, claims({ jti: 1 }))],
  [
    'whose claims were changed',
    'wrong_signature',
    async () => {
      const [header, , signature] = (await sign(keys.ec, claims())).split('.')
      return `${header}.${encode(claims({ exp: seconds() + 200 }))}.${signature}`
    },
  ],
  [
    'with a claim that occurs twice',
    'malformed_assertion',
    () =>
      rawText(
        keys.ec,
        encode({ alg: 'ES256', kid: keys.ec.kid }),
        encode(JSON.stringify(claims()).replace('{', '{"aud":"x",')),
      ),
  ],
  ['with claims that are a list', 'malformed_assertion', () => rawText(keys.ec, encode({ alg: 'ES256' }), encode([1]))],
  ['encrypted', 'malformed_assertion', () => 'a.b.c.d.e'],
  ['no JWT', 'malformed_assertion', () => 'secret'],
  ['too long', 'malformed_assertion', () => sign(keys.ec, claims({ more: 'x'.repeat(20_000) }))],
]

/** Signs any header and claims. */
const raw = (key: TestKey, header: object, payload: object) => rawText(key, encode(header), encode(payload))

async function rawText({ privateKey }: TestKey, header: string, payload: string): Promise<string> {
  const algorithm =
    privateKey.algorithm.name === 'ECDSA' ? { name: 'ECDSA', hash: 'SHA-256' } : privateKey.algorithm.name
  const signature = await crypto.subtle.sign(algorithm, privateKey, Buffer.from(`${header}.${payload}`))
  return `${header}.${payload}.${Buffer.from(signature).toString('base64url')}`
}

describe('an assertion is refused with invalid_client', () => {
  test.each(HOSTILE)('%s', async (_name, problem, build) => {
    const assertion = await build()
    const { status, body, headers } = await requestToken(url, assertion)
    expect({ status, body }).toEqual({
      status: 401,
      body: { error: 'invalid_client', error_description: 'Client authentication failed.' },
    })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(problems()).toEqual([problem])
    expect(JSON.stringify(service.logs)).not.toContain(assertion)
  })

  test.each<[string, string, Record<string, string>]>([
    ['an unknown type', 'wrong_assertion_type', { client_assertion_type: 'jwt-bearer' }],
    ['the type of SAML', 'wrong_assertion_type', { client_assertion_type: ASSERTION_TYPE.replace('jwt', 'saml2') }],
    ['no type', 'wrong_assertion_type', { client_assertion_type: '' }],
    ['the type without an assertion', 'no_assertion', { client_assertion: '' }],
    ['the client_id of another client', 'other_client_id', { client_id: 'demo-machine' }],
  ])('%s', async (_name, problem, form) => {
    const { status, body } = await requestToken(url, await sign(keys.ec, claims()), form)
    expect({ status, error: body.error }).toEqual({ status: 401, error: 'invalid_client' })
    expect(problems()).toEqual([problem])
  })

  test('used before, also at another endpoint', async () => {
    const assertion = await sign(keys.ec, claims())
    const form = { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion, token: 'x' }
    expect((await requestToken(url, assertion)).status).toBe(200)
    const paths = ['token', 'introspect', 'revoke', 'par', 'device_authorization']
    for (const path of paths) {
      const { status, body } = await post(`${url}/api/oauth/${path}`, { grant_type: 'client_credentials', ...form })
      expect({ path, status, error: body.error }).toEqual({ path, status: 401, error: 'invalid_client' })
    }
    expect(problems()).toEqual(paths.map(() => 'used_before'))
  })

  test('of a disabled client', async () => {
    const other = await newKeyClient(url, { jwks: { keys: [keys.ec.publicJwk] } })
    await admin(url, `/api/admin/clients/${other.id}`, { disabled: true }, 'PATCH')
    const { status } = await requestToken(url, await sign(keys.ec, validClaims(url, other.clientId)))
    expect({ status, problems: problems() }).toEqual({ status: 401, problems: ['disabled'] })
  })

  test('the log names the client and what was compared', async () => {
    await requestToken(url, await sign(keys.ec, claims({ aud: 'https://other.example' })))
    expect(service.logs.filter(({ msg }) => msg === 'request refused')).toMatchObject([
      { clientId: client.clientId, error: 'invalid_client', audience: 'https://other.example', expected: url },
    ])
  })
})

describe('two methods at once are an invalid_request', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['a secret in the form', { client_secret: 'demo-machine-secret' }, {}],
    ['HTTP Basic', {}, { authorization: `Basic ${btoa('demo-machine:demo-machine-secret')}` }],
  ])('%s and an assertion', async (_name, form, headers) => {
    for (const path of ['token', 'introspect', 'revoke', 'par', 'device_authorization']) {
      const assertion = await sign(keys.ec, claims())
      const { status, body } = await post(
        `${url}/api/oauth/${path}`,
        {
          grant_type: 'client_credentials',
          token: 'x',
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: assertion,
          ...form,
        },
        headers,
      )
      expect({ path, status, error: body.error }).toEqual({ path, status: 400, error: 'invalid_request' })
    }
  })
})

describe('one method for each client', () => {
  test('a client that switches to a key loses its secret and the tokens of it, until it switches back', async () => {
    const other = await newKeyClient(url, { tokenEndpointAuthMethod: 'client_secret' })
    const withSecret = () =>
      post(`${url}/api/oauth/token`, {
        grant_type: 'client_credentials',
        client_id: other.clientId,
        client_secret: other.clientSecret ?? '',
      })
    const withKey = async () => requestToken(url, await sign(keys.ec, validClaims(url, other.clientId)))
    const change = (body: object) => admin(url, `/api/admin/clients/${other.id}`, body, 'PATCH')
    const bySecret = await withSecret()
    expect(bySecret.status).toBe(200)
    expect((await withKey()).status).toBe(401)
    const jwks = { keys: [keys.ec.publicJwk] }
    await change({ tokenEndpointAuthMethod: 'private_key_jwt', jwks })
    const byKey = await withKey()
    expect(byKey.status).toBe(200)
    expect(await withSecret()).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
    expect(await alive(bySecret.body.access_token)).toBe(false)
    const basic = { authorization: `Basic ${btoa(`${other.clientId}:${other.clientSecret}`)}` }
    expect((await post(`${url}/api/oauth/introspect`, { token: 'x' }, basic)).status).toBe(401)
    expect(problems()).toEqual(['wrong_method', 'wrong_method'])
    await change({ tokenEndpointAuthMethod: 'client_secret' })
    expect((await withKey()).status).toBe(401)
    expect((await withSecret()).status).toBe(200)
    expect(await alive(byKey.body.access_token)).toBe(false)
  })

  test('the tokens of a key end with it', async () => {
    const jwks = { keys: [keys.ec.publicJwk, keys.ed.publicJwk] }
    const other = await newKeyClient(url, { jwks })
    const [first, second] = [keys.ec, keys.ed].map(async (key) =>
      requestToken(url, await sign(key, validClaims(url, other.clientId))),
    )
    const tokens = [(await first)?.body.access_token ?? '', (await second)?.body.access_token ?? '']
    await admin(url, `/api/admin/clients/${other.id}`, { jwks: { keys: [keys.ed.publicJwk] } }, 'PATCH')
    expect(await Promise.all(tokens.map(alive))).toEqual([false, true])
    expect((await requestToken(url, await sign(keys.ec, validClaims(url, other.clientId)))).status).toBe(401)
  })

  test('a client with a key without credentials is refused', async () => {
    const form = { grant_type: 'client_credentials', client_id: client.clientId }
    expect(await post(`${url}/api/oauth/token`, form)).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
  })

  test('no secret is added to a client with a key', async () => {
    const path = `/api/admin/clients/${client.id}/secrets`
    await expect(admin(url, path, undefined)).rejects.toThrow('private_key_jwt')
  })
})

test.each(rounds(20))('of 20 uses of a jti at once exactly one succeeds, on any node (round %i)', async () => {
  const other = await startService({ sameDatabaseAs: service })
  // A client of its own, because refusals are limited.
  const { clientId } = await newKeyClient(url, { jwks: { keys: [keys.ed.publicJwk] } })
  const assertion = await sign(keys.ed, validClaims(url, clientId))
  const nodes = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? url : other.url))
  const answers = await Promise.all(nodes.map((node) => requestToken(node, assertion)))
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 401)])
  await other.close()
})

test('the same jti of two clients is two assertions', async () => {
  const other = await newKeyClient(url, { jwks: { keys: [keys.ec.publicJwk] } })
  const jti = randomUUID()
  expect((await requestToken(url, await sign(keys.ec, claims({ jti })))).status).toBe(200)
  const theirs = { ...validClaims(url, other.clientId), jti }
  expect((await requestToken(url, await sign(keys.ec, theirs))).status).toBe(200)
})

test('an assertion that was refused did not use up its jti', async () => {
  const jti = randomUUID()
  expect((await requestToken(url, await sign(await newKey('ES256', keys.ec.kid), claims({ jti })))).status).toBe(401)
  expect((await requestToken(url, await sign(keys.ec, claims({ jti })))).status).toBe(200)
})

test('a jti is stored as a hash, until the assertion expires', async () => {
  const jti = randomUUID()
  const exp = seconds() + 100
  await requestToken(url, await sign(keys.ec, claims({ jti, exp })))
  const rows = await service.ctx.db
    .selectFrom('used_assertions')
    .selectAll()
    .where('expires_at', '=', new Date(exp * 1000))
    .execute()
  expect(rows).toHaveLength(1)
  expect(rows[0]?.hash).toHaveLength(32)
  expect(rows[0]?.hash.toString()).not.toContain(jti)
})

test('the sweep deletes used assertions that are expired, and no others', async () => {
  const fresh = await startDemoService()
  const { clientId } = await newKeyClient(fresh.url, { jwks: { keys: [keys.ec.publicJwk] } })
  const assertions = await Promise.all(
    [60, 300].map((lifetime) => sign(keys.ec, { ...validClaims(fresh.url, clientId), exp: seconds() + lifetime })),
  )
  const statuses = async () =>
    (await Promise.all(assertions.map((assertion) => requestToken(fresh.url, assertion)))).map(({ status }) => status)
  const countAfterSweep = async () => {
    await sweepExpired.run(fresh.ctx, undefined)
    return (await fresh.ctx.db.selectFrom('used_assertions').select('hash').execute()).length
  }
  expect(await statuses()).toEqual([200, 200])
  expect(await countAfterSweep()).toBe(2)
  fresh.advance(120_000)
  expect(await countAfterSweep()).toBe(1)
  expect(await statuses()).toEqual([401, 401])
  await fresh.close()
})

test('revocation with an assertion ends only tokens of the client', async () => {
  const { body } = await requestToken(url, await sign(keys.ec, claims()))
  const foreign = await machineToken(url, 'demo-machine')
  for (const token of [foreign, body.access_token]) {
    const form = { token, client_assertion_type: ASSERTION_TYPE, client_assertion: await sign(keys.ec, claims()) }
    expect((await post(`${url}/api/oauth/revoke`, form)).status).toBe(200)
  }
  expect([await alive(foreign), await alive(body.access_token)]).toEqual([true, false])
})

test('the metadata lists private_key_jwt only while an enabled client uses it', async () => {
  const fresh = await startDemoService()
  const read = async () => (await (await fetch(`${fresh.url}/.well-known/openid-configuration`)).json()) as object
  const before = await read()
  expect(before).toMatchObject({
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  })
  expect(Object.keys(before).filter((name) => name.includes('auth_signing_alg'))).toEqual([])
  const { id } = await newKeyClient(fresh.url, { jwks: { keys: [keys.ec.publicJwk] } })
  const algorithms = ['PS256', 'ES256', 'Ed25519', 'EdDSA', 'RS256']
  await expect.poll(read).toEqual({
    ...before,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
    revocation_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'none',
      'private_key_jwt',
    ],
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
  })
  await admin(fresh.url, `/api/admin/clients/${id}`, { disabled: true }, 'PATCH')
  await expect.poll(read).toEqual(before)
  await fresh.close()
})
