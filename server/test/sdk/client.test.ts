import { createClient } from 'latchkey-sdk'
import { LatchkeyError } from 'latchkey-sdk/error'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generate, readDescription, readTypes } from '../../../sdk/bin/generate.mjs'
import type { TestService } from '../support/service.ts'
import { findIds, machineToken, obtainTokens, signIn, startWorld } from '../support/world.ts'

let service: TestService
let tenantId: string
beforeAll(async () => {
  service = await startWorld()
  tenantId = (await findIds(service, 'olivia@acme.test', 'acme')).tenantId
})
afterAll(() => service?.close())

const clientOf = async (email: string) => {
  const { access_token } = await obtainTokens(service.url, await signIn(service.url, email))
  return createClient({ baseUrl: `${service.url}/`, token: () => access_token })
}
const refusal = (work: Promise<unknown>): Promise<LatchkeyError> =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error) => error,
  )

test('the types are those of the API as it is described', () => {
  expect(readTypes()).toBe(generate(readDescription()))
})

test('a route is called by its name, with what it takes, and answers what it says', async () => {
  const client = await clientOf('olivia@acme.test')
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

test('a route that takes a form is sent one', async () => {
  const { access_token } = await obtainTokens(service.url, await signIn(service.url, 'mia@acme.test'))
  const anybody = createClient({ baseUrl: service.url })
  const reply = await anybody.call('POST /api/oauth/revoke', {
    body: { token: access_token, client_id: 'demo-spa' },
  })
  expect(reply).toEqual({ success: true })
  const dead = createClient({ baseUrl: service.url, token: () => access_token })
  expect(await refusal(dead.call('GET /api/users/me', {}))).toMatchObject({ status: 401 })
  const machine = await anybody.call('POST /api/oauth/token', {
    body: {
      grant_type: 'client_credentials',
      client_id: 'demo-machine',
      client_secret: 'demo-machine-secret',
    },
  })
  expect(machine.token_type).toBe('Bearer')
})

test('a refusal is an error with the code, the sentence, the fields and the number of the request', async () => {
  const client = await clientOf('mia@acme.test')
  const forbidden = await refusal(
    client.call('PATCH /api/tenants/{id}', { path: { id: tenantId }, body: { name: 'Mine' } }),
  )
  expect(forbidden).toBeInstanceOf(LatchkeyError)
  expect(forbidden).toMatchObject({ status: 403, code: 'FORBIDDEN', fields: [] })
  expect(forbidden.requestId).toMatch(/^[\w-]+$/)
  const invalid = await refusal(client.call('PATCH /api/users/me', { body: { zoneinfo: 'Nowhere/Land' } }))
  expect(invalid).toMatchObject({ status: 422, code: 'VALIDATION_FAILED', fields: [{ field: 'zoneinfo' }] })
  const nobody = await refusal(createClient({ baseUrl: service.url }).call('GET /api/users/me', {}))
  expect(nobody).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
})

test('what stands in an address cannot lead to another', async () => {
  const client = await clientOf('olivia@acme.test')
  const error = await refusal(client.call('GET /api/tenants/{id}', { path: { id: '../users/me' } }))
  expect(error).toMatchObject({ status: 404, code: 'TENANT_NOT_FOUND' })
  for (const id of ['', '.', '..']) {
    expect(await refusal(client.call('GET /api/tenants/{id}', { path: { id } }))).toBeInstanceOf(TypeError)
  }
})

test('a repeated request with the same key is done once', async () => {
  const access_token = await machineToken(service.url, 'demo-ops')
  const client = createClient({ baseUrl: service.url, token: async () => access_token })
  const application = await client.call('POST /api/admin/applications', { body: { name: 'Once' } })
  const draft = {
    body: { applicationId: application.id, kind: 'MACHINE' as const, name: 'Once', scopes: ['admin'] },
    idempotencyKey: 'once-and-only-once',
  }
  const made = await client.call('POST /api/admin/clients', draft)
  expect(await client.call('POST /api/admin/clients', draft)).toEqual(made)
})

test('what is no JSON is text', async () => {
  const access_token = await machineToken(service.url, 'demo-ops')
  const client = createClient({ baseUrl: service.url, token: () => access_token })
  const csv = await client.call('GET /api/admin/audit/export', { query: { format: 'csv' } })
  expect(csv.split('\n')[0]).toContain('occurredAt')
})

test('a service that cannot be reached is an error of the connection, and none of ours', async () => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1' })
  expect(await refusal(client.call('GET /api/users/me', {}))).toBeInstanceOf(TypeError)
})
