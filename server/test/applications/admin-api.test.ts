import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'

let service: TestService
let administrator: string
beforeAll(async () => {
  service = await startWorld()
  administrator = (await token('demo-ops', 'demo-ops-secret')).access_token ?? ''
})
afterAll(() => service.close())

interface Answer {
  status: number
  // The answers of many routes: the tests say what they expect of them.
  body: Record<string, never> & { id: string; error: string; details: { field: string }[] }
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${service.url}/api/admin${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${administrator}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}
async function token(id: string, secret: string): Promise<{ access_token?: string; error?: string }> {
  const response = await fetch(`${service.url}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
  })
  return (await response.json()) as { access_token?: string; error?: string }
}
const isActive = async (accessToken: string) => {
  const basic = Buffer.from('demo-ops:demo-ops-secret').toString('base64')
  const response = await fetch(`${service.url}/api/oauth/introspect`, {
    method: 'POST',
    headers: { Authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token: accessToken }),
  })
  return ((await response.json()) as { active: boolean }).active
}
const newApplication = async () => (await call('POST', '/applications', { name: 'App' })).body.id
const machine = async (fields: object = {}) => {
  const draft = { applicationId: await newApplication(), kind: 'MACHINE', name: 'Machine', ...fields }
  return (await call('POST', '/clients', draft)).body as unknown as Record<
    'id' | 'clientId' | 'clientSecret',
    string
  > & {
    secrets: { id: string }[]
  }
}
const NOBODY = '0197a2b0-7d5c-7000-8000-00000000abcd'
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('an application is made, shown, changed and deleted', async () => {
  const made = await call('POST', '/applications', { name: ' Shop ', accessTokenTtl: 600, owner: 'me' })
  const application = {
    id: expect.any(String),
    name: 'Shop',
    slug: 'shop',
    trusted: true,
    licensingMode: 'PER_SEAT',
    accessTokenTtl: 600,
    idTokenTtl: null,
    refreshTokenIdleTtl: null,
    refreshTokenTtl: null,
    createdAt: TIME,
    updatedAt: TIME,
  }
  expect(made).toEqual({ status: 201, body: application })
  const path = `/applications/${made.body.id}`
  expect(await call('GET', path)).toEqual({ status: 200, body: application })
  const change = { name: 'Store', slug: 'store', trusted: false, licensingMode: 'FREE', accessTokenTtl: null }
  expect(await call('PATCH', path, change)).toMatchObject({ status: 200, body: change })
  expect(await call('DELETE', path)).toEqual({
    status: 200,
    body: { success: true, message: 'Application deleted' },
  })
  for (const method of ['GET', 'DELETE'])
    expect(await call(method, path)).toMatchObject({ status: 404, body: { error: 'APPLICATION_NOT_FOUND' } })
})

test('a client is registered with its secret, which is never shown again', async () => {
  const applicationId = await newApplication()
  const draft = {
    applicationId,
    clientId: 'chosen-id',
    kind: 'WEB',
    name: 'Web',
    redirectUris: ['https://app.example.com/cb'],
    scopes: ['openid', 'invoices:read'],
    pkceMethods: ['S256'],
  }
  const made = await call('POST', '/clients', draft)
  const client = {
    ...draft,
    id: expect.any(String),
    postLogoutRedirectUris: [],
    allowedOrigins: [],
    tenantId: null,
    requireNonce: true,
    disabled: false,
    secrets: [{ id: expect.any(String), createdAt: TIME }],
    createdAt: TIME,
    updatedAt: TIME,
  }
  expect(made).toEqual({ status: 201, body: { ...client, clientSecret: expect.stringMatching(/^lks_/) } })
  const path = `/clients/${made.body.id}`
  expect(await call('GET', path)).toEqual({ status: 200, body: client })
  expect(await call('GET', `/clients?applicationId=${applicationId}`)).toEqual({
    status: 200,
    body: { clients: [client], pagination: { page: 1, limit: 20, total: 1, pages: 1 } },
  })
  const change = { name: 'Changed', requireNonce: false, kind: 'SPA', clientId: 'other', tenantId: NOBODY }
  expect(await call('PATCH', path, change)).toEqual({
    status: 200,
    body: { ...client, name: 'Changed', requireNonce: false },
  })
  expect(await call('POST', '/clients', draft)).toMatchObject({
    status: 409,
    body: { error: 'CLIENT_ID_TAKEN' },
  })
  expect(await call('DELETE', path)).toEqual({
    status: 200,
    body: { success: true, message: 'Client deleted' },
  })
  expect(await call('GET', path)).toMatchObject({ status: 404, body: { error: 'CLIENT_NOT_FOUND' } })
})

test('an SPA is answered a clientSecret of null', async () => {
  const draft = {
    applicationId: await newApplication(),
    kind: 'SPA',
    name: 'SPA',
    redirectUris: ['com.example.app:/cb'],
  }
  expect(await call('POST', '/clients', draft)).toMatchObject({
    status: 201,
    body: { clientSecret: null, secrets: [] },
  })
})

describe('what ends a client ends its tokens, before the answer', () => {
  const begin = async () => {
    const client = await machine({ scopes: ['a'] })
    const { access_token = '' } = await token(client.clientId, client.clientSecret)
    expect(await isActive(access_token)).toBe(true)
    return { client, access_token, path: `/clients/${client.id}` }
  }

  test('ending the secret, while the new one works on (T064)', async () => {
    const { client, access_token, path } = await begin()
    const second = await call('POST', `${path}/secrets`)
    expect(second).toEqual({
      status: 201,
      body: { id: expect.any(String), clientSecret: expect.stringMatching(/^lks_/), createdAt: TIME },
    })
    expect(await call('POST', `${path}/secrets`)).toMatchObject({
      status: 409,
      body: { error: 'TOO_MANY_SECRETS' },
    })
    const fresh = await token(client.clientId, second.body.clientSecret ?? '')
    expect(await call('DELETE', `${path}/secrets/${client.secrets[0]?.id}`)).toEqual({
      status: 200,
      body: { success: true, message: 'Secret ended' },
    })
    expect(await token(client.clientId, client.clientSecret)).toMatchObject({ error: 'invalid_client' })
    expect(await isActive(access_token)).toBe(false)
    expect(await isActive(fresh.access_token ?? '')).toBe(true)
  })
})

test('who is not an administrator learns nothing', async () => {
  const tenantMachine = (await token('demo-machine', 'demo-machine-secret')).access_token
  for (const [method, path] of [
    ['GET', '/applications'],
    ['POST', '/clients'],
    ['PATCH', `/clients/${NOBODY}`],
    ['DELETE', '/applications/nope'],
    ['POST', `/clients/${NOBODY}/secrets`],
  ] as const) {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    const attempt = (authorization: string) => call(method, path, body, { Authorization: authorization })
    expect(await attempt(`Bearer ${tenantMachine}`)).toMatchObject({
      status: 403,
      body: { error: 'FORBIDDEN' },
    })
    expect(await attempt('Bearer nonsense')).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } })
  }
})

test.each([NOBODY, 'nope', '%27%20or%201=1', '-1'])('the id %s names nothing', async (id) => {
  const client = await machine()
  for (const [method, path, code] of [
    ['GET', `/applications/${id}`, 'APPLICATION_NOT_FOUND'],
    ['PATCH', `/applications/${id}`, 'APPLICATION_NOT_FOUND'],
    ['DELETE', `/applications/${id}`, 'APPLICATION_NOT_FOUND'],
    ['GET', `/clients/${id}`, 'CLIENT_NOT_FOUND'],
    ['PATCH', `/clients/${id}`, 'CLIENT_NOT_FOUND'],
    ['DELETE', `/clients/${id}`, 'CLIENT_NOT_FOUND'],
    ['POST', `/clients/${id}/secrets`, 'CLIENT_NOT_FOUND'],
    ['DELETE', `/clients/${id}/secrets/${id}`, 'CLIENT_NOT_FOUND'],
    ['DELETE', `/clients/${client.id}/secrets/${id}`, 'SECRET_NOT_FOUND'],
  ] as const) {
    const answer = await call(method, path, method === 'PATCH' ? { name: 'X' } : undefined)
    expect(answer, `${method} ${path}`).toMatchObject({ status: 404, body: { error: code } })
  }
})

test.each([
  ['no name', { name: undefined }, 'name'],
  ['a name of spaces', { name: '  ' }, 'name'],
  ['a name of 121 characters', { name: 'x'.repeat(121) }, 'name'],
  ['a name that is no text', { name: 5 }, 'name'],
  ['a name with NUL', { name: 'a\0b' }, 'name'],
  ['an unknown kind', { kind: 'NATIVE' }, 'kind'],
  ['a malformed application', { applicationId: 'nope' }, 'applicationId'],
  ['an unknown application', { applicationId: NOBODY }, 'applicationId'],
  ['an unknown tenant', { kind: 'MACHINE', redirectUris: [], tenantId: NOBODY }, 'tenantId'],
  ['a tenant for a WEB client', { tenantId: NOBODY }, 'tenantId'],
  ['no redirect address', { redirectUris: [] }, 'redirectUris'],
  ['redirect addresses left out', { redirectUris: undefined }, 'redirectUris'],
  ['a redirect address that is script (T013)', { redirectUris: ['JaVaScRiPt:alert(1)'] }, 'redirectUris.0'],
  [
    'a post-logout address that is data (T013)',
    { postLogoutRedirectUris: ['data:text/html,x'] },
    'postLogoutRedirectUris.0',
  ],
  [
    'fifty-one addresses',
    { redirectUris: Array.from({ length: 51 }, (_, i) => `https://a.example/${i}`) },
    'redirectUris',
  ],
  ['an origin with a path', { allowedOrigins: ['https://a.example/x'] }, 'allowedOrigins.0'],
  ['a scope with a space', { scopes: ['a b'] }, 'scopes.0'],
  ['a PKCE method we do not know', { pkceMethods: ['S512'] }, 'pkceMethods.0'],
  ['a PKCE method twice', { pkceMethods: ['S256', 'S256'] }, 'pkceMethods.1'],
  ['no PKCE method', { pkceMethods: [] }, 'pkceMethods'],
  ['a client id like a UUID', { clientId: NOBODY }, 'clientId'],
  ['an odd client id', { clientId: 'a b' }, 'clientId'],
  ['yes for true', { disabled: 'yes' }, 'disabled'],
])('a client with %s is refused, and the field is named', async (_name, fields, field) => {
  const draft = { kind: 'WEB', name: 'Web', redirectUris: ['https://a.example/cb'] }
  const applicationId = await newApplication()
  const { status, body } = await call('POST', '/clients', { applicationId, ...draft, ...fields })
  expect([status, body.error]).toEqual([422, 'VALIDATION_FAILED'])
  expect(body.details.map((detail) => detail.field)).toContain(field)
})

test.each([
  ['a slug with capitals', { slug: 'Shop' }],
  ['a lifetime of a second', { accessTokenTtl: 1 }],
  ['a lifetime of a century', { refreshTokenTtl: 3_155_760_000 }],
  ['half a second', { idTokenTtl: 60.5 }],
  ['a licensing mode we do not know', { licensingMode: 'SOMETIMES' }],
])('an application with %s is refused', async (_name, fields) => {
  const refused = { status: 422, body: { error: 'VALIDATION_FAILED' } }
  expect(await call('POST', '/applications', { name: 'App', ...fields })).toMatchObject(refused)
  expect(await call('PATCH', `/applications/${await newApplication()}`, fields)).toMatchObject(refused)
})

test('a change that names nothing is refused', async () => {
  const client = await machine()
  for (const body of [{}, { kind: 'WEB' }, { unknown: 1 }]) {
    expect(await call('PATCH', `/clients/${client.id}`, body)).toMatchObject({ status: 422 })
    expect(await call('PATCH', `/applications/${await newApplication()}`, body)).toMatchObject({
      status: 422,
    })
  }
})

test('a slug goes to exactly one of those who want it at once, by making or by changing', async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, newApplication))
  const answers = await Promise.all([
    ...ids.map((id) => call('PATCH', `/applications/${id}`, { slug: 'contested' })),
    ...ids.map(() => call('POST', '/applications', { name: 'X', slug: 'contested' })),
  ])
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
  expect(answers.filter(({ status, body }) => status === 409 && body.error === 'SLUG_TAKEN')).toHaveLength(7)
})

test.each([
  ['page=0', 422],
  ['page=-1', 422],
  ['page=x', 422],
  ['page=1.5', 422],
  ['limit=0', 422],
  ['limit=-5', 422],
  ['limit=', 422],
  ['limit=ten', 422],
  ['limit=101', 200],
  ['limit=1000000000', 200],
  ['page=1000000', 200],
])('a list asked for with %s is answered %d', async (query, status) => {
  for (const path of ['/applications', '/clients']) {
    const answer = await call('GET', `${path}?${query}`)
    expect(answer.status).toBe(status)
    if (query.startsWith('limit') && status === 200)
      expect(answer.body.pagination).toMatchObject({ limit: 100 })
  }
})

test('a repeated registration with the same Idempotency-Key is done once and shows the same secret', async () => {
  const draft = { applicationId: await newApplication(), kind: 'MACHINE', name: 'Once' }
  const post = (body: object, key: string) => call('POST', '/clients', body, { 'Idempotency-Key': key })
  const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => post(draft, 'once')))
  expect(first?.status).toBe(201)
  for (const other of others) expect(other).toEqual(first)
  const { body } = await call('GET', `/clients?applicationId=${draft.applicationId}`)
  expect(body.pagination).toMatchObject({ total: 1 })
  expect(await post({ ...draft, name: 'Other' }, 'once')).toMatchObject({
    status: 422,
    body: { error: 'IDEMPOTENCY_KEY_REUSED' },
  })
  expect(await post(draft, 'x'.repeat(256))).toMatchObject({
    status: 422,
    body: { error: 'VALIDATION_FAILED' },
  })
  const bad = { ...draft, applicationId: NOBODY }
  const [once, again] = [await post(bad, 'refused'), await post(bad, 'refused')]
  expect(once.status).toBe(422)
  expect({ ...again.body, requestId: '' }).toEqual({ ...once.body, requestId: '' })
})

test('a refused choice names what may be chosen, and a refused field stands in the details once', async () => {
  const { status, body } = await call('POST', '/applications', {
    name: 'Choices',
    licensingMode: 'SOME',
    accessTokenTtl: 1,
  })
  expect(status).toBe(422)
  expect(body.details).toEqual([
    { field: 'licensingMode', message: 'must be PER_SEAT, TENANT_WIDE or FREE' },
    { field: 'accessTokenTtl', message: 'must be >= 60' },
  ])
})

test('a refused body is the answer to its Idempotency-Key too', async () => {
  const headers = { 'Idempotency-Key': 'refused body' }
  const refused = await call('POST', '/clients', { name: 'x' }, headers)
  expect(refused.status).toBe(422)
  expect((await call('POST', '/clients', { name: 'x' }, headers)).body.details).toEqual(refused.body.details)
  expect((await call('POST', '/clients', { name: 'y' }, headers)).body.error).toBe('IDEMPOTENCY_KEY_REUSED')
})
