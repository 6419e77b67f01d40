import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdminApi, requestToken, startAdminApi, UNKNOWN_ID } from './admin-api.ts'

let api: AdminApi
beforeAll(async () => {
  api = await startAdminApi()
})
afterAll(() => api.close())

const isActive = async (accessToken: string) => {
  const basic = Buffer.from('demo-ops:demo-ops-secret').toString('base64')
  const response = await fetch(`${api.url}/api/oauth/introspect`, {
    method: 'POST',
    headers: { Authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token: accessToken }),
  })
  return ((await response.json()) as { active: boolean }).active
}
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('an application is created, read, changed and deleted', async () => {
  const created = await api.call('POST', '/applications', {
    name: ' Shop ',
    accessTokenTtl: 600,
    owner: 'me',
  })
  const application = {
    id: expect.any(String),
    name: 'Shop',
    slug: 'shop',
    trusted: true,
    emailCodes: false,
    signingAlgorithm: 'RS256',
    licensingMode: 'PER_SEAT',
    accessTokenTtl: 600,
    idTokenTtl: null,
    refreshTokenIdleTtl: null,
    refreshTokenTtl: null,
    createdAt: TIME,
    updatedAt: TIME,
  }
  expect(created).toEqual({ status: 201, body: application })
  const path = `/applications/${created.body.id}`
  expect(await api.call('GET', path)).toEqual({ status: 200, body: application })
  const change = { name: 'Store', slug: 'store', trusted: false, licensingMode: 'FREE', accessTokenTtl: null }
  expect(await api.call('PATCH', path, change)).toMatchObject({ status: 200, body: change })
  expect(await api.call('DELETE', path)).toEqual({
    status: 200,
    body: { success: true, message: 'Application deleted' },
  })
  for (const method of ['GET', 'DELETE'])
    expect(await api.call(method, path)).toMatchObject({
      status: 404,
      body: { error: 'APPLICATION_NOT_FOUND' },
    })
})

test('a client is registered with its secret, which is never shown again', async () => {
  const applicationId = await api.newApplication()
  const draft = {
    applicationId,
    clientId: 'chosen-id',
    kind: 'WEB',
    name: 'Web',
    redirectUris: ['https://app.example.com/cb'],
    scopes: ['openid', 'invoices:read'],
    pkceMethods: ['S256'],
    responseModes: ['query'],
    requirePushedRequests: false,
    requireSignedRequests: false,
    requireDpop: false,
    tokenEndpointAuthMethod: 'client_secret',
    jwks: null,
    jwksUri: null,
    backchannelLogoutUri: null,
  }
  const created = await api.call('POST', '/clients', draft)
  const client = {
    ...draft,
    id: expect.any(String),
    origin: 'ADMIN',
    postLogoutRedirectUris: [],
    allowedOrigins: [],
    tenantId: null,
    requireNonce: true,
    userinfoInIdToken: true,
    deviceFlow: false,
    tokenExchange: false,
    securityProfile: 'NONE',
    disabled: false,
    secrets: [{ id: expect.any(String), createdAt: TIME }],
    createdAt: TIME,
    updatedAt: TIME,
  }
  expect(created).toEqual({ status: 201, body: { ...client, clientSecret: expect.stringMatching(/^lks_/) } })
  const path = `/clients/${created.body.id}`
  expect(await api.call('GET', path)).toEqual({ status: 200, body: client })
  expect(await api.call('GET', `/clients?applicationId=${applicationId}`)).toEqual({
    status: 200,
    body: { clients: [client], pagination: { page: 1, limit: 20, total: 1, pages: 1 } },
  })
  const change = {
    name: 'Changed',
    requireNonce: false,
    kind: 'SPA',
    clientId: 'other',
    tenantId: UNKNOWN_ID,
  }
  expect(await api.call('PATCH', path, change)).toEqual({
    status: 200,
    body: { ...client, name: 'Changed', requireNonce: false },
  })
  expect(await api.call('POST', '/clients', draft)).toMatchObject({
    status: 409,
    body: { error: 'CLIENT_ID_TAKEN' },
  })
  expect(await api.call('DELETE', path)).toEqual({
    status: 200,
    body: { success: true, message: 'Client deleted' },
  })
  expect(await api.call('GET', path)).toMatchObject({ status: 404, body: { error: 'CLIENT_NOT_FOUND' } })
})

test('the clientSecret of a new SPA is null', async () => {
  const draft = {
    applicationId: await api.newApplication(),
    kind: 'SPA',
    name: 'SPA',
    redirectUris: ['com.example.app:/cb'],
  }
  expect(await api.call('POST', '/clients', draft)).toMatchObject({
    status: 201,
    body: { clientSecret: null, secrets: [] },
  })
})

describe('tokens are revoked before the response', () => {
  const obtainToken = async () => {
    const client = await api.newMachine({ scopes: ['a'] })
    const { access_token = '' } = await requestToken(api.url, client.clientId, client.clientSecret)
    expect(await isActive(access_token)).toBe(true)
    return { client, access_token, path: `/clients/${client.id}` }
  }

  test('when their secret is revoked, while tokens of the other secret stay valid (T064)', async () => {
    const { client, access_token, path } = await obtainToken()
    const second = await api.call('POST', `${path}/secrets`)
    expect(second).toEqual({
      status: 201,
      body: { id: expect.any(String), clientSecret: expect.stringMatching(/^lks_/), createdAt: TIME },
    })
    expect(await api.call('POST', `${path}/secrets`)).toMatchObject({
      status: 409,
      body: { error: 'TOO_MANY_SECRETS' },
    })
    const fresh = await requestToken(api.url, client.clientId, second.body.clientSecret ?? '')
    expect(await api.call('DELETE', `${path}/secrets/${client.secrets[0]?.id}`)).toEqual({
      status: 200,
      body: { success: true, message: 'Secret ended' },
    })
    expect(await requestToken(api.url, client.clientId, client.clientSecret)).toMatchObject({
      error: 'invalid_client',
    })
    expect(await isActive(access_token)).toBe(false)
    expect(await isActive(fresh.access_token ?? '')).toBe(true)
  })
})

test('callers who are not administrators are refused before anything is looked up', async () => {
  const tenantMachine = (await requestToken(api.url, 'demo-machine', 'demo-machine-secret')).access_token
  for (const [method, path] of [
    ['GET', '/applications'],
    ['POST', '/clients'],
    ['PATCH', `/clients/${UNKNOWN_ID}`],
    ['DELETE', '/applications/nope'],
    ['POST', `/clients/${UNKNOWN_ID}/secrets`],
  ] as const) {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    const attempt = (authorization: string) => api.call(method, path, body, { Authorization: authorization })
    expect(await attempt(`Bearer ${tenantMachine}`)).toMatchObject({
      status: 403,
      body: { error: 'FORBIDDEN' },
    })
    expect(await attempt('Bearer nonsense')).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } })
  }
})

test('only one of several concurrent creations and changes gets a slug', async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, () => api.newApplication()))
  const answers = await Promise.all([
    ...ids.map((id) => api.call('PATCH', `/applications/${id}`, { slug: 'contested' })),
    ...ids.map(() => api.call('POST', '/applications', { name: 'X', slug: 'contested' })),
  ])
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
  expect(answers.filter(({ status, body }) => status === 409 && body.error === 'SLUG_TAKEN')).toHaveLength(7)
})

test('repeated registrations with the same Idempotency-Key create one client and return the same secret', async () => {
  const draft = { applicationId: await api.newApplication(), kind: 'MACHINE', name: 'Once' }
  const post = (body: object, key: string) => api.call('POST', '/clients', body, { 'Idempotency-Key': key })
  const [first, ...others] = await Promise.all(Array.from({ length: 4 }, () => post(draft, 'once')))
  expect(first?.status).toBe(201)
  for (const other of others) expect(other).toEqual(first)
  const { body } = await api.call('GET', `/clients?applicationId=${draft.applicationId}`)
  expect(body.pagination).toMatchObject({ total: 1 })
  expect(await post({ ...draft, name: 'Other' }, 'once')).toMatchObject({
    status: 422,
    body: { error: 'IDEMPOTENCY_KEY_REUSED' },
  })
  expect(await post(draft, 'x'.repeat(256))).toMatchObject({
    status: 422,
    body: { error: 'VALIDATION_FAILED' },
  })
  const bad = { ...draft, applicationId: UNKNOWN_ID }
  const [once, again] = [await post(bad, 'refused'), await post(bad, 'refused')]
  expect(once.status).toBe(422)
  expect({ ...again.body, requestId: '' }).toEqual({ ...once.body, requestId: '' })
})

test('a refused body is stored for its Idempotency-Key too', async () => {
  const headers = { 'Idempotency-Key': 'refused body' }
  const refused = await api.call('POST', '/clients', { name: 'x' }, headers)
  expect(refused.status).toBe(422)
  expect((await api.call('POST', '/clients', { name: 'x' }, headers)).body.details).toEqual(refused.body.details)
  expect((await api.call('POST', '/clients', { name: 'y' }, headers)).body.error).toBe('IDEMPOTENCY_KEY_REUSED')
})
