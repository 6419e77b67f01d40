import { afterAll, beforeAll, expect, test } from 'vitest'
import { call as send } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, startDemoService } from '../support/world.ts'

let service: TestService
let headers: Record<string, string>
beforeAll(async () => {
  service = await startDemoService()
  headers = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(() => service.close())

const UNKNOWN_ID = '0197a2b0-7d5c-7000-8000-00000000abcd'
const call = (method: string, path: string, body?: unknown) =>
  send(`${service.url}/api/admin${path}`, { method, body, headers })
const newApplication = async () => String((await call('POST', '/applications', { name: 'App' })).body.id)
const machine = (fields: object) => call('POST', '/clients', { kind: 'MACHINE', ...fields })
const listed = async (path: 'applications' | 'clients', query: Record<string, string>) => {
  const { body } = await call('GET', `/${path}?${new URLSearchParams(query)}`)
  return (body[path] as { name: string }[]).map(({ name }) => name)
}

test('applications are found by name and slug, without wildcards', async () => {
  for (const name of ['Quokka 100%', 'quokka b', 'Quokka A'])
    await call('POST', '/applications', {
      name,
      slug: `zoo-${name.slice(-1).toLowerCase()}`.replace('%', 'c'),
    })
  expect(await listed('applications', { search: 'QUOKKA' })).toEqual(['Quokka 100%', 'quokka b', 'Quokka A'])
  expect(await listed('applications', { search: 'quokka', sort: 'name' })).toEqual([
    'Quokka 100%',
    'Quokka A',
    'quokka b',
  ])
  expect(await listed('applications', { search: 'zoo-', sort: '-slug' })).toEqual([
    'Quokka 100%',
    'quokka b',
    'Quokka A',
  ])
  expect(await listed('applications', { search: 'zoo-', sort: '-createdAt', limit: '1' })).toEqual(['Quokka A'])
  expect(await listed('applications', { search: '0%' })).toEqual(['Quokka 100%'])
  expect(await listed('applications', { search: 'q_okka' })).toEqual([])
  expect(await listed('applications', { search: '\\' })).toEqual([])
  const { body } = await call('GET', '/applications?search=quokka&limit=2')
  expect(body.pagination).toMatchObject({ total: 3, pages: 2 })
})

test('clients are found by name, client id, application, kind, tenant and state', async () => {
  const applicationId = await newApplication()
  const { id: tenantId } = await service.ctx.db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow()
  await machine({ applicationId, name: 'Wombat bound', tenantId })
  await machine({ applicationId, name: 'Wombat off', disabled: true })
  const web = { applicationId, kind: 'WEB', name: 'Shop', clientId: 'wombat-shop' }
  await call('POST', '/clients', { ...web, redirectUris: ['https://a.example/cb'] })
  expect(await listed('clients', { search: 'wombat', sort: 'name' })).toEqual(['Shop', 'Wombat bound', 'Wombat off'])
  expect(await listed('clients', { applicationId, kind: 'WEB' })).toEqual(['Shop'])
  expect(await listed('clients', { applicationId, disabled: 'true' })).toEqual(['Wombat off'])
  expect(await listed('clients', { applicationId, disabled: 'false', sort: '-createdAt' })).toEqual([
    'Shop',
    'Wombat bound',
  ])
  expect(await listed('clients', { search: 'wombat', tenantId })).toEqual(['Wombat bound'])
  expect(await listed('clients', { tenantId: 'nope' })).toEqual([])
  expect(await listed('clients', { applicationId, tenantId: UNKNOWN_ID })).toEqual([])
  const { body } = await call('GET', `/clients?search=wombat&kind=MACHINE`)
  expect(body.pagination).toMatchObject({ total: 2 })
})

test.each([
  ['applications', 'sort=updatedAt', 'sort'],
  ['applications', 'search=', 'search'],
  ['applications', `search=${'x'.repeat(201)}`, 'search'],
  ['clients', 'sort=--name', 'sort'],
  ['clients', 'kind=NATIVE', 'kind'],
  ['clients', 'disabled=maybe', 'disabled'],
])('%s with %s are refused with the name of the field', async (path, query, field) => {
  const { status, body } = await call('GET', `/${path}?${query}`)
  expect([status, body.error]).toEqual([422, 'VALIDATION_FAILED'])
  expect(body.details).toEqual([expect.objectContaining({ field })])
})
