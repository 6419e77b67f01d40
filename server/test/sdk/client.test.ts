import { createClient } from '@latchkey/client'
import { LatchkeyError } from '@latchkey/client/error'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generate, readDescription, readTypes } from '../../../sdk/client/bin/generate.mjs'
import type { TestService } from '../support/service.ts'
import { findIds, machineToken, obtainTokens, signIn, startDemoService } from '../support/world.ts'

let service: TestService
let tenantId: string
beforeAll(async () => {
  service = await startDemoService()
  tenantId = (await findIds(service, 'olivia@acme.test', 'acme')).tenantId
})
afterAll(() => service?.close())

const createClientFor = async (email: string) => {
  const { access_token } = await obtainTokens(service.url, await signIn(service.url, email))
  return createClient({ baseUrl: `${service.url}/`, token: () => access_token })
}
const expectError = (request: Promise<unknown>): Promise<LatchkeyError> =>
  request.then(
    () => expect.unreachable('the request succeeded'),
    (error) => error,
  )

test('the generated types match docs/openapi.json', () => {
  expect(readTypes()).toBe(generate(readDescription()))
})

test('a call sends path, query and body and returns the reply', async () => {
  const client = await createClientFor('olivia@acme.test')
  const { members, pagination } = await client.call('GET /api/tenants/{id}/members', {
    path: { id: tenantId },
    query: { role: 'member', limit: 1 },
  })
  expect(members.map(({ role }) => role)).toEqual(['member'])
  expect(pagination.total).toBe(2)
  const { name } = await client.call('PATCH /api/tenants/{id}', {
    path: { id: tenantId },
    body: { name: 'Acme & Co' },
  })
  expect(name).toBe('Acme & Co')
})

test('a form route is called with a form-encoded body', async () => {
  const { access_token } = await obtainTokens(service.url, await signIn(service.url, 'mia@acme.test'))
  const anonymous = createClient({ baseUrl: service.url })
  const reply = await anonymous.call('POST /api/oauth/revoke', {
    body: { token: access_token, client_id: 'demo-spa' },
  })
  expect(reply).toEqual({ success: true })
  const revoked = createClient({ baseUrl: service.url, token: () => access_token })
  expect(await expectError(revoked.call('GET /api/users/me', {}))).toMatchObject({ status: 401 })
  const machine = await anonymous.call('POST /api/oauth/token', {
    body: {
      grant_type: 'client_credentials',
      client_id: 'demo-machine',
      client_secret: 'demo-machine-secret',
    },
  })
  expect(machine.token_type).toBe('Bearer')
})

test('an error response throws a LatchkeyError with code, message, fields and request id', async () => {
  const client = await createClientFor('mia@acme.test')
  const forbidden = await expectError(
    client.call('PATCH /api/tenants/{id}', { path: { id: tenantId }, body: { name: 'Mine' } }),
  )
  expect(forbidden).toBeInstanceOf(LatchkeyError)
  expect(forbidden).toMatchObject({ status: 403, code: 'FORBIDDEN', fields: [] })
  expect(forbidden.requestId).toMatch(/^[\w-]+$/)
  const invalid = await expectError(client.call('PATCH /api/users/me', { body: { zoneinfo: 'Nowhere/Land' } }))
  expect(invalid).toMatchObject({ status: 422, code: 'VALIDATION_FAILED', fields: [{ field: 'zoneinfo' }] })
  const unauthorized = await expectError(createClient({ baseUrl: service.url }).call('GET /api/users/me', {}))
  expect(unauthorized).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
})

test('a path parameter cannot change the route', async () => {
  const client = await createClientFor('olivia@acme.test')
  const error = await expectError(client.call('GET /api/tenants/{id}', { path: { id: '../users/me' } }))
  expect(error).toMatchObject({ status: 404, code: 'TENANT_NOT_FOUND' })
  for (const id of ['', '.', '..']) {
    expect(await expectError(client.call('GET /api/tenants/{id}', { path: { id } }))).toBeInstanceOf(TypeError)
  }
})

test('a request with the same idempotency key runs once', async () => {
  const access_token = await machineToken(service.url, 'demo-ops')
  const client = createClient({ baseUrl: service.url, token: async () => access_token })
  const application = await client.call('POST /api/admin/applications', { body: { name: 'Once' } })
  const draft = {
    body: { applicationId: application.id, kind: 'MACHINE' as const, name: 'Once', scopes: ['admin'] },
    idempotencyKey: 'once-and-only-once',
  }
  const created = await client.call('POST /api/admin/clients', draft)
  expect(await client.call('POST /api/admin/clients', draft)).toEqual(created)
})

test('a response that is not JSON is returned as text', async () => {
  const access_token = await machineToken(service.url, 'demo-ops')
  const client = createClient({ baseUrl: service.url, token: () => access_token })
  const csv = await client.call('GET /api/admin/audit/export', { query: { format: 'csv' } })
  expect(csv.split('\n')[0]).toContain('occurredAt')
})

test('an unreachable service throws a TypeError and not a LatchkeyError', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1' })
  expect(await expectError(client.call('GET /api/users/me', {}))).toBeInstanceOf(TypeError)
})
