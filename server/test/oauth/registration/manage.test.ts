import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureEntries } from '../../audit/entries.ts'
import { openTab } from '../../invitations/browser-tab.ts'
import { rounds } from '../../support/rounds.ts'
import type { TestService } from '../../support/service.ts'
import { admin, authorize, authorizeUrl, signIn, startDemoService } from '../../support/world.ts'
import { call, type Information, manage, newToken, REDIRECT_URI, register } from './calls.ts'

const METADATA = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }

let service: TestService
let url: string
beforeAll(async () => {
  service = await startDemoService({ config: { clientRegistration: 'token' } })
  url = service.url
})
afterAll(() => service.close())

const rowOf = ({ client_id }: Information) =>
  service.ctx.db
    .selectFrom('clients')
    .select(['id', 'application_id', 'disabled'])
    .where('client_id', '=', client_id)
    .executeTakeFirstOrThrow()

const exists = async (applicationId: string) =>
  (await service.ctx.db.selectFrom('applications').select('id').where('id', '=', applicationId).execute()).length > 0

const newClient = async (metadata: object = {}) => register(url, metadata, (await newToken(url)).registrationToken)

test('an unknown client, one of an operator, and a wrong token are answered alike', async () => {
  const [client, other] = [await newClient(), await newClient()]
  const { registration_client_uri: address, registration_access_token: token } = client
  const elsewhere = (id: string) => ({ ...client, registration_client_uri: `${url}/api/oauth/register/${id}` })
  const body = { ...METADATA, client_id: client.client_id }
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const refused = await Promise.all([
      manage(method, client, { token: other.registration_access_token, body }),
      manage(method, client, { token: 'lka_wrong', body }),
      manage(method, other, { token, body }),
      manage(method, elsewhere('demo-spa'), { body }),
      manage(method, elsewhere('demo-web'), { body }),
      manage(method, elsewhere('lk_nobody'), { body }),
      manage(method, elsewhere('x%00'), { body }),
    ])
    for (const { response, status, body: answer } of refused) {
      expect([method, status, answer]).toEqual([
        method,
        401,
        { error: 'invalid_token', error_description: 'The token is not valid.' },
      ])
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
  }
  const missing = await call('GET', address)
  expect([missing.status, missing.response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  for (const registered of [client, other]) expect((await manage('GET', registered)).status).toBe(200)
})

test('an update replaces everything: members that are left out get their defaults', async () => {
  const client = await newClient({ scope: 'openid offline_access', post_logout_redirect_uris: [REDIRECT_URI] })
  const body = { ...METADATA, client_id: client.client_id, redirect_uris: ['https://other.example.com/'] }
  const { status, body: updated } = await manage('PUT', client, { body })
  expect(status).toBe(200)
  const { post_logout_redirect_uris, ...kept } = client
  expect(updated).toEqual({
    ...kept,
    redirect_uris: ['https://other.example.com/'],
    client_name: 'other.example.com',
    scope: 'openid profile email',
    grant_types: ['authorization_code'],
  })
})

test('a confidential client may change how it sends its secret, and repeat it', async () => {
  const client = await newClient({ token_endpoint_auth_method: 'client_secret_basic' })
  const { client_secret } = client
  const body = { ...METADATA, client_id: client.client_id, token_endpoint_auth_method: 'client_secret_post' }
  const answer = await manage('PUT', client, { body: { ...body, client_secret } })
  expect([answer.status, answer.body.token_endpoint_auth_method]).toEqual([200, 'client_secret_post'])
  expect(answer.body).not.toHaveProperty('client_secret')
  expect((await manage('GET', client)).body.token_endpoint_auth_method).toBe('client_secret_post')
})

test('a client that an operator disabled can neither manage nor delete itself', async () => {
  const client = await newClient()
  const { id } = await rowOf(client)
  await admin(url, `/api/admin/clients/${id}`, { disabled: true }, 'PATCH')
  const body = { ...METADATA, client_id: client.client_id }
  for (const method of ['GET', 'PUT', 'DELETE']) expect((await manage(method, client, { body })).status).toBe(401)
  expect((await rowOf(client)).disabled).toBe(true)
})

test('a client that an operator changed can read and delete itself, but not undo the change', async () => {
  const changes: [path: string, change: object][] = [
    ['clients', { scopes: ['openid'] }],
    ['clients', { requireDpop: true }],
    ['applications', { name: 'Not Acme' }],
  ]
  for (const [path, change] of changes) {
    const client = await newClient({ client_name: 'Acme SSO' })
    const body = { ...METADATA, client_id: client.client_id, client_name: 'Acme SSO' }
    expect((await manage('PUT', client, { body: { ...body, client_name: 'Reports' } })).status).toBe(200)
    const { id, application_id } = await rowOf(client)
    await admin(url, `/api/admin/${path}/${path === 'clients' ? id : application_id}`, change, 'PATCH')
    const { body: before } = await manage('GET', client)
    const refused = await manage('PUT', client, { body })
    expect([refused.status, refused.body.error]).toEqual([403, 'access_denied'])
    expect(await manage('GET', client)).toMatchObject({ status: 200, body: before })
    expect((await manage('DELETE', client)).status).toBe(204)
  }
})

test('of simultaneous changes by an operator and a client, that of the operator stays', async () => {
  for (const _ of rounds(20)) {
    const client = await newClient({ scope: 'openid email' })
    const body = { ...METADATA, client_id: client.client_id, scope: 'openid email', client_name: 'Changed' }
    const { id, application_id } = await rowOf(client)
    const puts = Array.from({ length: 4 }, () => manage('PUT', client, { body }))
    await Promise.all([
      admin(url, `/api/admin/clients/${id}`, { scopes: ['openid'] }, 'PATCH'),
      admin(url, `/api/admin/applications/${application_id}`, { name: 'By the operator' }, 'PATCH'),
      ...puts,
    ])
    for (const { status } of await Promise.all(puts)) expect([200, 403]).toContain(status)
    expect((await manage('GET', client)).body.scope).toBe('openid')
    const { name } = await service.ctx.db
      .selectFrom('applications')
      .select('name')
      .where('id', '=', application_id)
      .executeTakeFirstOrThrow()
    expect(name).toBe('By the operator')
  }
})

test('deleting takes the application along, unless an operator added something to it', async () => {
  const [alone, shared] = [await newClient(), await newClient()]
  const { application_id: applicationId } = await rowOf(shared)
  await admin(url, '/api/admin/resources', { applicationId, name: 'API', uri: 'https://api.example.com/shared' })
  const { application_id } = await rowOf(alone)
  for (const client of [alone, shared]) expect((await manage('DELETE', client)).status).toBe(204)
  expect(await exists(application_id)).toBe(false)
  expect(await exists(applicationId)).toBe(true)
})

test('the consent page names the address that the answer goes to, also one without a name', async () => {
  const cookie = await signIn(url, 'mia@acme.test')
  for (const [redirect_uri, target] of [
    [REDIRECT_URI, 'https://app.example.com'],
    ['https://[2001:db8::1]/callback', 'https://[2001:db8::1]'],
    ['com.example.app:/callback', 'com.example.app:'],
  ] as const) {
    const { client_id } = await newClient({ redirect_uris: [redirect_uri] })
    const tab = openTab(url, cookie)
    const page = await tab.open(authorizeUrl('', { client_id, redirect_uri, scope: 'openid', tenant: 'acme' }))
    expect(page.text).toContain(`nobody has checked its name. The answer goes to ${target}.`)
    expect(page.text).toContain(`you go on to ${target} `)
  }
})

test('one client is updated 30 times in an hour', async () => {
  const client = await newClient()
  const update = async (count: number) => {
    const body = { ...METADATA, client_id: client.client_id, client_name: `Reports ${count}` }
    return (await manage('PUT', client, { body })).status
  }
  for (let count = 0; count < 30; count++) expect(await update(count)).toBe(200)
  expect(await update(30)).toBe(429)
  expect((await manage('GET', client)).status).toBe(200)
})

test('a new redirect URI needs a new consent, because the page named the address', async () => {
  const client = await newClient({ scope: 'openid' })
  const cookie = await signIn(url, 'mia@acme.test')
  const { client_id } = client
  const ask = async (redirect_uri: string) => {
    const { response, answer } = await authorize(url, cookie, {
      client_id,
      redirect_uri,
      scope: 'openid',
      tenant: 'acme',
    })
    return answer.code ? 'code' : response.status
  }
  expect(await ask(REDIRECT_URI)).toBe(200)
  const tab = openTab(url, cookie)
  await tab.open(authorizeUrl('', { client_id, redirect_uri: REDIRECT_URI, scope: 'openid', tenant: 'acme' }))
  await tab.submit({ decision: 'allow' })
  expect(await ask(REDIRECT_URI)).toBe('code')
  const update = (redirect_uris: string[]) =>
    manage('PUT', client, { body: { ...METADATA, client_id, scope: 'openid', redirect_uris } })
  await update([REDIRECT_URI])
  expect(await ask(REDIRECT_URI)).toBe('code')
  await update([REDIRECT_URI, 'https://elsewhere.example.com/'])
  expect(await ask('https://elsewhere.example.com/')).toBe(200)
  expect(await ask(REDIRECT_URI)).toBe(200)
})

test('simultaneous updates and deletions end with the client deleted and no error of the service', async () => {
  for (const _ of rounds(20)) {
    const client = await newClient()
    const body = { ...METADATA, client_id: client.client_id }
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => manage(index === 3 ? 'DELETE' : 'PUT', client, { body })),
    )
    for (const { status } of answers) expect([200, 204, 401]).toContain(status)
    expect((await manage('GET', client)).status).toBe(401)
  }
})

test('the audit log names the token, the client and every change', async () => {
  let id = ''
  let client_id = ''
  const entries = await captureEntries(service, async () => {
    const token = await newToken(url)
    id = token.id
    const client = await register(url, {}, token.registrationToken)
    client_id = client.client_id
    await manage('PUT', client, { body: { ...METADATA, client_id, client_name: 'Changed' } })
    await manage('DELETE', client)
    await admin(url, `/api/admin/registration-tokens/${id}`, undefined, 'DELETE')
  })
  const byClient = { actor_kind: 'client', actor_id: client_id }
  expect(entries.filter(({ action }) => /^(?:client|registration_token)\./.test(action))).toMatchObject([
    { action: 'registration_token.created', actor_kind: 'client', actor_id: 'demo-ops' },
    { action: 'client.registered', actor_kind: 'system', details: { registrationTokenId: id } },
    { action: 'client.changed', ...byClient, details: { before: { name: 'Reports' }, after: { name: 'Changed' } } },
    { action: 'client.deleted', ...byClient },
    { action: 'registration_token.revoked' },
  ])
})
