import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSuperAdmin } from '../../src/users/service.ts'
import { startService, type TestService } from '../support/service.ts'
import { apply } from './apply-yaml.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

const userOf = (email: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
const actionsOf = async (email: string) => {
  const { id } = await userOf(email)
  const entries = await service.ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'details'])
    .where('user_id', '=', id)
    .orderBy('id')
    .execute()
  return entries.map(({ action }) => action)
}
const one = (fields: string) => `users: [{ email: one@people.test, ${fields} }]`

test('a declaration that disables and enables a user records both in the audit log', async () => {
  await apply(service.ctx, one('givenName: One'))
  expect(await apply(service.ctx, one('disabled: true'))).toContain('      disabled: false → true\n')
  expect(await apply(service.ctx, one('disabled: true'))).toBe('Nothing to change.')
  await apply(service.ctx, one('disabled: false, nickname: Uno'))
  expect(await actionsOf('one@people.test')).toEqual(['user.created', 'user.disabled', 'user.changed', 'user.enabled'])
  const { nickname, given_name, disabled } = await userOf('one@people.test')
  expect({ nickname, given_name, disabled }).toEqual({ nickname: 'Uno', given_name: 'One', disabled: false })
})

test('an address that was declared unverified and verified later stays verified', async () => {
  const hash = `$2b$04$${'C'.repeat(53)}`
  const yaml = `users: [{ email: two@people.test, emailVerified: false, passwordHash: "${hash}" }]`
  await apply(service.ctx, yaml)
  expect(await userOf('two@people.test')).toMatchObject({ email_verified: false, contested: true })
  expect(await apply(service.ctx, yaml)).toBe('Nothing to change.')
  await service.ctx.db
    .updateTable('users')
    .set({ email_verified: true })
    .where('email', '=', 'two@people.test')
    .execute()
  expect(await apply(service.ctx, yaml)).toBe('Nothing to change.')
  expect(await userOf('two@people.test')).toMatchObject({ email_verified: true })
})

test.each([
  ['a Super Admin', { is_super_admin: true }],
  ['an active member', {}],
])('an account with an unverified address that belongs to %s is updated and not taken over', async (name, change) => {
  const { db } = service.ctx
  const email = `${name.replaceAll(' ', '-').toLowerCase()}@settled.test`
  const slug = `settled-${email.split('@')[0]}`
  await apply(
    service.ctx,
    `users: [{ email: ${email}, password: the first of all passwords }]
tenants: [{ slug: ${slug}, name: S, members: [{ email: ${email}, role: owner }] }]`,
  )
  const unverified = { ...change, email_verified: false }
  await db.updateTable('users').set(unverified).where('email', '=', email).execute()
  const before = await userOf(email)
  const plan = await apply(
    service.ctx,
    `users: [{ email: ${email}, password: another one for a thief, nickname: Nick }]`,
  )
  expect(plan).toContain(`  ~ user ${email}\n      nickname: null → "Nick"\n`)
  const { updated_at } = await userOf(email)
  expect(await userOf(email)).toEqual({ ...before, nickname: 'Nick', updated_at })
  const promoted = apply(service.ctx, `users: [{ email: ${email}, superAdmin: true }]`)
  if (before.is_super_admin) expect(await promoted).toBe('Nothing to change.')
  else await expect(promoted).rejects.toThrow('cannot become a Super Admin before they have proven')
})

test('admin create does not take over an account with permissions', async () => {
  const email = 'an-active-member@settled.test'
  const before = await userOf(email)
  await expect(createSuperAdmin(service.ctx, email, 'a password of nobody else 1')).rejects.toThrow(
    'has not proven the address',
  )
  expect(await userOf(email)).toEqual(before)
})

test('each kind of change of a member has its own audit event', async () => {
  const tenant = (members: string) =>
    `users: [{ email: own@people.test }, { email: mem@people.test }]
tenants: [{ slug: people, name: People, members: [{ email: own@people.test, role: owner }, ${members}] }]`
  await apply(service.ctx, tenant('{ email: mem@people.test, role: member }'))
  await apply(service.ctx, tenant('{ email: mem@people.test, role: admin, status: SUSPENDED }'))
  await apply(service.ctx, tenant('{ email: mem@people.test, role: admin }'))
  expect((await actionsOf('mem@people.test')).slice(1)).toEqual([
    'member.added',
    'member.role_changed',
    'member.suspended',
    'member.reactivated',
  ])
})

test('T174: a declaration approves the branding of a tenant and withdraws the approval', async () => {
  const declared = (approved: boolean) => `tenants: [{ slug: seen, name: Seen, brandingApproved: ${approved} }]`
  const isApproved = () =>
    service.ctx.db.selectFrom('tenants').select('branding_approved').where('slug', '=', 'seen').execute()
  await apply(service.ctx, declared(true))
  expect(await isApproved()).toEqual([{ branding_approved: true }])
  expect(await apply(service.ctx, declared(true))).toBe('Nothing to change.')
  expect(await apply(service.ctx, declared(false))).toContain('brandingApproved: true → false')
  expect(await isApproved()).toEqual([{ branding_approved: false }])
})

test('a tenant can be created as suspended, and its settings are merged', async () => {
  const yaml = 'tenants: [{ slug: shut, name: Shut, suspended: true, settings: { a: 1, b: { c: 2 } } }]'
  await apply(service.ctx, yaml)
  expect(await apply(service.ctx, yaml)).toBe('Nothing to change.')
  const changed = 'tenants: [{ slug: shut, name: Shut, suspended: false, settings: { a: null, b: { d: 3 } } }]'
  expect(await apply(service.ctx, changed)).toBe(
    [
      '  ~ tenant shut',
      '      settings.a: 1 → null',
      '      settings.b: {"c":2} → {"c":2,"d":3}',
      '      suspended: true → false',
      '0 to create, 1 to change, 0 to delete.',
    ].join('\n'),
  )
  expect(await apply(service.ctx, changed)).toBe('Nothing to change.')
})

test.each([
  [
    'a Super Admin with an unverified address',
    one('emailVerified: false, superAdmin: true, password: long-enough-1'),
    /cannot be a Super Admin with an unproven address/,
  ],
  [
    'a user with neither a verified address nor a password',
    'users: [{ email: x@people.test, emailVerified: false }]',
    /neither a proven address nor a password/,
  ],
  ['an invalid language tag', one('locale: "??"'), /locale of the user one@people.test must be a language tag/],
  [
    'an invalid telephone number',
    one('phone: call me'),
    /phone of the user one@people.test must be a telephone number/,
  ],
  [
    'settings that are too long',
    `tenants: [{ slug: big, name: Big, settings: { a: ${'x'.repeat(17_000)} } }]`,
    /must not take more than 16384 bytes/,
  ],
])('refuses %s with a readable message', async (_, yaml, message) => {
  await expect(apply(service.ctx, yaml)).rejects.toThrow(message)
  await expect(apply(service.ctx, yaml)).rejects.toMatchObject({ name: 'OperatorError' })
})
