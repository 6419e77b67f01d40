import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepExpired } from '../../src/oauth/sweep.ts'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  claimsOf,
  exchange,
  introspect,
  machineToken,
  refresh,
  signIn,
  startDemoService,
  thirdParty,
  userinfo,
} from '../support/world.ts'
import {
  documentConfig,
  documentOf,
  openConsent,
  type Publisher,
  REDIRECT,
  REDIRECT_WITH_PORT,
  respondWith,
  startPublisher,
} from './document-clients.ts'
import { readShownError } from './shown-errors.ts'

// Clients that are described by the document at their client id.

let service: TestService
let publisher: Publisher
let url: string
let cookie: string
let applicationId: string

beforeAll(async () => {
  publisher = await startPublisher()
  service = await startDemoService({ config: documentConfig(), forbidSlowWork: true })
  url = service.url
  cookie = await signIn(url, 'mia@acme.test')
  ;({ id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'Reports' }))
})
afterAll(async () => {
  await service?.close()
  publisher.close()
})
beforeEach(async () => {
  service.logs.length = 0
  await clearRateLimits()
})

/** These tests use more documents than a person does in an hour. */
const clearRateLimits = () => service.ctx.db.deleteFrom('throttle' as never).execute()

const SCOPE = 'openid offline_access reports:read'

const newResource = (draft: object = {}) =>
  admin<{ id: string; uri: string }>(url, '/api/admin/resources', {
    applicationId,
    name: 'Reports',
    uri: `https://api.example.com/${randomUUID()}`,
    scopes: ['reports:read', 'reports:write'],
    allowDynamicClients: true,
    ...draft,
  })

/** Goes through the consent page and redeems the code. */
async function obtain(clientId: string, parameters: Record<string, string> = {}, { at = service, as = cookie } = {}) {
  const page = await openConsent(at, as, { client_id: clientId, scope: SCOPE, ...parameters })
  const { code } = await page.decide('allow')
  const redirect_uri = parameters.redirect_uri ?? REDIRECT_WITH_PORT
  const { status, body } = await exchange(at.url, code, { client_id: clientId, redirect_uri })
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

const start = (clientId: string, parameters: Record<string, string> = {}, at = url) =>
  authorize(at, cookie, { client_id: clientId, redirect_uri: REDIRECT_WITH_PORT, scope: SCOPE, ...parameters })

/** The error of a request, which is shown to a user who has not allowed the client. */
async function errorOf(clientId: string, parameters: Record<string, string>): Promise<string | undefined> {
  const { response, answer } = await start(clientId, parameters)
  return answer.error ?? readShownError(await response.text())?.answer.error
}

const renew = (clientId: string, token: string, at = url) => refresh(at, token, { client_id: clientId })

async function listClients(clientId: string) {
  const query = new URLSearchParams({ search: clientId, origin: 'DOCUMENT' })
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  const response = await fetch(`${url}/api/admin/clients?${query}`, { headers })
  return ((await response.json()) as { clients: { id: string; applicationId: string }[] }).clients
}

async function getClient(clientId: string) {
  const [client] = await listClients(clientId)
  if (!client) throw new Error(`no client ${clientId}`)
  return client
}

test('a client is registered by its document: consent, code, tokens for a resource that is open to it', async () => {
  const clientId = publisher.publishDocument()
  const { uri } = await newResource()
  const { host } = new URL(clientId)
  const page = await openConsent(service, cookie, { client_id: clientId, scope: SCOPE, resource: uri })
  expect(page.html).toContain(`<strong>${host}</strong>`)
  expect(page.html).toContain('Calls itself')
  expect(page.html).toContain('Editor')
  expect(page.html).toContain('Any program here')
  expect(page.html).toContain(uri)
  const tokens = await obtain(clientId, { resource: uri })
  expect(tokens.scope).toBe(SCOPE)
  expect(claimsOf(tokens.access_token)).toMatchObject({ aud: uri, scope: 'reports:read', client_id: clientId })
  expect(claimsOf(tokens.id_token)).toMatchObject({ aud: clientId })
  expect(await introspect(url, tokens.access_token)).toMatchObject({ active: true, client_id: clientId })
  const renewed = await renew(clientId, tokens.refresh_token)
  expect(claimsOf(renewed.body.access_token)).toMatchObject({ aud: uri, scope: 'reports:read' })
  expect(publisher.requestsFor(clientId)).toBe(1)
  expect(await getClient(clientId)).toMatchObject({
    clientId,
    origin: 'DOCUMENT',
    kind: 'SPA',
    name: 'Editor',
    redirectUris: [REDIRECT],
    tokenEndpointAuthMethod: 'none',
    pkceMethods: ['S256'],
  })
})

test('nothing is stored before a user allows the client', async () => {
  const clientId = publisher.publishDocument()
  const { response } = await authorize(url, '', { client_id: clientId, redirect_uri: REDIRECT_WITH_PORT })
  expect(response.headers.get('location')).toContain('/login')
  const page = await openConsent(service, cookie, { client_id: clientId })
  expect(await listClients(clientId)).toEqual([])
  expect(await page.decide('deny')).toMatchObject({ error: 'access_denied' })
  expect(await listClients(clientId)).toEqual([])
  await page.decide('allow')
  const client = await getClient(clientId)
  const entries = await service.ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'details'])
    .where('action', 'in', ['client.registered', 'application.created', 'user.consented'])
    .execute()
  const own = entries.filter(({ details }) => JSON.stringify(details).includes(client.applicationId))
  expect(own.map(({ action }) => action).sort()).toEqual(['application.created', 'client.registered', 'user.consented'])
  expect(own.find(({ action }) => action === 'client.registered')?.details).toMatchObject({
    clientId,
    after: { origin: 'DOCUMENT', redirectUris: [REDIRECT] },
  })
})

describe('consent', () => {
  test('is asked each time for a loopback address, which any program can use', async () => {
    const clientId = publisher.publishDocument()
    await obtain(clientId)
    expect((await start(clientId, { prompt: 'none' })).answer).toMatchObject({ error: 'consent_required' })
    await openConsent(service, cookie, { client_id: clientId, scope: SCOPE })
  })

  test('is for one document only', async () => {
    const clientId = publisher.publishDocument()
    const other = publisher.publishDocument()
    await obtain(clientId)
    expect(await errorOf(other, { prompt: 'none' })).toBe('consent_required')
  })

  test('is remembered for an https address, which belongs to one application', async () => {
    // Documents of tests are on http, so an https address cannot have their origin. The rule is the same here.
    const redirect_uri = 'https://app.example.com/cb'
    const { id, clientId } = await thirdParty(url)
    await admin(url, `/api/admin/clients/${id}`, { redirectUris: [redirect_uri] }, 'PATCH')
    await service.ctx.db.updateTable('clients').set({ origin: 'REGISTRATION' }).where('id', '=', id).execute()
    await service.ctx.changes.waitUntilCurrent()
    const parameters = { client_id: clientId, redirect_uri, scope: 'openid' }
    expect(await errorOf(clientId, { ...parameters, prompt: 'none' })).toBe('consent_required')
    await (await openConsent(service, cookie, parameters)).decide('allow')
    expect((await authorize(url, cookie, { ...parameters, prompt: 'none' })).answer.code).toBeDefined()
  })

  test('is given in a race of two users: one client', async () => {
    for (const _ of rounds(20)) {
      await clearRateLimits()
      const clientId = publisher.publishDocument()
      const other = await signIn(url, 'olivia@acme.test')
      const pages = await Promise.all(
        [cookie, other].map((as) => openConsent(service, as, { client_id: clientId, scope: SCOPE })),
      )
      const answers = await Promise.all(pages.map((page) => page.decide('allow')))
      expect(answers).toMatchObject([{ code: expect.any(String) }, { code: expect.any(String) }])
      expect(await listClients(clientId)).toHaveLength(1)
      const applications = await service.ctx.db
        .selectFrom('applications')
        .select('id')
        .where('trusted', '=', false)
        .execute()
      const clients = await service.ctx.db.selectFrom('clients').select('application_id').execute()
      const used = new Set(clients.map(({ application_id }) => application_id))
      expect(applications.filter(({ id }) => !used.has(id))).toEqual([])
    }
  })
})

describe('resources', () => {
  test('that are not open to such clients refuse them, also for existing tokens', async () => {
    const clientId = publisher.publishDocument()
    const { uri: closed } = await newResource({ allowDynamicClients: false })
    expect(await errorOf(clientId, { resource: closed })).toBe('invalid_target')
    const { id, uri } = await newResource()
    const tokens = await obtain(clientId, { resource: uri })
    await admin(url, `/api/admin/resources/${id}`, { allowDynamicClients: false }, 'PATCH')
    expect(await introspect(url, tokens.access_token)).toEqual({ active: false })
    expect((await renew(clientId, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
  })

  test('are not open to a registered client of another application because of it', async () => {
    const { uri } = await newResource()
    const { answer } = await authorize(url, cookie, { resource: uri })
    expect(answer).toMatchObject({ error: 'invalid_target' })
  })

  test('without one, a client can sign users in and nothing else', async () => {
    const clientId = publisher.publishDocument()
    expect(await errorOf(clientId, { scope: 'reports:read' })).toBe('invalid_target')
    const tokens = await obtain(clientId, { scope: 'openid profile admin reports:read' })
    expect(tokens.scope).toBe('openid profile')
    const { applicationId: own } = await getClient(clientId)
    expect(claimsOf(tokens.access_token)).toMatchObject({ aud: own })
    expect(await userinfo(url, tokens.access_token)).toBe(200)
    for (const path of ['/api/users/me', '/api/tenants']) {
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      expect((await fetch(url + path, { headers })).status).toBe(403)
    }
  })

  test('its consent page shows the host of the document, also when an operator has renamed its application', async () => {
    const clientId = publisher.publishDocument()
    await obtain(clientId)
    const { applicationId: own } = await getClient(clientId)
    await admin(url, `/api/admin/applications/${own}`, { name: 'Renamed' }, 'PATCH')
    const { html } = await openConsent(service, cookie, { client_id: clientId })
    expect(html).toContain('Allow Renamed?')
    expect(html).toContain(`<dt>Website</dt><dd><strong>${new URL(clientId).host}</strong></dd>`)
  })

  test('its application never becomes trusted', async () => {
    const clientId = publisher.publishDocument()
    const tokens = await obtain(clientId)
    const { applicationId: own } = await getClient(clientId)
    await admin(url, `/api/admin/applications/${own}`, { trusted: true }, 'PATCH')
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect((await fetch(`${url}/api/users/me`, { headers })).status).toBe(403)
    await openConsent(service, cookie, { client_id: clientId, prompt: 'consent' })
  })
})

test.each<[string, Record<string, string>]>([
  ['no challenge', { code_challenge: '', code_challenge_method: '' }],
  ['the method plain', { code_challenge_method: 'plain' }],
])('PKCE with S256 is mandatory: %s', async (_name, parameters) => {
  const clientId = publisher.publishDocument()
  expect(await errorOf(clientId, parameters)).toBe('invalid_request')
})

describe('the document', () => {
  test('is fetched once for simultaneous requests, and cached as its headers say', async () => {
    const clientId = publisher.publishDocument({}, { 'cache-control': 'max-age=600' })
    await Promise.all(Array.from({ length: 20 }, () => start(clientId)))
    expect(publisher.requestsFor(clientId)).toBe(1)
    service.advance(590_000)
    await start(clientId)
    expect(publisher.requestsFor(clientId)).toBe(1)
    service.advance(20_000)
    await start(clientId)
    expect(publisher.requestsFor(clientId)).toBe(2)
  })

  test('may change: redirect URIs and the name follow it, and refresh tokens go on working', async () => {
    const clientId = publisher.publishDocument()
    const tokens = await obtain(clientId)
    publisher.change(
      clientId,
      respondWith(documentOf(clientId, { client_name: 'New', redirect_uris: [`${REDIRECT}/new`] })),
    )
    service.advance(301_000)
    expect((await start(clientId)).response.status).toBe(400)
    const redirect_uri = `${REDIRECT_WITH_PORT}/new`
    await obtain(clientId, { redirect_uri })
    expect(await getClient(clientId)).toMatchObject({ name: 'New', redirectUris: [`${REDIRECT}/new`] })
    expect((await renew(clientId, tokens.refresh_token)).status).toBe(200)
  })

  test('may disappear: new authorizations are refused, and refresh tokens go on working', async () => {
    const clientId = publisher.publishDocument()
    const tokens = await obtain(clientId)
    publisher.change(clientId, (response) => response.writeHead(404).end())
    service.advance(301_000)
    const { response } = await start(clientId)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('the document at its client_id has the status 404')
    expect((await renew(clientId, tokens.refresh_token)).status).toBe(200)
  })

  test('a failure is cached for 30 seconds', async () => {
    const clientId = publisher.publish((response) => response.writeHead(500).end())
    await start(clientId)
    publisher.change(clientId, respondWith(documentOf(clientId)))
    expect((await start(clientId)).response.status).toBe(400)
    expect(publisher.requestsFor(clientId)).toBe(1)
    service.advance(31_000)
    await openConsent(service, cookie, { client_id: clientId })
  })

  test('without a name: the consent page shows the host only', async () => {
    const clientId = publisher.publishDocument({
      client_name: undefined,
      grant_types: undefined,
      response_types: undefined,
    })
    const { html } = await openConsent(service, cookie, { client_id: clientId })
    expect(html).not.toContain('Calls itself')
  })

  test('a redirect URI of another origin is not used, and does not spoil the others', async () => {
    const other = 'https://elsewhere.example/cb'
    const clientId = publisher.publishDocument({
      redirect_uris: [other, 'com.example.app:/cb', REDIRECT],
      logo_uri: other,
    })
    for (const redirect_uri of [other, 'com.example.app:/cb']) {
      expect((await start(clientId, { redirect_uri })).response.status).toBe(400)
    }
    const { html } = await openConsent(service, cookie, { client_id: clientId })
    expect(html).not.toContain('elsewhere.example')
  })
})

describe('the operator', () => {
  test('can disable a client: it and its tokens end', async () => {
    const clientId = publisher.publishDocument()
    const tokens = await obtain(clientId)
    const { id } = await getClient(clientId)
    await admin(url, `/api/admin/clients/${id}`, { disabled: true }, 'PATCH')
    expect(await introspect(url, tokens.access_token)).toEqual({ active: false })
    expect((await renew(clientId, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_client' })
    expect((await start(clientId)).response.status).toBe(400)
  })

  test.each<[string, Parameters<typeof documentConfig>[0], string]>([
    ['by default', { mode: 'off' }, 'not that of a registered application'],
    ['of a denied host', { deniedHosts: ['127.0.0.1'] }, 'the host of its client_id is not accepted'],
    ['that are not on the allow list', { mode: 'allow-list', allowedHosts: ['app.example.com'] }, 'is not accepted'],
  ])('refuses documents %s, without a request', async (_name, documents, problem) => {
    const clientId = publisher.publishDocument()
    const tokens = await obtain(clientId)
    const before = publisher.requestsFor(clientId)
    const strict = await startService({ sameDatabaseAs: service, config: documentConfig(documents) })
    try {
      const { response } = await start(clientId, {}, strict.url)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(problem)
      expect(publisher.requestsFor(clientId)).toBe(before)
      const isOnlyNotAllowed = documents?.mode === 'allow-list'
      expect((await introspect(strict.url, tokens.access_token)).active).toBe(isOnlyNotAllowed)
      expect((await renew(clientId, tokens.refresh_token, strict.url)).status).toBe(isOnlyNotAllowed ? 200 : 400)
    } finally {
      await strict.close()
    }
  })

  test('allows the default port or the named one, and denies all ports or the named one', async () => {
    const clientId = publisher.publishDocument()
    const { hostname, host, port } = new URL(clientId)
    const other = `${hostname}:${Number(port) ^ 1}`
    for (const [documents, status] of [
      [{ mode: 'allow-list', allowedHosts: [hostname, other] }, 400],
      [{ mode: 'allow-list', allowedHosts: [host] }, 200],
      [{ deniedHosts: [other] }, 200],
      [{ deniedHosts: [host] }, 400],
    ] as const) {
      const strict = await startService({ sameDatabaseAs: service, config: documentConfig(documents) })
      const { response } = await start(clientId, {}, strict.url)
      await strict.close()
      expect({ documents, status: response.status }).toEqual({ documents, status })
    }
  })

  test('sees in the provider metadata that documents are supported, only if they are', async () => {
    const metadata = async (at: string) => (await fetch(`${at}/.well-known/oauth-authorization-server`)).json()
    expect(await metadata(url)).toMatchObject({ client_id_metadata_document_supported: true })
    const plain = await startService({ sameDatabaseAs: service })
    expect(Object.keys((await metadata(plain.url)) as object)).not.toContain('client_id_metadata_document_supported')
    await plain.close()
  })

  test('cannot choose the origin of a client', async () => {
    const created = await admin<{ origin: string }>(url, '/api/admin/clients', {
      applicationId,
      kind: 'SPA',
      name: 'Own',
      origin: 'DOCUMENT',
      redirectUris: [REDIRECT],
    })
    expect(created.origin).toBe('ADMIN')
  })

  test('need not clean up: unused clients are deleted after 90 days, used and disabled ones are not', async () => {
    const [unused, used, disabled] = [0, 1, 2].map(() => publisher.publishDocument()) as [string, string, string]
    await obtain(unused, { scope: 'openid' })
    await obtain(disabled, { scope: 'openid' })
    await obtain(used)
    const { id } = await getClient(disabled)
    await admin(url, `/api/admin/clients/${id}`, { disabled: true }, 'PATCH')
    await sweepExpired.run(service.ctx, undefined)
    expect(await listClients(unused)).toHaveLength(1)
    const later = (days: number) => new Date(service.ctx.now().getTime() + days * 86_400_000)
    const { ctx } = service
    await sweepExpired.run({ ...ctx, now: () => later(89) }, undefined)
    expect(await listClients(unused)).toHaveLength(1)
    await ctx.db
      .updateTable('grants')
      .set({ expires_at: later(200) })
      .where('client_id', '=', (await getClient(used)).id)
      .execute()
    await sweepExpired.run({ ...ctx, now: () => later(91) }, undefined)
    expect(await listClients(unused)).toEqual([])
    expect(await listClients(disabled)).toHaveLength(1)
    expect(await listClients(used)).toHaveLength(1)
  })
})
