import { afterAll, beforeAll, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { writeExport } from '../../src/declaration/export.ts'
import { createPlan } from '../../src/declaration/plan.ts'
import { call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, startDemoService } from '../support/world.ts'

// The console is a built-in application: users sign in to it like to any other, but operators cannot see or change it.

let service: TestService
let headers: { authorization: string }
let ids: { application: string; client: string }
beforeAll(async () => {
  service = await startDemoService()
  headers = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
  const { id, application_id } = await service.ctx.db
    .selectFrom('clients')
    .select(['id', 'application_id'])
    .where('client_id', '=', 'latchkey-console')
    .executeTakeFirstOrThrow()
  ids = { application: application_id, client: id }
})
afterAll(() => service?.close())

const ask = (method: string, path: string, body?: object) =>
  call(`${service.url}/api/admin/${path}`, { method, headers, ...(body && { body }) })

test('the built-in application is in no list and no total', async () => {
  const { body } = await ask('GET', 'applications?limit=100')
  expect(JSON.stringify(body)).not.toContain('console')
  expect((body as { pagination: { total: number } }).pagination.total).toBe(1)
  const clients = await ask('GET', 'clients?limit=100')
  expect(JSON.stringify(clients.body)).not.toContain('console')
  expect((clients.body as { pagination: { total: number } }).pagination.total).toBe(4)
})

test('the built-in application cannot be read, changed or deleted, or get clients, secrets or license types', async () => {
  const { application, client } = ids
  const responses = await Promise.all([
    ask('GET', `applications/${application}`),
    ask('PATCH', `applications/${application}`, { name: 'Mine' }),
    ask('DELETE', `applications/${application}`),
    ask('GET', `clients/${client}`),
    ask('PATCH', `clients/${client}`, { redirectUris: ['https://evil.test/'] }),
    ask('DELETE', `clients/${client}`),
    ask('POST', `clients/${client}/secrets`),
    ask('POST', 'clients', {
      applicationId: application,
      kind: 'SPA',
      name: 'Mine',
      redirectUris: ['https://evil.test/'],
    }),
    ask('GET', `applications/${application}/branding`),
    ask('PUT', `applications/${application}/branding`, { displayName: 'Mine', color: null, logo: null }),
  ])
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404, 422, 404, 404])
  const type = await call(`${service.url}/api/licensing/license-types`, {
    method: 'POST',
    headers,
    body: { applicationId: application, name: 'Gold', slug: 'gold' },
  })
  expect(type).toMatchObject({ status: 400, body: { error: 'INVALID_APPLICATION_ID' } })
})

test('the slug of the built-in application cannot be used', async () => {
  expect(await ask('POST', 'applications', { name: 'Mine', slug: 'latchkey-console' })).toMatchObject({
    status: 409,
    body: { error: 'SLUG_TAKEN' },
  })
})

test('declarations neither export nor delete the built-in application', async () => {
  let text = ''
  await writeExport(service.ctx, sections, {
    withSecrets: true,
    async write(part) {
      text += part
    },
  })
  expect(text).toContain('project-manager')
  expect(text).not.toContain('console')
  const declaration = { applications: [], clients: [] }
  const { changes } = await createPlan(service.ctx, sections, { declaration, prune: true })
  const subjects = changes.map(({ subject }) => subject)
  expect(subjects).toContain('application project-manager')
  expect(subjects.join()).not.toContain('console')
})
