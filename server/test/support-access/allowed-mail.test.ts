import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser, insertUser, listMailTo, type TestUser } from '../account/people.ts'
import { apply } from '../declaration/apply-yaml.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService({ config: { supportAccess: true } })
})
afterAll(() => service?.close())

/** The mails to a person, without line breaks. */
const mailsTo = async ({ email }: { email: string }) =>
  (await listMailTo(service, email))
    .map(({ subject, text }) => ({ subject, text: text.replaceAll(/\s+/g, ' ') }))
    .filter(({ subject }) => /allows support access|Support-Zugriff/.test(subject))

async function createTenant() {
  const tenant = await insertTenant(service)
  const member = async (role: 'owner' | 'admin' | 'member', traits: object = {}, status?: 'SUSPENDED') => {
    const user = await insertUser(service, traits)
    await insertMembership(service, tenant, user, { role, ...(status && { status }) })
    return user
  }
  const owner = await createSignedInUser(service, { display_name: 'Olga Owner' })
  await insertMembership(service, tenant, owner, { role: 'owner' })
  const allow = (by: TestUser, supportAccess: boolean) =>
    by.call('PATCH', `/api/tenants/${tenant.id}`, { supportAccess })
  return { tenant, owner, member, allow }
}

test('the other owners get one mail when an owner allows support access, and none without a change', async () => {
  const { tenant, owner, member, allow } = await createTenant()
  const other = await member('owner')
  const german = await member('owner', { locale: 'de' })
  const untold = [
    owner,
    await member('admin'),
    await member('member'),
    await member('owner', { disabled: true }),
    await member('owner', { email_verified: false }),
    await member('owner', {}, 'SUSPENDED'),
  ]
  expect((await owner.call('PATCH', `/api/tenants/${tenant.id}`, { name: 'Harbour' })).status).toBe(200)
  expect(await mailsTo(other)).toEqual([])
  expect(await allow(owner, true)).toMatchObject({ status: 200, body: { supportAccess: true } })
  expect((await allow(owner, true)).status).toBe(200)
  const [mail, ...more] = await mailsTo(other)
  expect(more).toEqual([])
  expect(mail?.subject).toBe('"Harbour" allows support access')
  expect(mail?.text).toContain('"Olga Owner" has turned on support access for "Harbour"')
  expect(mail?.text).toContain('turn off support access in the settings of the organization')
  const [translated] = await mailsTo(german)
  expect(translated?.text).toContain('„Olga Owner“ hat den Support-Zugriff für „Harbour“ eingeschaltet')
  for (const person of untold) expect(await mailsTo(person)).toEqual([])
  await allow(owner, false)
  expect(await mailsTo(other)).toHaveLength(1)
  await allow(owner, true)
  expect(await mailsTo(other)).toHaveLength(2)
})

test('every owner gets the mail when an admin or a declaration allows it', async () => {
  const { tenant, owner, allow } = await createTenant()
  const admin = await createSignedInUser(service, { display_name: 'Adam Admin' })
  await insertMembership(service, tenant, admin, { role: 'admin' })
  await allow(admin, true)
  expect((await mailsTo(owner))[0]?.text).toContain('"Adam Admin" has turned on support access')
  await allow(admin, false)
  const yaml = `tenants:\n  - slug: ${tenant.slug}\n    name: ${tenant.name}\n    supportAccess: true\n`
  await apply(service.ctx, yaml)
  await apply(service.ctx, yaml)
  const mails = await mailsTo(owner)
  expect(mails).toHaveLength(2)
  expect(mails[0]?.text).toContain('The operator of this service has turned on support access')
  expect(await mailsTo(admin)).toEqual([])
})
