import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminApi, startAdminApi, UNKNOWN_ID } from './admin-api.ts'

let api: AdminApi
beforeAll(async () => {
  api = await startAdminApi()
})
afterAll(() => api.close())

test.each([UNKNOWN_ID, 'nope', '%27%20or%201=1', '-1'])('the unknown id %s is not found', async (id) => {
  const client = await api.newMachine()
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
    ['DELETE', `/registration-tokens/${id}`, 'REGISTRATION_TOKEN_NOT_FOUND'],
    ['GET', `/resources/${id}`, 'RESOURCE_NOT_FOUND'],
    ['PATCH', `/resources/${id}`, 'RESOURCE_NOT_FOUND'],
    ['DELETE', `/resources/${id}`, 'RESOURCE_NOT_FOUND'],
  ] as const) {
    const response = await api.call(method, path, method === 'PATCH' ? { name: 'X' } : undefined)
    expect(response, `${method} ${path}`).toMatchObject({ status: 404, body: { error: code } })
  }
})

test.each([
  ['no name', { name: undefined }, 'name'],
  ['a name of spaces', { name: '  ' }, 'name'],
  ['a name of 121 characters', { name: 'x'.repeat(121) }, 'name'],
  ['a name that is a number', { name: 5 }, 'name'],
  ['a name with NUL', { name: 'a\0b' }, 'name'],
  ['an unknown kind', { kind: 'NATIVE' }, 'kind'],
  ['a malformed application', { applicationId: 'nope' }, 'applicationId'],
  ['an unknown application', { applicationId: UNKNOWN_ID }, 'applicationId'],
  ['an unknown tenant', { kind: 'MACHINE', redirectUris: [], tenantId: UNKNOWN_ID }, 'tenantId'],
  ['a tenant for a WEB client', { tenantId: UNKNOWN_ID }, 'tenantId'],
  ['no redirect URI', { redirectUris: [] }, 'redirectUris'],
  ['redirect URIs left out', { redirectUris: undefined }, 'redirectUris'],
  ['a javascript: redirect URI (T013)', { redirectUris: ['JaVaScRiPt:alert(1)'] }, 'redirectUris.0'],
  [
    'a data: post-logout redirect URI (T013)',
    { postLogoutRedirectUris: ['data:text/html,x'] },
    'postLogoutRedirectUris.0',
  ],
  [
    'fifty-one redirect URIs',
    { redirectUris: Array.from({ length: 51 }, (_, i) => `https://a.example/${i}`) },
    'redirectUris',
  ],
  ['an origin with a path', { allowedOrigins: ['https://a.example/x'] }, 'allowedOrigins.0'],
  ['a scope with a space', { scopes: ['a b'] }, 'scopes.0'],
  ['an unknown PKCE method', { pkceMethods: ['S512'] }, 'pkceMethods.0'],
  ['a duplicate PKCE method', { pkceMethods: ['S256', 'S256'] }, 'pkceMethods.1'],
  ['no PKCE method', { pkceMethods: [] }, 'pkceMethods'],
  ['a client id like a UUID', { clientId: UNKNOWN_ID }, 'clientId'],
  ['an invalid client id', { clientId: 'a b' }, 'clientId'],
  ['a text instead of a boolean', { disabled: 'yes' }, 'disabled'],
])('a client with %s is refused with the name of the field', async (_name, fields, field) => {
  const draft = { kind: 'WEB', name: 'Web', redirectUris: ['https://a.example/cb'] }
  const applicationId = await api.newApplication()
  const { status, body } = await api.call('POST', '/clients', { applicationId, ...draft, ...fields })
  expect([status, body.error]).toEqual([422, 'VALIDATION_FAILED'])
  expect(body.details.map((detail) => detail.field)).toContain(field)
})

test.each([
  ['a slug with capitals', { slug: 'Shop' }],
  ['a lifetime of a second', { accessTokenTtl: 1 }],
  ['a lifetime of a century', { refreshTokenTtl: 3_155_760_000 }],
  ['a fraction of a second', { idTokenTtl: 60.5 }],
  ['an unknown licensing mode', { licensingMode: 'SOMETIMES' }],
])('an application with %s is refused', async (_name, fields) => {
  const refused = { status: 422, body: { error: 'VALIDATION_FAILED' } }
  expect(await api.call('POST', '/applications', { name: 'App', ...fields })).toMatchObject(refused)
  expect(await api.call('PATCH', `/applications/${await api.newApplication()}`, fields)).toMatchObject(refused)
})

test('a change without a known field is refused', async () => {
  const client = await api.newMachine()
  for (const body of [{}, { kind: 'WEB' }, { unknown: 1 }]) {
    expect(await api.call('PATCH', `/clients/${client.id}`, body)).toMatchObject({ status: 422 })
    expect(await api.call('PATCH', `/applications/${await api.newApplication()}`, body)).toMatchObject({
      status: 422,
    })
  }
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
])('a list request with %s gets status %d', async (query, status) => {
  for (const path of ['/applications', '/clients']) {
    const response = await api.call('GET', `${path}?${query}`)
    expect(response.status).toBe(status)
    if (query.startsWith('limit') && status === 200) expect(response.body.pagination).toMatchObject({ limit: 100 })
  }
})

test('an invalid enum value lists the valid ones, and each invalid field is listed once', async () => {
  const { status, body } = await api.call('POST', '/applications', {
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
