import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiResponse, createSignedInUser, errorReply, insertUser, type TestUser } from '../account/people.ts'
import { runCommandHere } from '../support/command.ts'
import { collide } from '../support/locks.ts'
import { tempFolder } from '../support/program.ts'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { callAsOps, USERS } from './calls.ts'

// The instance always keeps a Super Admin who can sign in, also under concurrent changes.

let service: TestService
/** The only Super Admin. */
let last: TestUser
beforeEach(async () => {
  service ??= await startDemoService()
  const next = await createSignedInUser(service, { is_super_admin: true })
  await service.ctx.db.updateTable('users').set({ is_super_admin: false }).where('id', '<>', next.id).execute()
  last = next
})
afterAll(async () => {
  await service?.close()
})

const remaining = async () => {
  const rows = await service.ctx.db
    .selectFrom('users')
    .select('id')
    .where('is_super_admin', '=', true)
    .where('disabled', '=', false)
    .where('deletion_requested_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

const REMOVALS: [string, (id: string) => Promise<ApiResponse>][] = [
  ['disabled', (id) => callAsOps(service, 'PATCH', `/${id}`, { disabled: true })],
  ['demoted', (id) => callAsOps(service, 'PATCH', `/${id}`, { superAdmin: false })],
  ['deleted', (id) => callAsOps(service, 'DELETE', `/${id}`)],
]

describe('the last Super Admin', () => {
  test.each(REMOVALS)('cannot be %s', async (_, remove) => {
    expect(await remove(last.id)).toMatchObject(errorReply(409, 'LAST_SUPER_ADMIN'))
    expect(await remaining()).toEqual([last.id])
    expect((await last.call('GET', USERS)).status).toBe(200)
  })

  test('cannot demote or delete themselves', async () => {
    const demoted = await last.call('PATCH', `${USERS}/${last.id}`, { superAdmin: false })
    expect(demoted).toMatchObject(errorReply(409, 'LAST_SUPER_ADMIN'))
    const body = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
    expect(await last.call('DELETE', '/api/users/me', body)).toMatchObject(errorReply(409, 'LAST_SUPER_ADMIN'))
    expect(await remaining()).toEqual([last.id])
  })

  test('is still the last when the others are disabled or about to be deleted', async () => {
    await insertUser(service, { is_super_admin: true, disabled: true })
    const leaving = await insertUser(service, { is_super_admin: true })
    expect((await callAsOps(service, 'DELETE', `/${leaving.id}`)).status).toBe(200)
    for (const [, remove] of REMOVALS) expect((await remove(last.id)).status).toBe(409)
  })

  test('can be removed when there is another', async () => {
    const other = await insertUser(service, { is_super_admin: true })
    expect((await callAsOps(service, 'PATCH', `/${last.id}`, { disabled: true })).status).toBe(200)
    expect(await remaining()).toEqual([other.id])
  })

  test('cannot be demoted by a declaration', async () => {
    const folder = tempFolder()
    const file = join(folder, 'declaration.yaml')
    writeFileSync(file, `users:\n  - email: ${last.email}\n    superAdmin: false\n`)
    const env = {
      DATABASE_URL: service.connection.url,
      LATCHKEY_DATA_DIR: join(folder, 'data'),
      LATCHKEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    }
    const { code, output } = await runCommandHere(['apply', '-f', file], env)
    expect(code).toBe(1)
    expect(output).toContain('This is the last Super Admin who can sign in. Make somebody else one first.')
    expect(await remaining()).toEqual([last.id])
  })

  test('is protected by the database against direct writes', async () => {
    const demote = service.ctx.db.updateTable('users').set({ is_super_admin: false }).execute()
    await expect(demote).rejects.toThrow('the instance must keep a Super Admin')
    expect(await remaining()).toEqual([last.id])
  })
})

describe('of two Super Admins who are removed concurrently, one stays', () => {
  const pairs = REMOVALS.flatMap(([first, one]) => REMOVALS.map(([second, two]) => [first, second, one, two] as const))
  test.each(pairs)('when one is %s and the other is %s', async (_first, _second, one, two) => {
    const other = await insertUser(service, { is_super_admin: true })
    const hold = {
      statement: "select pg_advisory_xact_lock(hashtextextended('latchkey.super_admins', 0))",
    }
    const answers = await collide(service, hold, [() => one(last.id), () => two(other.id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await remaining()).toHaveLength(1)
  })

  test('on two nodes, each demoting the other', async () => {
    const otherNode = await startService({ sameDatabaseAs: service })
    try {
      for (const _round of rounds(10)) {
        const other = await createSignedInUser(service, { is_super_admin: true })
        const answers = await Promise.all([
          last.call('PATCH', `${USERS}/${other.id}`, { superAdmin: false }),
          callAsOps(otherNode, 'PATCH', `/${last.id}`, { superAdmin: false }),
        ])
        const statuses = answers.map(({ status }) => status)
        expect(statuses.every((status) => [200, 403, 409].includes(status))).toBe(true)
        const left = await remaining()
        expect(left).toHaveLength(1)
        last = left[0] === last.id ? last : other
      }
    } finally {
      await otherNode.close()
    }
  })
})
