import { hash as bcrypt } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, insertUser, logIn } from '../account/people.ts'
import type { Host } from '../invitations/hosts.ts'
import { createHost, findInvitation, listAuditEntries, membershipsOf } from '../invitations/invitation-api.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { findUser, importRows, jsonLines, listImportEvents } from './rows.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startDemoService()
  host = await createHost(service)
})
afterAll(() => service.close())

const PASSWORD = 'the password they had before'

describe('an existing user', () => {
  test('is skipped or updated, and always keeps the password', async () => {
    const { email, id } = await insertUser(service)
    const before = await findUser(service.ctx, email)
    const passwordHash = await bcrypt('somebody else', { cost: 4 })
    const row = {
      email,
      givenName: 'Changed',
      passwordHash,
      emailVerified: true,
      disabled: false,
      tenant: 'acme',
    }
    expect(await importRows(service.ctx, jsonLines(row))).toMatchObject({
      imported: 0,
      skipped: 1,
      failed: 0,
    })
    expect(await findUser(service.ctx, email)).toEqual(before)
    expect(await membershipsOf(service, id)).toEqual([])
    expect(await importRows(service.ctx, jsonLines(row), { onConflict: 'update' })).toMatchObject({
      updated: 1,
    })
    expect(await findUser(service.ctx, email)).toMatchObject({
      id,
      given_name: 'Changed',
      password_hash: before?.password_hash,
    })
    expect(await membershipsOf(service, id)).toMatchObject([{ role: 'member', status: 'ACTIVE' }])
    expect(await importRows(service.ctx, jsonLines(row), { onConflict: 'update' })).toMatchObject({
      updated: 0,
      skipped: 1,
    })
    expect(await listImportEvents(service.ctx, email)).toEqual([])
  })

  test('that is a placeholder or has an unverified address is replaced by the imported one', async () => {
    const invited = await host.invite()
    const passwordHash = await bcrypt(PASSWORD, { cost: 4 })
    const squatted = { email: 'squatted@import.test', password: 'the password of a squatter' }
    await call(`${service.url}/api/auth/register`, { method: 'POST', body: squatted })
    const rows = jsonLines(
      { email: invited.email, passwordHash, tenant: host.tenant.slug, role: 'admin' },
      { email: squatted.email, passwordHash },
    )
    expect(await importRows(service.ctx, rows)).toMatchObject({ imported: 2, failed: 0 })
    const { id = '' } = (await findUser(service.ctx, invited.email)) ?? {}
    expect(await membershipsOf(service, id)).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
    expect(await findInvitation(service, invited.id)).toMatchObject({ status: 'REVOKED' })
    const added = (await listAuditEntries(service, host, 'member.added')).filter((entry) => entry.user_id === id)
    expect(added).toHaveLength(1)
    expect((await logIn(service.url, squatted.email, squatted.password)).status).toBe(401)
    expect((await logIn(service.url, squatted.email, PASSWORD)).status).toBe(200)
    expect(await listImportEvents(service.ctx, squatted.email)).toHaveLength(1)
  })

  test.each<[string, 'skip' | 'update', boolean]>([
    ['a Super Admin', 'skip', true],
    ['a Super Admin', 'update', true],
    ['an active member', 'skip', false],
    ['an active member', 'update', false],
  ])('with an unverified address that is %s is not replaced (%s)', async (_, onConflict, isSuperAdmin) => {
    const { email, id } = await insertUser(service)
    const { db } = service.ctx
    if (!isSuperAdmin) await importRows(service.ctx, jsonLines({ email, tenant: 'acme' }), { onConflict: 'update' })
    const change = { email_verified: false, is_super_admin: isSuperAdmin }
    await db.updateTable('users').set(change).where('id', '=', id).execute()
    const before = await findUser(service.ctx, email)
    const row = { email, passwordHash: await bcrypt(PASSWORD, { cost: 4 }), tenant: host.tenant.slug }
    const options = { onConflict }
    const preview = await importRows(service.ctx, jsonLines(row), { ...options, dryRun: true })
    expect(preview).toMatchObject({ imported: 0, failed: 1 })
    expect(preview.problems[0]?.reason).toMatch(/^the account of this address has permissions/)
    expect(await importRows(service.ctx, jsonLines(row), options)).toEqual(preview)
    expect(await findUser(service.ctx, email)).toEqual(before)
    expect(await membershipsOf(service, id)).toHaveLength(isSuperAdmin ? 0 : 1)
    await db.updateTable('users').set({ is_super_admin: false }).where('id', '=', id).execute()
  })

  test('that a rule does not allow to change fails alone, and other rows are imported', async () => {
    const { db } = service.ctx
    const { email, id } = await insertUser(service)
    const others = await db.selectFrom('users').select('id').where('is_super_admin', '=', true).execute()
    await db.updateTable('users').set({ is_super_admin: true }).where('id', '=', id).execute()
    const ids = others.map((other) => other.id)
    if (ids.length > 0) await db.updateTable('users').set({ is_super_admin: false }).where('id', 'in', ids).execute()
    const rows = jsonLines(
      { email, disabled: true, givenName: 'Last', tenant: 'acme' },
      { email: 'beside@import.test', tenant: 'acme' },
    )
    const { problems, ...summary } = await importRows(service.ctx, rows, { onConflict: 'update' })
    expect(summary).toEqual({ imported: 1, updated: 0, skipped: 0, failed: 1 })
    expect(problems).toEqual([
      {
        line: 1,
        email,
        reason: 'This is the last Super Admin who can sign in. Make somebody else one first',
      },
    ])
    expect(await findUser(service.ctx, email)).toMatchObject({ disabled: false, given_name: null })
    expect(await membershipsOf(service, id)).toEqual([])
    expect(await findUser(service.ctx, 'beside@import.test')).toBeDefined()
    if (ids.length > 0) await db.updateTable('users').set({ is_super_admin: true }).where('id', 'in', ids).execute()
  })

  test('that has requested deletion cannot be imported', async () => {
    const { email, id } = await insertUser(service)
    await service.ctx.db.updateTable('users').set({ deletion_requested_at: new Date() }).where('id', '=', id).execute()
    const { problems } = await importRows(service.ctx, jsonLines({ email, tenant: 'acme' }), {
      onConflict: 'update',
    })
    expect(problems).toEqual([{ line: 1, email, reason: 'the account is about to be deleted' }])
  })
})

test('a user imported with an unverified address stays unverified and is skipped the second time', async () => {
  const row = {
    email: 'unverified@import.test',
    emailVerified: false,
    passwordHash: await bcrypt(PASSWORD, { cost: 4 }),
  }
  expect(await importRows(service.ctx, jsonLines(row))).toMatchObject({ imported: 1 })
  expect(await findUser(service.ctx, row.email)).toMatchObject({ email_verified: false, contested: true })
  expect(await importRows(service.ctx, jsonLines(row))).toMatchObject({ imported: 0, skipped: 1 })
})

test('a dry run reports the same result and changes nothing', async () => {
  const rows = () => jsonLines({ email: 'dry@import.test' }, { email: 'mia@acme.test' }, { email: 'no' })
  const listUserIds = () => service.ctx.db.selectFrom('users').select('id').orderBy('id').execute()
  const before = await listUserIds()
  const preview = await importRows(service.ctx, rows(), { dryRun: true })
  expect(await listUserIds()).toEqual(before)
  expect(preview).toMatchObject({ imported: 1, skipped: 1, failed: 1 })
  expect(await importRows(service.ctx, rows())).toEqual(preview)
})

test('two concurrent imports of the same users create each user once', async () => {
  const people = Array.from({ length: 1_200 }, (_, index) => ({
    email: `twin-${index}@import.test`,
    tenant: 'acme',
  }))
  const results = await Promise.all([
    importRows(service.ctx, jsonLines(...people)),
    importRows(service.ctx, jsonLines(...people.toReversed())),
  ])
  expect(results[0].imported + results[1].imported).toBe(1_200)
  expect(results[0].skipped + results[1].skipped).toBe(1_200)
  const { count } = await service.ctx.db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('users.email', 'like', 'twin-%')
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(1_200)
})
