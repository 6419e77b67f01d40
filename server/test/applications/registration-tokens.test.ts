import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdminApi, startAdminApi } from './admin-api.ts'

let api: AdminApi
beforeAll(async () => {
  api = await startAdminApi()
})
afterAll(() => api.close())

const PATH = '/registration-tokens'
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const DAY_MS = 86_400_000

test('a registration token is created, listed without its text, and revoked', async () => {
  const created = await api.call('POST', PATH, { name: ' Partners ' })
  const listed = {
    id: expect.any(String),
    name: 'Partners',
    redirectHosts: null,
    maxUses: 1,
    uses: 0,
    expiresAt: TIME,
    createdAt: TIME,
  }
  expect(created).toEqual({
    status: 201,
    body: { ...listed, registrationToken: expect.stringMatching(/^lki_[\w-]{43}$/) },
  })
  const { id, createdAt, expiresAt } = created.body as unknown as Record<'id' | 'createdAt' | 'expiresAt', string>
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * DAY_MS)
  const pagination = { page: 1, limit: 20, total: 1, pages: 1 }
  expect(await api.call('GET', PATH)).toEqual({
    status: 200,
    body: { registrationTokens: [{ ...listed, id }], clientRegistration: 'off', pagination },
  })
  expect(await api.call('DELETE', `${PATH}/${id}`)).toEqual({
    status: 200,
    body: { success: true, message: 'Registration token revoked' },
  })
  expect((await api.call('DELETE', `${PATH}/${id}`)).status).toBe(404)
  expect((await api.call('GET', PATH)).body.registrationTokens).toEqual([])
})

test('a repeated creation with the same Idempotency-Key gets the same token', async () => {
  const create = () => api.call('POST', PATH, { name: 'Once' }, { 'Idempotency-Key': 'one-token' })
  expect((await create()).body).toEqual((await create()).body)
})

test.each<[object, string]>([
  [{}, 'name'],
  [{ name: ' ' }, 'name'],
  [{ maxUses: 0 }, 'maxUses'],
  [{ maxUses: 10_001 }, 'maxUses'],
  [{ maxUses: 1.5 }, 'maxUses'],
  [{ expiresInDays: 0 }, 'expiresInDays'],
  [{ expiresInDays: 366 }, 'expiresInDays'],
  [{ expiresInDays: '7' }, 'expiresInDays'],
  [{ redirectHosts: [] }, 'redirectHosts'],
  [{ redirectHosts: ['https://app.example.com'] }, 'redirectHosts.0'],
  [{ redirectHosts: ['app.example.com', 'App.example.com'] }, 'redirectHosts.1'],
  [{ redirectHosts: ['app.example.com', 'app.example.com'] }, 'redirectHosts.1'],
  [{ redirectHosts: ['*.example.com'] }, 'redirectHosts.0'],
  [{ redirectHosts: ['app.example.com:8443'] }, 'redirectHosts.0'],
])('%j is refused', async (fields, field) => {
  const draft = Object.keys(fields).length === 0 ? {} : { name: 'Partners', ...fields }
  const { status, body } = await api.call('POST', PATH, draft)
  expect([status, body.error]).toEqual([422, 'VALIDATION_FAILED'])
  expect(body.details.map((problem) => problem.field)).toContain(field)
})
