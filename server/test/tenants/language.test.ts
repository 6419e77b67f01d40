import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from './tenant-rows.ts'

let service: TestService
let tenant: TestTenant
let owner: TestUser
let superAdmin: TestUser

beforeAll(async () => {
  service = await startDemoService()
  superAdmin = await createSignedInUser(service, { is_super_admin: true })
  owner = await createSignedInUser(service)
  tenant = await insertTenant(service)
  await insertMembership(service, tenant, owner, { role: 'owner' })
})
afterAll(() => service?.close())

const path = () => `/api/tenants/${tenant.id}`
const adminPath = () => `/api/admin/tenants/${tenant.id}`

test('a tenant has no default language until it is set, and none again with null', async () => {
  expect((await owner.call('GET', path())).body).not.toHaveProperty('language')
  expect((await superAdmin.call('GET', adminPath())).body).toMatchObject({ language: null })
  expect(await owner.call('PATCH', path(), { language: 'de' })).toMatchObject({ status: 200, body: { language: 'de' } })
  expect((await owner.call('GET', path())).body).toMatchObject({ language: 'de' })
  expect(await superAdmin.call('PATCH', adminPath(), { language: 'pt-BR' })).toMatchObject({
    status: 200,
    body: { language: 'pt-BR' },
  })
  const cleared = await owner.call('PATCH', path(), { language: null })
  expect(cleared.status).toBe(200)
  expect(cleared.body).not.toHaveProperty('language')
})

test.each(['xx', 'de-DE', 'en-XA', '', 7])('a language that is not offered is refused: %s', async (language) => {
  for (const answer of [
    await owner.call('PATCH', path(), { language }),
    await superAdmin.call('PATCH', adminPath(), { language }),
  ]) {
    expect(answer).toMatchObject({ status: 422, body: { details: [{ field: 'language' }] } })
  }
})

test('the audit log shows the language before and after', async () => {
  await owner.call('PATCH', path(), { language: 'ja' })
  const last = await service.ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'details'])
    .where('tenant_id', '=', tenant.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  expect(last).toEqual({ action: 'tenant.changed', details: { before: { language: null }, after: { language: 'ja' } } })
})
