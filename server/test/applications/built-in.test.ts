import { afterAll, beforeAll, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { writeExport } from '../../src/declaration/export.ts'
import { makePlan } from '../../src/declaration/plan.ts'
import { call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, startWorld } from '../support/world.ts'

// The console is an application like any other to those who sign in, and none of theirs to those who run the instance.

let service: TestService
let headers: { authorization: string }
let ids: { application: string; client: string }
beforeAll(async () => {
  service = await startWorld()
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

test('it is in no list and no total', async () => {
  const { body } = await ask('GET', 'applications?limit=100')
  expect(JSON.stringify(body)).not.toContain('console')
  expect((body as { pagination: { total: number } }).pagination.total).toBe(1)
  const clients = await ask('GET', 'clients?limit=100')
  expect(JSON.stringify(clients.body)).not.toContain('console')
  expect((clients.body as { pagination: { total: number } }).pagination.total).toBe(4)
})

test('nobody reads, changes or deletes it, or gives it clients, secrets or licence types', async () => {
  const { application, client } = ids
  const codes = await Promise.all([
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
  expect(codes.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404, 422, 404, 404])
  const type = await call(`${service.url}/api/licensing/license-types`, {
    ...{ method: 'POST', headers },
    body: { applicationId: application, name: 'Gold', slug: 'gold' },
  })
  expect(type).toMatchObject({ status: 400, body: { error: 'INVALID_APPLICATION_ID' } })
})

test('its name cannot be taken', async () => {
  expect(await ask('POST', 'applications', { name: 'Mine', slug: 'latchkey-console' })).toMatchObject({
    ...{ status: 409, body: { error: 'SLUG_TAKEN' } },
  })
})

test('a declaration neither shows nor removes it', async () => {
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
  const { changes } = await makePlan(service.ctx, sections, { declaration, prune: true })
  const subjects = changes.map(({ subject }) => subject)
  expect(subjects).toContain('application project-manager')
  expect(subjects.join()).not.toContain('console')
})
