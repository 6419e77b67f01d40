import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminApi, startAdminApi, UNKNOWN_ID } from './admin-api.ts'

let api: AdminApi
beforeAll(async () => {
  api = await startAdminApi()
})
afterAll(() => api.close())

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const newUri = () => `https://api.example.com/${randomUUID()}`
const newDraft = async (fields: object = {}) => ({
  applicationId: await api.newApplication(),
  name: 'Reports',
  uri: newUri(),
  scopes: ['reports:read'],
  ...fields,
})

test('a resource is registered, read, changed and deleted', async () => {
  const [one, other] = [
    await api.newMachine({ clientId: `b-${randomUUID()}x` }),
    await api.newMachine({ clientId: `a-${randomUUID()}x` }),
  ]
  const draft = await newDraft({ name: ' Reports ' })
  const created = await api.call('POST', '/resources', draft)
  const resource = {
    ...draft,
    name: 'Reports',
    id: expect.any(String),
    allowedClients: [],
    allowDynamicClients: false,
    createdAt: TIME,
    updatedAt: TIME,
  }
  expect(created).toEqual({ status: 201, body: resource })
  const path = `/resources/${created.body.id}`
  expect(await api.call('GET', path)).toEqual({ status: 200, body: resource })
  expect(await api.call('GET', `/resources?applicationId=${draft.applicationId}`)).toEqual({
    status: 200,
    body: { resources: [resource], pagination: { page: 1, limit: 20, total: 1, pages: 1 } },
  })
  const change = {
    name: 'Changed',
    scopes: ['reports:read', 'reports:write'],
    allowedClients: [one.clientId, other.clientId],
    uri: newUri(),
    applicationId: UNKNOWN_ID,
  }
  const changed = {
    ...resource,
    name: 'Changed',
    scopes: change.scopes,
    allowedClients: [other.clientId, one.clientId],
  }
  expect(await api.call('PATCH', path, change)).toEqual({ status: 200, body: changed })
  expect(await api.call('PATCH', path, { allowedClients: [one.clientId] })).toEqual({
    status: 200,
    body: { ...changed, allowedClients: [one.clientId] },
  })
  expect(await api.call('POST', '/resources', { ...(await newDraft()), uri: draft.uri })).toMatchObject({
    status: 409,
    body: { error: 'RESOURCE_URI_TAKEN' },
  })
  expect(await api.call('DELETE', path)).toEqual({
    status: 200,
    body: { success: true, message: 'Resource deleted' },
  })
  expect(await api.call('GET', path)).toMatchObject({ status: 404, body: { error: 'RESOURCE_NOT_FOUND' } })
})

test('a repeated creation with the same Idempotency-Key returns the same resource', async () => {
  const draft = await newDraft()
  const headers = { 'Idempotency-Key': randomUUID() }
  const first = await api.call('POST', '/resources', draft, headers)
  expect(first.status).toBe(201)
  expect(await api.call('POST', '/resources', draft, headers)).toEqual(first)
})

test('of 20 registrations of one URI at once, one succeeds', async () => {
  for (let round = 0; round < 3; round++) {
    const draft = await newDraft()
    const replies = await Promise.all(Array.from({ length: 20 }, () => api.call('POST', '/resources', draft)))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ body }) => body.error === 'RESOURCE_URI_TAKEN')).toHaveLength(19)
  }
})

test('the list is searched, filtered, sorted and paged', async () => {
  const applicationId = await api.newApplication()
  const marker = randomUUID()
  for (const name of ['Beta', 'Alpha', 'Gamma'])
    await api.call('POST', '/resources', {
      applicationId,
      name,
      uri: `https://${name}.example.com/${marker}`.toLowerCase(),
    })
  await api.call('POST', '/resources', await newDraft())
  const names = async (query: string) =>
    ((await api.call('GET', `/resources?${query}`)).body as unknown as { resources: { name: string }[] }).resources.map(
      ({ name }) => name,
    )
  const ours = `applicationId=${applicationId}`
  expect(await names(ours)).toEqual(['Beta', 'Alpha', 'Gamma'])
  expect(await names(`${ours}&sort=name`)).toEqual(['Alpha', 'Beta', 'Gamma'])
  expect(await names(`${ours}&sort=-uri&limit=2&page=2`)).toEqual(['Alpha'])
  expect(await names(`search=alpha.example.com/${marker}`)).toEqual(['Alpha'])
  expect(await names('applicationId=nope')).toEqual([])
})

test.each([
  ['http elsewhere', { uri: 'http://api.example.com' }, 'uri'],
  ['a relative URI', { uri: '/reports' }, 'uri'],
  ['a fragment', { uri: 'https://api.example.com/#x' }, 'uri'],
  ['a wildcard', { uri: 'https://*.example.com' }, 'uri'],
  ['a user', { uri: 'https://me@api.example.com' }, 'uri'],
  ['an unusual host', { uri: 'https://127.1/api' }, 'uri'],
  ['another scheme', { uri: 'com.example.app:/api' }, 'uri'],
  ['a urn', { uri: 'urn:example:api' }, 'uri'],
  ['a long URI', { uri: `https://api.example.com/${'x'.repeat(500)}` }, 'uri'],
  ['no URI', { uri: undefined }, 'uri'],
  ['no name', { name: ' ' }, 'name'],
  ['an unknown application', { applicationId: UNKNOWN_ID }, 'applicationId'],
  ['a malformed application', { applicationId: 'nope' }, 'applicationId'],
  ['a scope with a space', { scopes: ['a b'] }, 'scopes.0'],
  ['the scope openid', { scopes: ['reports:read', 'openid'] }, 'scopes.1'],
  ['the scope offline_access', { scopes: ['offline_access'] }, 'scopes.0'],
  ['the scope admin', { scopes: ['admin'] }, 'scopes.0'],
  ['a duplicate scope', { scopes: ['a', 'a'] }, 'scopes.1'],
  ['51 scopes', { scopes: Array.from({ length: 51 }, (_, index) => `s${index}`) }, 'scopes'],
  ['an unknown client', { allowedClients: ['nobody'] }, 'allowedClients.0'],
  ['a malformed client', { allowedClients: ['a b'] }, 'allowedClients.0'],
])('a resource with %s is refused with the name of the field', async (_name, fields, field) => {
  const { status, body } = await api.call('POST', '/resources', await newDraft(fields))
  expect({ status, error: body.error }).toEqual({ status: 422, error: 'VALIDATION_FAILED' })
  expect(body.details.map((detail) => detail.field)).toContain(field)
})

test.each([
  'https://api.example.com',
  'https://api.example.com:8443/mcp?version=2',
  'http://localhost:4000/mcp',
  'http://127.0.0.1/mcp',
])('%s is a valid URI', async (uri) => {
  expect((await api.call('POST', '/resources', await newDraft({ uri }))).status).toBe(201)
})

test('the deletion of its application deletes a resource', async () => {
  const draft = await newDraft()
  const { id } = (await api.call('POST', '/resources', draft)).body
  await api.call('DELETE', `/applications/${draft.applicationId}`)
  expect((await api.call('GET', `/resources/${id}`)).status).toBe(404)
})

test('only administrators see and change resources', async () => {
  const response = await fetch(`${api.url}/api/admin/resources`)
  expect(response.status).toBe(401)
})
