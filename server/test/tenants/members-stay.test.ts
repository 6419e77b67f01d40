import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, planChanges } from '../../src/declaration/apply.ts'
import { newId } from '../../src/lib/ids.ts'
import { failure, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { findIds, join, PASSWORD, startWorld } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const leave = (somebody: Somebody) =>
  somebody.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' })

async function leaver(): Promise<Somebody> {
  const ann = await newSomebody(service)
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

test('a declaration makes nobody a member who is about to be deleted, and says so', async () => {
  const ann = await leaver()
  await expect(declare(acmeWith(ann.email))).rejects.toThrow(
    `The declaration makes ${ann.email} a member, but there is no such user.`,
  )
  // Nor when it names them among the users as well.
  const both = { users: [{ email: ann.email }], ...acmeWith(ann.email) }
  await expect(declare(both)).rejects.toThrow(`${ann.email}, or the account is about to be deleted`)
  expect(await membershipsOf(ann)).toEqual([])
})

test('a declaration that was planned before the person asked to be deleted fails with words too', async () => {
  const ann = await newSomebody(service)
  const planned = await planChanges(service.ctx, sections, acmeWith(ann.email))
  expect((await leave(ann)).status).toBe(200)
  await expect(applyChanges(service.ctx, planned)).rejects.toThrow('the account is about to be deleted')
  expect(await membershipsOf(ann)).toEqual([])
})

test('the database itself refuses a member who is about to be deleted', async () => {
  const ann = await leaver()
  await expect(join(service, ann.email, 'acme')).rejects.toMatchObject({ constraint: 'members_stay' })
  expect(await membershipsOf(ann)).toEqual([])
})

test('who is made a member at the very moment at which they ask to be deleted is none afterwards', async () => {
  const ann = await newSomebody(service)
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
    await expect.poll(async () => isOver || (await waiting()) === 1).toBe(true)
    return { leaving }
  })
  expect((await left.leaving).status).toBe(200)
  expect(await membershipsOf(ann)).toEqual([])
})

/** How many wait for somebody else's lock. */
async function waiting(): Promise<number> {
  const { rows } = await service.ctx.db.executeQuery<{ count: number }>(
    CompiledQuery.raw(`select count(*)::int from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

test('a disabled owner does not make up for the last who can look after a tenant', async () => {
  const [ann, ben] = [await newSomebody(service), await newSomebody(service)]
  const members = [ann, ben].map(({ email }) => ({ email, role: 'owner' }))
  await declare({ tenants: [{ slug: 'twosome', name: 'Twosome', members }] })
  const setDisabled = (disabled: boolean) =>
    service.ctx.db.updateTable('users').set({ disabled }).where('id', '=', ben.id).execute()
  await setDisabled(true)
  expect(await leave(ann)).toMatchObject({
    ...failure(400, 'TENANT_OWNER'),
    body: { details: { tenants: [{ slug: 'twosome' }] } },
  })
  await setDisabled(false)
  expect((await leave(ann)).status).toBe(200)
})
