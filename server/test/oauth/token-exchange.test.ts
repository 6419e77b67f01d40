import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  exchange,
  introspect,
  machineToken,
  obtainTokens,
  signIn,
  startDemoService,
  userinfo,
  VERIFIER,
} from '../support/world.ts'
import { newProof, newKey as newProofKey, requestTokens } from './dpop/proofs.ts'
import { ACCESS_TOKEN, EXCHANGE_GRANT, type ExchangeReply, exchangeToken } from './exchange-steps.ts'
import { ASSERTION_TYPE, newKey, sign, validClaims } from './key-clients.ts'

// Token exchange (RFC 8693). `desk` is an application with a page (`spa`) and a server (`api`). The server uses the API
// `orders` of the application `shop`, whose own server is `shop`.

interface Registered {
  id: string
  clientId: string
  clientSecret: string
}

let service: TestService
let url: string
let cookie: string
let desk: string
let spa: Registered
let api: Registered
let shopId: string
let shop: Registered
let orders: string
let files: string

const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'orders:read', 'orders:write', 'files:read']

const newApplication = async (draft: object = {}) =>
  (await admin<{ id: string }>(url, '/api/admin/applications', { name: `App ${Math.random()}`, ...draft })).id

const newClient = (applicationId: string, draft: object) =>
  admin<Registered>(url, '/api/admin/clients', { applicationId, name: 'Client', scopes: SCOPES, ...draft })

const newSpa = (applicationId: string) => newClient(applicationId, { kind: 'SPA', redirectUris: [CALLBACK] })
const newApi = (applicationId: string, draft: object = {}) =>
  newClient(applicationId, { kind: 'WEB', redirectUris: [CALLBACK], tokenExchange: true, ...draft })

let count = 0
async function newResource(
  applicationId: string,
  allowedClients: Registered[],
  scopes = ['orders:read', 'orders:write'],
) {
  const uri = `https://api.example.com/${++count}`
  const body = {
    applicationId,
    name: 'API',
    uri,
    scopes,
    allowedClients: allowedClients.map(({ clientId }) => clientId),
  }
  await admin(url, '/api/admin/resources', body)
  return uri
}

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
  desk = await newApplication()
  spa = await newSpa(desk)
  api = await newApi(desk)
  shopId = await newApplication()
  shop = await newApi(shopId)
  orders = await newResource(shopId, [api])
  files = await newResource(desk, [], ['files:read'])
})
afterAll(() => service?.close())
beforeEach(() => {
  service.logs.length = 0
})

/** The tokens of mia from a client. */
async function obtain({ clientId: client_id }: Registered, parameters: Record<string, string> = {}) {
  const scope = SCOPES.join(' ')
  const { answer } = await authorize(url, cookie, { client_id, scope, ...parameters })
  const { status, body } = await exchange(url, answer.code, { client_id })
  expect({ answer, status, body }).toMatchObject({ status: 200 })
  return body
}

const userToken = async (client = spa, parameters: Record<string, string> = {}) =>
  (await obtain(client, parameters)).access_token

async function succeed(client: Registered, subject: string, form: Record<string, string> = {}): Promise<ExchangeReply> {
  const { status, body } = await exchangeToken(url, client, subject, form)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

async function expectRefused(error: string, client: Registered, subject: string, form: Record<string, string> = {}) {
  const { status, body } = await exchangeToken(url, client, subject, form)
  expect({ status, body }).toMatchObject({ status: 400, body: { error } })
  expect(body.access_token).toBeUndefined()
  return body
}

const statusOf = async (path: string, accessToken: string) =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${accessToken}` } })).status

describe('the new token', () => {
  test('is for the resource and the user, names the client as the actor, and is all that is issued', async () => {
    const subject = claimsOf(await userToken())
    const tokens = await succeed(api, await userToken(), { resource: orders })
    expect(tokens).toEqual({
      access_token: expect.any(String),
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      scope: 'orders:read orders:write',
    })
    const { iat, exp, jti, ...claims } = claimsOf(tokens.access_token)
    expect(claims).toEqual({
      iss: url,
      sub: subject.sub,
      aud: orders,
      client_id: api.clientId,
      scope: 'orders:read orders:write',
      sid: subject.sid,
      auth_time: subject.auth_time,
      amr: subject.amr,
      tenant_id: subject.tenant_id,
      tenant_slug: 'acme',
      tenant_roles: ['member'],
      act: { sub: api.clientId },
    })
    expect(Number(exp) - Number(iat)).toBe(tokens.expires_in)
    expect(jti).not.toBe(subject.jti)
  })

  test('has the license for the application that owns the resource', async () => {
    const { id: applicationId } = await service.ctx.db
      .selectFrom('applications')
      .select('id')
      .where('slug', '=', 'project-manager')
      .executeTakeFirstOrThrow()
    const resource = await newResource(applicationId, [api])
    const subject = await userToken()
    expect(claimsOf(subject).license).toBeUndefined()
    expect(claimsOf((await succeed(api, subject, { resource })).access_token).license).toMatchObject({ type: 'pro' })
  })

  test('is for the application of the client if no resource is named, and reads what the user consented to', async () => {
    const { access_token } = await succeed(api, await userToken())
    expect(claimsOf(access_token)).toMatchObject({
      aud: desk,
      scope: SCOPES.filter((s) => s !== 'offline_access').join(' '),
    })
    expect(await userinfo(url, access_token)).toBe(200)
  })

  test('reads no claims that the client of the user requested by name', async () => {
    const claims = JSON.stringify({ userinfo: { email: null } })
    const subject = await userToken(spa, { scope: 'openid', claims })
    const { access_token } = await succeed(api, subject)
    const read = async (held: string) => {
      const response = await fetch(`${url}/api/oauth/userinfo`, { headers: { authorization: `Bearer ${held}` } })
      return Object.keys((await response.json()) as object)
    }
    expect([await read(subject), await read(access_token)]).toEqual([['sub', 'email'], ['sub']])
  })

  test('does not manage the account, the tenant or the instance, whoever the user is', async () => {
    const paths = ['/api/users/me', '/api/users/me/sessions', '/api/tenants', '/api/users/me/mfa']
    const subject = await userToken()
    const { access_token } = await succeed(api, subject)
    for (const path of paths) {
      expect([path, await statusOf(path, subject)]).toEqual([path, 200])
      expect([path, await statusOf(path, access_token)]).toEqual([path, 403])
    }
    const adminCookie = await signIn(url, 'admin@latchkey.test')
    const { answer } = await authorize(url, adminCookie, { client_id: spa.clientId })
    const { body } = await exchange(url, answer.code, { client_id: spa.clientId })
    const acting = await succeed(api, body.access_token)
    expect(await statusOf('/api/admin/users', body.access_token)).toBe(200)
    expect(await statusOf('/api/admin/users', acting.access_token)).toBe(403)
  })

  test('can be exchanged on by the owner of the resource, and names all actors, at most five', async () => {
    const warehouse = await newResource(shopId, [])
    const { access_token } = await succeed(api, await userToken(), { resource: orders })
    let held = (await succeed(shop, access_token, { resource: warehouse })).access_token
    const act = { sub: shop.clientId, act: { sub: api.clientId } }
    expect(claimsOf(held)).toMatchObject({ aud: warehouse, client_id: shop.clientId, act })
    expect(await introspect(url, held)).toMatchObject({ active: true, client_id: shop.clientId, act })
    for (let times = 3; times <= 5; times++) held = (await succeed(shop, held, { resource: orders })).access_token
    expect((await introspect(url, held)).active).toBe(true)
    const { error_description } = await expectRefused('invalid_request', shop, held, { resource: orders })
    expect(error_description).toBe('A token can be exchanged 5 times in a row.')
  })

  test('may be obtained by a machine client and with private_key_jwt', async () => {
    const machine = await newClient(desk, { kind: 'MACHINE', scopes: ['files:read'], tokenExchange: true })
    const { access_token } = await succeed(machine, await userToken(), { resource: files })
    expect(claimsOf(access_token)).toMatchObject({ scope: 'files:read', act: { sub: machine.clientId } })
    const key = await newKey('ES256')
    const settings = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.publicJwk] } }
    const { clientId } = await newApi(desk, settings)
    const signed = await succeed({ id: '', clientId, clientSecret: '' }, await userToken(), {
      resource: files,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await sign(key, validClaims(url, clientId)),
    })
    expect(claimsOf(signed.access_token).act).toEqual({ sub: clientId })
  })
})

describe('libraries', () => {
  const parameters = async () => ({
    subject_token: await userToken(),
    subject_token_type: ACCESS_TOKEN,
    resource: orders,
    scope: 'orders:read',
  })

  test('openid-client: a generic grant', async () => {
    const options = { execute: [oidc.allowInsecureRequests] }
    const config = await oidc.discovery(new URL(url), api.clientId, api.clientSecret, undefined, options)
    expect(config.serverMetadata().grant_types_supported).toContain(EXCHANGE_GRANT)
    const tokens = await oidc.genericGrantRequest(config, EXCHANGE_GRANT, await parameters())
    expect(tokens).toMatchObject({ issued_token_type: ACCESS_TOKEN, token_type: 'bearer', scope: 'orders:read' })
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: orders, act: { sub: api.clientId } })
  })

  test('oauth4webapi: a generic token endpoint request', async () => {
    const options = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(url)
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
    const client: oauth.Client = { client_id: api.clientId }
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.ClientSecretBasic(api.clientSecret),
      EXCHANGE_GRANT,
      await parameters(),
      options,
    )
    const tokens = await oauth.processGenericTokenEndpointResponse(server, client, response)
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: orders, act: { sub: api.clientId } })
  })
})

describe('the scope', () => {
  test('is never wider than that of the subject token, the client and the resource', async () => {
    const reading = await userToken(spa, { scope: 'openid orders:read' })
    expect((await succeed(api, reading, { resource: orders })).scope).toBe('orders:read')
    await expectRefused('invalid_scope', api, reading, { resource: orders, scope: 'orders:write' })
    await expectRefused('invalid_scope', api, reading, { scope: 'email' })
    const subject = await userToken()
    expect((await succeed(api, subject, { resource: orders, scope: 'orders:read' })).scope).toBe('orders:read')
    await expectRefused('invalid_scope', api, subject, { resource: orders, scope: 'files:read' })
    await expectRefused('invalid_scope', api, subject, { resource: orders, scope: 'orders:read openid' })
    await expectRefused('invalid_scope', api, subject, { scope: 'offline_access' })
    const narrow = await newApi(desk, { scopes: ['files:read'] })
    expect((await succeed(narrow, subject)).scope).toBe('files:read')
    await expectRefused('invalid_scope', narrow, subject, { scope: 'orders:read' })
  })

  test('shrinks with each exchange and never grows again', async () => {
    const warehouse = await newResource(shopId, [])
    const first = await succeed(api, await userToken(), { resource: orders, scope: 'orders:read' })
    const second = await succeed(shop, first.access_token, { resource: warehouse })
    expect(second.scope).toBe('orders:read')
    await expectRefused('invalid_scope', shop, first.access_token, { resource: warehouse, scope: 'orders:write' })
  })
})

describe('the target', () => {
  test('may be named in resource, audience or both, but not as two', async () => {
    const subject = await userToken()
    const { access_token } = await succeed(api, subject, { audience: orders })
    expect(claimsOf(access_token).aud).toBe(orders)
    await succeed(api, subject, { audience: orders, resource: orders })
    await expectRefused('invalid_target', api, subject, { audience: files, resource: orders })
  })

  test('an unknown resource and one that the client may not use are invalid_target alike', async () => {
    const foreign = await newResource(shopId, [])
    const subject = await userToken()
    const answers = []
    for (const resource of [foreign, 'https://nobody.example.com', 'orders', shopId, desk])
      answers.push(await expectRefused('invalid_target', api, subject, { resource }))
    expect(new Set(answers.map(({ error_description }) => error_description)).size).toBe(1)
  })

  test('a token for a resource becomes one for another resource only', async () => {
    const subject = await userToken(spa, { resource: files })
    expect(claimsOf(subject).aud).toBe(files)
    await expectRefused('invalid_target', api, subject)
    const { access_token } = await succeed(api, subject, { resource: orders })
    // It has none of the scopes of the other resource.
    expect(claimsOf(access_token)).toMatchObject({ aud: orders, scope: '' })
    expect(await userinfo(url, access_token)).toBe(401)
  })
})

describe('a client that got hold of a token for somebody else', () => {
  test('cannot exchange it, and learns nothing about it', async () => {
    const other = await newApplication()
    const thief = await newApi(other)
    const target = { resource: await newResource(other, []) }
    const ended = await userToken()
    const revocation = new URLSearchParams({ token: ended, client_id: spa.clientId })
    await fetch(`${url}/api/oauth/revoke`, { method: 'POST', body: revocation })
    const tokens = await obtain(spa)
    const forged = `${tokens.access_token.slice(0, -4)}AAAA`
    const subjects = {
      'of another application': tokens.access_token,
      'for a resource of another application': await userToken(spa, { resource: files }),
      'exchanged by its recipient': (await succeed(api, tokens.access_token, { resource: orders })).access_token,
      'of the demo': (await obtainTokens(url, cookie)).access_token,
      'of a machine': await machineToken(url, 'demo-ops'),
      revoked: ended,
      'with a wrong signature': forged,
      'an ID token': tokens.id_token,
      'a refresh token': tokens.refresh_token,
      'not a token': 'x',
      'two dots': 'x..y',
    }
    const answers: Record<string, unknown> = {}
    for (const [name, subject] of Object.entries(subjects))
      answers[name] = (await expectRefused('invalid_request', thief, subject, target)).error_description
    expect(new Set(Object.values(answers)), JSON.stringify(answers)).toEqual(
      new Set(['The subject_token is not one that this client can exchange.']),
    )
  })

  test('cannot exchange a token that its own page obtained for the API of another application', async () => {
    const elsewhere = await newResource(shopId, [spa, api])
    const subject = await userToken(spa, { resource: elsewhere })
    await expectRefused('invalid_request', api, subject, { resource: orders })
    await succeed(shop, subject, { resource: orders })
  })

  test('cannot exchange a token of its own machine, nor one for another tenant than its own', async () => {
    const tenantId = claimsOf(await userToken()).tenant_id
    const { id: otherTenant } = await service.ctx.db
      .selectFrom('tenants')
      .select('id')
      .where('slug', '=', 'globex')
      .executeTakeFirstOrThrow()
    const draft = { kind: 'MACHINE', scopes: ['orders:read'], tokenExchange: true }
    const ours = await newClient(desk, { ...draft, tenantId })
    const theirs = await newClient(desk, { ...draft, tenantId: otherTenant })
    const subject = await userToken()
    await succeed(ours, subject)
    await expectRefused('invalid_request', theirs, subject)
    const form = { grant_type: 'client_credentials', client_id: ours.clientId, client_secret: ours.clientSecret }
    const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
    const { access_token } = (await response.json()) as ExchangeReply
    await expectRefused('invalid_request', ours, access_token)
  })
})

describe('a request is refused', () => {
  test.each<[string, Record<string, string>]>([
    ['a JWT as type', { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }],
    ['a refresh token as type', { subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }],
    ['no type', { subject_token_type: '' }],
    ['a request for an ID token', { requested_token_type: 'urn:ietf:params:oauth:token-type:id_token' }],
    ['a request for a refresh token', { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }],
    ['an actor token', { actor_token: 'x', actor_token_type: ACCESS_TOKEN }],
    ['the type of an actor token', { actor_token_type: ACCESS_TOKEN }],
  ])('with %s', async (_, form) => {
    await expectRefused('invalid_request', api, await userToken(), form)
  })

  test('without a subject token', async () => {
    const body = new URLSearchParams({ grant_type: EXCHANGE_GRANT, subject_token_type: ACCESS_TOKEN })
    const headers = { authorization: `Basic ${btoa(`${api.clientId}:${api.clientSecret}`)}` }
    const response = await fetch(`${url}/api/oauth/token`, { method: 'POST', body, headers })
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }])
  })

  test('of a client that may not exchange tokens, that is public, third-party, disabled or has a wrong secret', async () => {
    const subject = await userToken()
    await expectRefused('unauthorized_client', await newApi(desk, { tokenExchange: false }), subject)
    await expectRefused('unauthorized_client', { ...spa, clientSecret: '' }, subject)
    await expectRefused('unauthorized_client', await newApi(await newApplication({ trusted: false })), subject)
    await expectRefused('invalid_client', await newApi(desk, { disabled: true }), subject)
    await expectRefused('invalid_client', { ...api, clientSecret: 'wrong' }, subject)
    await expect(newClient(desk, { kind: 'SPA', redirectUris: [CALLBACK], tokenExchange: true })).rejects.toThrow('422')
    await expect(admin(url, `/api/admin/clients/${spa.id}`, { tokenExchange: true }, 'PATCH')).rejects.toThrow('422')
  })

  test('with a log line that says which value did not match, and without tokens', async () => {
    const subject = await userToken(await newSpa(await newApplication()))
    await expectRefused('invalid_request', api, subject)
    const refusals = service.logs.filter(({ msg }) => msg === 'request refused')
    expect(refusals).toMatchObject([
      { clientId: api.clientId, problem: 'for another application', audience: claimsOf(subject).aud, expected: desk },
    ])
    expect(JSON.stringify(service.logs)).not.toContain(subject)
  })
})

describe('DPoP', () => {
  /** The token of mia, bound to a key. */
  async function boundToken() {
    const { answer } = await authorize(url, cookie, { client_id: spa.clientId, scope: SCOPES.join(' ') })
    const form = {
      grant_type: 'authorization_code',
      client_id: spa.clientId,
      redirect_uri: CALLBACK,
      code: answer.code ?? '',
      code_verifier: VERIFIER,
    }
    const proof = await newProof(url, await newProofKey())
    const { body } = await requestTokens(url, form, proof)
    return body.access_token
  }

  const formOf = (subject_token: string) => ({
    grant_type: EXCHANGE_GRANT,
    client_id: api.clientId,
    client_secret: api.clientSecret,
    subject_token,
    subject_token_type: ACCESS_TOKEN,
    resource: orders,
  })

  test('a bound token is exchanged only with a proof, and the new token is bound to the key of that proof', async () => {
    const subject = await boundToken()
    expect(claimsOf(subject).cnf).toBeDefined()
    await expectRefused('invalid_dpop_proof', api, subject, { resource: orders })
    const key = await newProofKey()
    const { status, body } = await requestTokens(url, formOf(subject), await newProof(url, key))
    expect({ status, body }).toMatchObject({ status: 200, body: { token_type: 'DPoP' } })
    const { cnf } = claimsOf(body.access_token)
    expect(cnf).toEqual({ jkt: expect.any(String) })
    expect(cnf).not.toEqual(claimsOf(subject).cnf)
    await expectRefused('invalid_dpop_proof', shop, body.access_token, { resource: orders })
  })

  test('a proof binds the new token also if the subject token is not bound, and is used once', async () => {
    const proof = await newProof(url, await newProofKey())
    const subject = await userToken()
    const { body } = await requestTokens(url, formOf(subject), proof)
    expect(await introspect(url, body.access_token)).toMatchObject({ active: true, token_type: 'DPoP' })
    expect((await requestTokens(url, formOf(subject), proof)).body.error).toBe('invalid_dpop_proof')
  })
})

test('discovery lists the grant type only while an enabled client may use it', async () => {
  const fresh = await startDemoService()
  try {
    const listed = async () => {
      await fresh.ctx.changes.waitUntilCurrent()
      const response = await fetch(`${fresh.url}/.well-known/openid-configuration`)
      return ((await response.json()) as { grant_types_supported: string[] }).grant_types_supported
    }
    const contract = ['authorization_code', 'refresh_token', 'client_credentials']
    expect(await listed()).toEqual(contract)
    const { id } = await fresh.ctx.db
      .selectFrom('clients')
      .select('id')
      .where('client_id', '=', 'demo-web')
      .executeTakeFirstOrThrow()
    const change = (body: object) => admin(fresh.url, `/api/admin/clients/${id}`, body, 'PATCH')
    await change({ tokenExchange: true })
    expect(await listed()).toEqual([...contract, EXCHANGE_GRANT])
    await change({ disabled: true })
    expect(await listed()).toEqual(contract)
    await change({ disabled: false, tokenExchange: false })
    expect(await listed()).toEqual(contract)
  } finally {
    await fresh.close()
  }
})

// This test must be last: it moves the clock.
test('the new token expires no later than the subject token', async () => {
  const subject = await userToken()
  const { iat, exp } = claimsOf(subject) as { iat: number; exp: number }
  expect(exp - iat).toBe(900)
  service.advance(600_000)
  const { access_token, expires_in } = await succeed(api, subject, { resource: orders })
  expect(claimsOf(access_token).exp).toBe(exp)
  expect(expires_in).toBeLessThanOrEqual(300)
  service.advance(300_000)
  await expectRefused('invalid_request', api, subject, { resource: orders })
  expect((await introspect(url, access_token)).active).toBe(false)
})
