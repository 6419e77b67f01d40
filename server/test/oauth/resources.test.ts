import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLatchkey } from '../../../sdk/node/src/latchkey.ts'
import {
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  machineToken as demoMachineToken,
  exchange,
  introspect,
  obtainTokens,
  refresh,
  signIn,
  thirdParty,
  token,
  userinfo,
  VERIFIER,
} from '../support/world.ts'
import { type RegisteredClient, startTwoNodes, type TwoNodes } from './two-nodes.ts'

// Resource indicators (RFC 8707): tokens for the API of a resource.

let nodes: TwoNodes
let url: string
let cookie: string
let applicationId: string
let spa: RegisteredClient
let machine: RegisteredClient
beforeAll(async () => {
  nodes = await startTwoNodes()
  url = nodes.here.url
  cookie = await signIn(url, 'mia@acme.test')
  const scopes = ['openid', 'profile', 'offline_access', 'reports:read', 'reports:write', 'other:read']
  ;({ applicationId, client: spa } = await nodes.newClient({ kind: 'SPA', redirectUris: [CALLBACK], scopes }))
  machine = await newClient({ kind: 'MACHINE', scopes: ['reports:read', 'other:read', 'admin'] })
})
afterAll(() => nodes?.close())

const newClient = (draft: object) =>
  admin<RegisteredClient>(url, '/api/admin/clients', { applicationId, name: 'Client', ...draft })

interface Resource {
  id: string
  uri: string
}

let count = 0
const newResource = (draft: object = {}) =>
  admin<Resource>(url, '/api/admin/resources', {
    applicationId,
    name: 'Reports',
    uri: `https://api.example.com/${++count}`,
    scopes: ['reports:read', 'reports:write'],
    ...draft,
  })

const SCOPE = 'openid profile offline_access reports:read other:read'
const start = (resource: string | undefined, parameters: Record<string, string> = {}, client = spa) =>
  authorize(url, cookie, {
    client_id: client.clientId,
    scope: SCOPE,
    ...(resource !== undefined && { resource }),
    ...parameters,
  })

const redeem = (code: string | undefined, form: Record<string, string> = {}, client = spa) =>
  exchange(url, code, { client_id: client.clientId, ...form })

async function obtain(resource: string | undefined, parameters: Record<string, string> = {}, client = spa) {
  const { answer } = await start(resource, parameters, client)
  const { status, body } = await redeem(answer.code, {}, client)
  expect({ answer, status, body }).toMatchObject({ status: 200 })
  return body
}

const renew = (refreshToken: string, form: Record<string, string> = {}, at = url) =>
  refresh(at, refreshToken, { client_id: spa.clientId, ...form })

const machineToken = (form: Record<string, string>, { clientId, clientSecret } = machine) =>
  token(url, { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, ...form })

describe('the authorization code flow', () => {
  test('the audience is the resource, and the access token has only the scopes of the resource', async () => {
    const { uri } = await newResource()
    const tokens = await obtain(uri)
    expect(claimsOf(tokens.access_token)).toMatchObject({
      aud: uri,
      scope: 'reports:read',
      client_id: spa.clientId,
      tenant_slug: 'acme',
    })
    expect(tokens.scope).toBe('openid profile offline_access reports:read')
    expect(claimsOf(tokens.id_token)).toMatchObject({ aud: spa.clientId, given_name: 'Mia' })
    const renewed = await renew(tokens.refresh_token)
    expect(claimsOf(renewed.body.access_token)).toMatchObject({ aud: uri, scope: 'reports:read' })
  })

  test('without a resource nothing changes', async () => {
    const tokens = await obtain(undefined)
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: applicationId, scope: SCOPE })
    expect(tokens.scope).toBe(SCOPE)
  })

  test('a client gets only scopes that it lists', async () => {
    const { uri } = await newResource({ scopes: ['reports:read', 'reports:delete'] })
    const tokens = await obtain(uri, { scope: 'openid reports:read reports:delete' })
    expect(claimsOf(tokens.access_token).scope).toBe('reports:read')
  })

  test.each([
    ['unknown', 'https://nobody.example.com'],
    ['relative', '/reports'],
    ['not a URI', 'reports'],
    ['with a fragment', 'https://api.example.com/1#part'],
    ['too long', `https://api.example.com/${'x'.repeat(3_000)}`],
  ])('a resource that is %s is invalid_target', async (_, resource) => {
    expect((await start(resource)).answer).toMatchObject({ error: 'invalid_target', state: 'st', iss: url })
    expect(await machineToken({ resource })).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
  })

  test('the URI is compared as text', async () => {
    const { uri } = await newResource()
    for (const similar of [`${uri}/`, uri.toUpperCase(), uri.replace('api.', 'API.'), `${uri}?x=1`])
      expect((await start(similar)).answer).toMatchObject({ error: 'invalid_target' })
  })

  test('several resources are invalid_target', async () => {
    const [one, other] = [await newResource(), await newResource()]
    const { location } = await start(one.uri)
    expect(location).toContain('code=')
    const twice = new URLSearchParams({
      client_id: spa.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      state: 'st',
      resource: one.uri,
    })
    twice.append('resource', other.uri)
    const response = await fetch(`${url}/oauth/authorize?${twice}`, { headers: { cookie }, redirect: 'manual' })
    expect(new URL(response.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_target')
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: machine.clientId,
      client_secret: machine.clientSecret,
      resource: one.uri,
    })
    form.append('resource', other.uri)
    const refused = await fetch(`${url}/api/oauth/token`, { method: 'POST', body: form })
    expect({ status: refused.status, body: await refused.json() }).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    })
  })

  test('the token request may repeat the resource; another one is refused, and the code stays valid', async () => {
    const [one, other] = [await newResource(), await newResource()]
    const { answer } = await start(one.uri)
    for (const resource of [other.uri, 'https://nobody.example.com', 'x'])
      expect(await redeem(answer.code, { resource })).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
    const { status, body } = await redeem(answer.code, { resource: one.uri })
    expect(status).toBe(200)
    expect(claimsOf(body.access_token).aud).toBe(one.uri)
  })

  test('a code without a resource cannot be used for one', async () => {
    const { uri } = await newResource()
    const { answer } = await start(undefined)
    expect((await redeem(answer.code, { resource: uri })).body).toMatchObject({ error: 'invalid_target' })
    expect((await redeem(answer.code)).status).toBe(200)
  })
})

describe('a pushed authorization request', () => {
  const push = async (...resources: string[]) => {
    const form = new URLSearchParams({
      client_id: spa.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'reports:read',
      code_challenge: await oidc.calculatePKCECodeChallenge(VERIFIER),
      code_challenge_method: 'S256',
    })
    for (const resource of resources) form.append('resource', resource)
    const response = await fetch(`${url}/api/oauth/par`, { method: 'POST', body: form })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  test('may name one resource', async () => {
    const [one, other] = [await newResource(), await newResource()]
    for (const resources of [['https://nobody.example.com'], [one.uri, other.uri]])
      expect(await push(...resources)).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
    const { body } = await push(one.uri)
    const query = new URLSearchParams({ client_id: spa.clientId, request_uri: body.request_uri ?? '' })
    const response = await fetch(`${url}/oauth/authorize?${query}`, { headers: { cookie }, redirect: 'manual' })
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const { access_token } = (await redeem(code)).body
    expect(claimsOf(access_token)).toMatchObject({ aud: one.uri, scope: 'reports:read' })
  })
})

describe('a refresh', () => {
  test('may name its resource; another one is refused, and the token stays valid', async () => {
    const [one, other] = [await newResource(), await newResource()]
    const { refresh_token } = await obtain(one.uri)
    expect(await renew(refresh_token, { resource: other.uri })).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    })
    const { status, body } = await renew(refresh_token, { resource: one.uri })
    expect(status).toBe(200)
    expect(claimsOf(body.access_token).aud).toBe(one.uri)
    // The second token is cached by the process that issued it.
    expect((await renew(body.refresh_token, { resource: other.uri })).body).toMatchObject({ error: 'invalid_target' })
    expect((await renew(body.refresh_token, { resource: one.uri })).status).toBe(200)
  })

  test('a grant without a resource cannot get one', async () => {
    const { uri } = await newResource()
    const { refresh_token } = await obtain(undefined)
    expect((await renew(refresh_token, { resource: uri })).body).toMatchObject({ error: 'invalid_target' })
    expect((await renew(refresh_token)).status).toBe(200)
  })

  test('cannot widen the scope', async () => {
    const { uri } = await newResource()
    const { refresh_token } = await obtain(uri)
    for (const scope of ['reports:read reports:write', 'other:read', 'admin'])
      expect((await renew(refresh_token, { scope })).body).toMatchObject({ error: 'invalid_scope' })
    const { body } = await renew(refresh_token, { scope: 'reports:read' })
    expect(claimsOf(body.access_token)).toMatchObject({ aud: uri, scope: 'reports:read' })
  })

  test('leaves out scopes that the resource has lost', async () => {
    const { id, uri } = await newResource()
    const tokens = await obtain(uri, { scope: 'openid offline_access reports:read reports:write' })
    const renewed = (await renew(tokens.refresh_token)).body
    await nodes.patch(`/resources/${id}`, { scopes: ['reports:write'] })
    await nodes.changesAnnounced()
    expect((await introspect(url, renewed.access_token)).scope).toBe('reports:write')
    const { body } = await renew(renewed.refresh_token)
    expect(claimsOf(body.access_token).scope).toBe('reports:write')
    expect(body.scope).toBe('openid offline_access reports:write')
  })
})

describe('client credentials', () => {
  test('the token is for the resource, with the scopes that both list', async () => {
    const { uri } = await newResource()
    const { body } = await machineToken({ resource: uri })
    expect(claimsOf(body.access_token)).toMatchObject({ aud: uri, scope: 'reports:read', sub: machine.clientId })
    const named = await machineToken({ resource: uri, scope: 'reports:read' })
    expect(claimsOf(named.body.access_token).scope).toBe('reports:read')
    for (const scope of ['other:read', 'admin', 'reports:write'])
      expect((await machineToken({ resource: uri, scope })).body).toMatchObject({ error: 'invalid_scope' })
  })

  test('the token ends with the resource, and is not revived by another one with the same URI', async () => {
    const { id, uri } = await newResource()
    const { body } = await machineToken({ resource: uri })
    const states = async () => {
      await nodes.changesAnnounced()
      return Promise.all(
        [nodes.there, nodes.here].map(async (node) => (await introspect(node.url, body.access_token)).active),
      )
    }
    expect(await states()).toEqual([true, true])
    await nodes.remove(`/resources/${id}`)
    expect(await states()).toEqual([false, false])
    expect((await machineToken({ resource: uri })).body).toMatchObject({ error: 'invalid_target' })
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await newResource({ uri })
    expect(await states()).toEqual([false, false])
  })
})

describe('the token is valid only at its resource', () => {
  test('Latchkey itself refuses it', async () => {
    const { uri } = await newResource()
    const personal = await obtain(uri)
    const robot = (await machineToken({ resource: uri })).body.access_token
    for (const accessToken of [personal.access_token, robot]) {
      expect(await userinfo(url, accessToken)).toBe(401)
      for (const path of ['/api/tenants', '/api/users/me', '/api/admin/clients', '/api/events']) {
        expect(await nodes.statuses(path, accessToken)).toEqual([401, 401])
      }
    }
    // The same client with a token for its application.
    expect(await userinfo(url, (await obtain(undefined)).access_token)).toBe(200)
  })

  test('another resource and the application refuse it', async () => {
    const [one, other] = [await newResource(), await newResource()]
    const { access_token } = await obtain(one.uri)
    const sdk = (audience?: string) =>
      createLatchkey({ issuer: url, applicationId, ...(audience !== undefined && { audience }) })
    expect(await sdk(one.uri).verify(access_token)).toMatchObject({ scopes: ['reports:read'] })
    await expect(sdk(other.uri).verify(access_token)).rejects.toThrow('The access token is not valid.')
    await expect(sdk().verify(access_token)).rejects.toThrow('The access token is not valid.')
    const { access_token: own } = await obtain(undefined)
    await expect(sdk(one.uri).verify(own)).rejects.toThrow('The access token is not valid.')
    expect(await sdk().verify(own)).toMatchObject({ clientId: spa.clientId })
  })
})

describe('introspection', () => {
  const introspectAs = async ({ clientId, clientSecret }: RegisteredClient, accessToken: string) => {
    const response = await fetch(`${url}/api/oauth/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({ token: accessToken }),
    })
    return (await response.json()) as Record<string, unknown>
  }

  test('only the application that owns the resource sees the token', async () => {
    const { client: foreign } = await nodes.newClient({
      kind: 'WEB',
      redirectUris: [CALLBACK],
      scopes: ['openid', 'reports:read'],
    })
    const { uri } = await newResource({ allowedClients: [foreign.clientId] })
    const web = await newClient({ kind: 'WEB', redirectUris: [CALLBACK] })
    const { answer } = await start(uri, {}, foreign)
    const { body } = await redeem(answer.code, { client_secret: foreign.clientSecret }, foreign)
    expect(await introspectAs(web, body.access_token)).toMatchObject({
      active: true,
      aud: uri,
      scope: 'reports:read',
      client_id: foreign.clientId,
    })
    expect(await introspectAs(foreign, body.access_token)).toEqual({ active: false })
  })

  test('it shows the license that the user holds now, not the one in the token', async () => {
    const { application_id: owner } = await nodes.here.ctx.db
      .selectFrom('clients')
      .select('application_id')
      .where('client_id', '=', 'demo-spa')
      .executeTakeFirstOrThrow()
    const { uri } = await newResource({ applicationId: owner, allowedClients: [spa.clientId] })
    const { access_token } = await obtain(uri)
    const { license, sub } = claimsOf(access_token)
    expect(license).toMatchObject({ type: 'pro' })
    for (const node of [nodes.here, nodes.there])
      expect((await introspect(node.url, access_token)).license).toEqual(license)

    await changeSeat('revoke', { userId: sub, applicationId: owner })
    await nodes.changesAnnounced()
    for (const node of [nodes.here, nodes.there]) {
      const { active, license: current } = await introspect(node.url, access_token)
      expect({ active, current }).toEqual({ active: true, current: undefined })
    }
    const licenseTypeId = await findLicenseTypeId(owner, 'pro')
    await changeSeat('grant', { userId: sub, applicationId: owner, licenseTypeId })
    await nodes.changesAnnounced()
    expect((await introspect(nodes.there.url, access_token)).license).toEqual(license)
  })

  async function changeSeat(action: 'grant' | 'revoke', body: object) {
    const response = await fetch(`${url}/api/integration/licenses/${action}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await demoMachineToken(url, 'demo-machine')}`,
      },
      body: JSON.stringify(body),
    })
    expect([200, 201]).toContain(response.status)
  }

  async function findLicenseTypeId(owner: string, slug: string) {
    const { id } = await nodes.here.ctx.db
      .selectFrom('license_types')
      .select('id')
      .where('application_id', '=', owner)
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
    return id
  }
})

describe('a client of another application', () => {
  test('needs to be listed by the resource, at once and on every node', async () => {
    const draft = { kind: 'SPA', redirectUris: [CALLBACK], scopes: SCOPE.split(' ') }
    const { client } = await nodes.newClient(draft)
    const { id, uri } = await newResource()
    expect((await start(uri, {}, client)).answer).toMatchObject({ error: 'invalid_target' })
    await nodes.patch(`/resources/${id}`, { allowedClients: [client.clientId] })
    const tokens = await obtain(uri, {}, client)
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: uri, scope: 'reports:read' })
    const renewed = await refresh(url, tokens.refresh_token, { client_id: client.clientId })
    const state = async () => (await introspect(nodes.there.url, renewed.body.access_token)).active
    expect(await state()).toBe(true)

    await nodes.patch(`/resources/${id}`, { allowedClients: [] })
    await nodes.changesAnnounced()
    expect(await state()).toBe(false)
    expect((await start(uri, {}, client)).answer).toMatchObject({ error: 'invalid_target' })
    for (const node of [nodes.there, nodes.here]) {
      const refused = await refresh(node.url, renewed.body.refresh_token, { client_id: client.clientId })
      expect(refused.body).toMatchObject({ error: 'invalid_grant' })
    }
  })

  test('gets the license of the application that owns the resource', async () => {
    const { application_id: owner } = await nodes.here.ctx.db
      .selectFrom('clients')
      .select('application_id')
      .where('client_id', '=', 'demo-spa')
      .executeTakeFirstOrThrow()
    const { access_token: own } = await obtainTokens(url, cookie)
    expect(claimsOf(own).license).toMatchObject({ type: expect.any(String) })
    const { uri } = await newResource({ applicationId: owner, allowedClients: [spa.clientId] })
    expect(claimsOf((await obtain(uri)).access_token).license).toEqual(claimsOf(own).license)
    expect(claimsOf((await obtain(undefined)).access_token).license).toBeUndefined()
    const { license } = await createLatchkey({ issuer: url, applicationId: owner, audience: uri }).verify(
      (await obtain(uri)).access_token,
    )
    expect(license).toEqual(claimsOf(own).license)
  })

  test('loses its place with its deletion', async () => {
    const { client } = await nodes.newClient({ kind: 'SPA', redirectUris: [CALLBACK] })
    const { id } = await newResource({ allowedClients: [client.clientId] })
    await nodes.remove(`/clients/${client.id}`)
    expect(await admin(url, `/api/admin/resources/${id}`, { name: 'Changed' }, 'PATCH')).toMatchObject({
      allowedClients: [],
    })
  })
})

test('the deletion of a resource ends its grants and tokens on every node', async () => {
  const { id, uri } = await newResource()
  const tokens = await obtain(uri)
  const { answer } = await start(uri)
  const current = (await renew(tokens.refresh_token, {}, nodes.there.url)).body
  const other = await obtain(undefined)
  for (const node of [nodes.there, nodes.here])
    expect((await introspect(node.url, current.access_token)).active).toBe(true)
  await nodes.remove(`/resources/${id}`)
  await nodes.changesAnnounced()
  for (const node of [nodes.there, nodes.here]) {
    expect((await introspect(node.url, current.access_token)).active).toBe(false)
    expect((await renew(current.refresh_token, {}, node.url)).body).toMatchObject({ error: 'invalid_grant' })
  }
  expect((await redeem(answer.code)).body).toMatchObject({ error: 'invalid_grant' })
  expect((await start(uri)).answer).toMatchObject({ error: 'invalid_target' })
  expect((await renew(other.refresh_token)).status).toBe(200)
})

test('of 20 deletions and refreshes at once, no refresh leaves a valid token behind', async () => {
  for (let round = 0; round < 3; round++) {
    const { id, uri } = await newResource()
    const held = await Promise.all(Array.from({ length: 20 }, () => obtain(uri)))
    const [, ...renewals] = await Promise.all([
      nodes.remove(`/resources/${id}`),
      ...held.map(({ refresh_token }, index) =>
        renew(refresh_token, {}, (index % 2 === 0 ? nodes.here : nodes.there).url),
      ),
    ])
    await nodes.changesAnnounced()
    for (const { status, body } of renewals) {
      expect([200, 400]).toContain(status)
      if (status === 200) expect((await introspect(nodes.there.url, body.access_token)).active).toBe(false)
    }
  }
})

test('the consent page names the resource, and consent is for this resource only', async () => {
  const client = (await thirdParty(url)) as RegisteredClient
  await nodes.patch(`/clients/${client.id}`, { scopes: SCOPE.split(' ') })
  const [one, other] = [
    await newResource({ name: 'Quarterly <reports>', allowedClients: [client.clientId] }),
    await newResource({ allowedClients: [client.clientId] }),
  ]
  const { response } = await start(one.uri, {}, client)
  const html = await response.text()
  expect(html).toMatch(/Quarterly &lt;reports(?:>|&gt;)/)
  expect(html).toContain(one.uri)
  expect(html).not.toContain('other:read')
  const listed = [...html.matchAll(/<li>([^<]+|<code>[^<]+<\/code>)<\/li>/g)].map(([, scope]) => scope)
  expect(listed).toContain('<code>reports:read</code>')
  expect(listed).toEqual([...new Set(listed)])
  const decode = (text = '') => text.replaceAll('&amp;', '&')
  const form = new URLSearchParams({
    csrf: /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '',
    decision: 'allow',
  })
  const cookies = [cookie, ...response.headers.getSetCookie().map((entry) => entry.split(';')[0])].join('; ')
  const action = new URL(decode(/<form method="post" action="([^"]+)"/.exec(html)?.[1]), url)
  const posted = await fetch(action, {
    method: 'POST',
    body: form,
    headers: { cookie: cookies, origin: url },
    redirect: 'manual',
  })
  const continued = new URL(posted.headers.get('location') ?? '', url)
  const done = await fetch(continued, { headers: { cookie }, redirect: 'manual' })
  expect(done.headers.get('location')).toContain('code=')
  // The same scope at another resource, and without a resource, needs consent of its own.
  for (const resource of [other.uri, undefined])
    expect((await start(resource, { prompt: 'none', scope: 'openid reports:read' }, client)).answer).toMatchObject({
      error: 'consent_required',
    })
  expect((await start(one.uri, { prompt: 'none' }, client)).answer.code).toBeDefined()
})

describe('client libraries', () => {
  test('openid-client: sign-in, refresh and client credentials for a resource', async () => {
    const { uri } = await newResource()
    const execute = [oidc.allowInsecureRequests]
    const config = await oidc.discovery(new URL(url), spa.clientId, undefined, oidc.None(), { execute })
    const location = oidc.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: SCOPE,
      state: 'st',
      nonce: 'n',
      code_challenge: await oidc.calculatePKCECodeChallenge(VERIFIER),
      code_challenge_method: 'S256',
      resource: uri,
    })
    const response = await fetch(location, { headers: { cookie }, redirect: 'manual' })
    const checks = { pkceCodeVerifier: VERIFIER, expectedState: 'st', expectedNonce: 'n', idTokenExpected: true }
    const answer = new URL(response.headers.get('location') ?? '')
    const tokens = await oidc.authorizationCodeGrant(config, answer, checks, { resource: uri })
    const keys = createRemoteJWKSet(new URL(`${url}/api/oauth/jwks`))
    const verify = (accessToken: string) => jwtVerify(accessToken, keys, { issuer: url, audience: uri, typ: 'at+jwt' })
    await verify(tokens.access_token)
    const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '', { resource: uri })
    await verify(renewed.access_token)
    const other = await newResource()
    await expect(
      oidc.refreshTokenGrant(config, renewed.refresh_token ?? '', { resource: other.uri }),
    ).rejects.toMatchObject({ error: 'invalid_target' })
    const robot = await oidc.discovery(
      new URL(url),
      machine.clientId,
      undefined,
      oidc.ClientSecretPost(machine.clientSecret),
      { execute },
    )
    await verify((await oidc.clientCredentialsGrant(robot, { resource: uri })).access_token)
  })

  test('oauth4webapi: client credentials, and the validation of the token by the API', async () => {
    const [{ uri }, other] = [await newResource(), await newResource()]
    const insecure = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(url)
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
    const client = { client_id: machine.clientId }
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(machine.clientSecret),
      { resource: uri },
      insecure,
    )
    const { access_token } = await oauth.processClientCredentialsResponse(server, client, response)
    const request = () => new Request('http://api.test', { headers: { authorization: `Bearer ${access_token}` } })
    const claims = await oauth.validateJwtAccessToken(server, request(), uri, insecure)
    expect(claims).toMatchObject({ aud: uri, scope: 'reports:read' })
    await expect(oauth.validateJwtAccessToken(server, request(), other.uri, insecure)).rejects.toThrow()
  })
})
