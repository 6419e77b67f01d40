import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, planChanges } from '../../src/declaration/apply.ts'
import { newId } from '../../src/lib/ids.ts'
import { createSignedInUser, errorReply, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { addMember, findIds, PASSWORD, startDemoService } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const leave = (somebody: TestUser) =>
  somebody.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' })

/** A user who has requested deletion. */
async function newDeletedUser(): Promise<TestUser> {
  const ann = await createSignedInUser(service)
  expect((await leave(ann)).status).toBe(200)
  return ann
}

const membershipsOf = ({ id }: { id: string }) =>
  service.ctx.db.selectFrom('memberships').selectAll().where('user_id', '=', id).execute()

const acmeWith = (email: string) => ({
  tenants: [{ slug: 'acme', name: 'Acme', members: [{ email, role: 'admin' }] }],
})
const declare = async (declaration: Record<string, unknown[]>) =>
  applyChanges(service.ctx, await planChanges(service.ctx, sections, declaration))

test('a declaration that adds a user who has requested deletion as a member is refused', async () => {
  const ann = await newDeletedUser()
  await expect(declare(acmeWith(ann.email))).rejects.toThrow(
    `The declaration makes ${ann.email} a member, but there is no such user.`,
  )
  // Also when the declaration lists the user too.
  const both = { users: [{ email: ann.email }], ...acmeWith(ann.email) }
  await expect(declare(both)).rejects.toThrow(`${ann.email}, or the account is about to be deleted`)
  expect(await membershipsOf(ann)).toEqual([])
})

test('a declaration planned before the user requested deletion fails with a clear error', async () => {
  const ann = await createSignedInUser(service)
  const planned = await planChanges(service.ctx, sections, acmeWith(ann.email))
  expect((await leave(ann)).status).toBe(200)
  await expect(applyChanges(service.ctx, planned)).rejects.toThrow('the account is about to be deleted')
  expect(await membershipsOf(ann)).toEqual([])
})

test('the database refuses a membership of a user who has requested deletion', async () => {
  const ann = await newDeletedUser()
  await expect(addMember(service, ann.email, 'acme')).rejects.toMatchObject({ constraint: 'members_stay' })
  expect(await membershipsOf(ann)).toEqual([])
})

test('a user who becomes a member while requesting deletion is not a member afterwards', async () => {
  const ann = await createSignedInUser(service)
  const { userId, tenantId } = await findIds(service, ann.email, 'acme')
  const now = service.ctx.now()
  const left = await service.ctx.db.transaction().execute(async (tx) => {
    const dates = { joined_at: now, created_at: now, updated_at: now }
    await tx
      .insertInto('memberships')
      .values({
        id: newId(),
        tenant_id: tenantId,
        user_id: userId,
        role: 'admin',
        status: 'ACTIVE',
        ...dates,
      })
      .execute()
    let isOver = false
    const leaving = leave(ann).finally(() => {
      isOver = true
    })
    await expect.poll(async () => isOver || (await countWaiting()) === 1).toBe(true)
    return { leaving }
  })
  expect((await left.leaving).status).toBe(200)
  expect(await membershipsOf(ann)).toEqual([])
})

/** The number of connections that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await service.ctx.db.executeQuery<{ count: number }>(
    CompiledQuery.raw(`select count(*)::int from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

test('a disabled owner does not count: the last enabled owner cannot request deletion', async () => {
  const [ann, ben] = [await createSignedInUser(service), await createSignedInUser(service)]
  const members = [ann, ben].map(({ email }) => ({ email, role: 'owner' }))
  await declare({ tenants: [{ slug: 'twosome', name: 'Twosome', members }] })
  const setDisabled = (disabled: boolean) =>
    service.ctx.db.updateTable('users').set({ disabled }).where('id', '=', ben.id).execute()
  await setDisabled(true)
  expect(await leave(ann)).toMatchObject({
    ...errorReply(400, 'TENANT_OWNER'),
    body: { details: { tenants: [{ slug: 'twosome' }] } },
  })
  await setDisabled(false)
  expect((await leave(ann)).status).toBe(200)
})
