import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { collide } from '../../support/locks.ts'
import { runToEnd, tempFolder } from '../../support/program.ts'
import { rounds } from '../../support/rounds.ts'
import { startService, type TestService } from '../../support/service.ts'
import { PASSWORD, startWorld } from '../../support/world.ts'
import { type Answer, addPerson, failure, newSomebody, type Somebody } from '../people.ts'
import { callAsOps, USERS } from './calls.ts'

// Somebody who can sign in can always look after the instance, whoever wants to let them go and however many at once.

let service: TestService
/** The only Super Admin there is. */
let last: Somebody
beforeEach(async () => {
  service ??= await startWorld()
  const next = await newSomebody(service, { is_super_admin: true })
  await service.ctx.db
    .updateTable('users')
    .set({ is_super_admin: false })
    .where('id', '<>', next.id)
    .execute()
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

const WAYS: [string, (id: string) => Promise<Answer>][] = [
  ['disabled', (id) => callAsOps(service, 'PATCH', `/${id}`, { disabled: true })],
  ['demoted', (id) => callAsOps(service, 'PATCH', `/${id}`, { superAdmin: false })],
  ['deleted', (id) => callAsOps(service, 'DELETE', `/${id}`)],
]

describe('the last Super Admin', () => {
  test.each(WAYS)('cannot be %s', async (_, letGo) => {
    expect(await letGo(last.id)).toMatchObject(failure(409, 'LAST_SUPER_ADMIN'))
    expect(await remaining()).toEqual([last.id])
    expect((await last.call('GET', USERS)).status).toBe(200)
  })

  test('cannot demote or delete themselves', async () => {
    const demoted = await last.call('PATCH', `${USERS}/${last.id}`, { superAdmin: false })
    expect(demoted).toMatchObject(failure(409, 'LAST_SUPER_ADMIN'))
    const goodbye = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
    expect(await last.call('DELETE', '/api/users/me', goodbye)).toMatchObject(
      failure(409, 'LAST_SUPER_ADMIN'),
    )
    expect(await remaining()).toEqual([last.id])
  })

  test('is still the last when the others are disabled or about to be deleted', async () => {
    await addPerson(service, { is_super_admin: true, disabled: true })
    const leaving = await addPerson(service, { is_super_admin: true })
    expect((await callAsOps(service, 'DELETE', `/${leaving.id}`)).status).toBe(200)
    for (const [, letGo] of WAYS) expect((await letGo(last.id)).status).toBe(409)
  })

  test('may go once there is another', async () => {
    const other = await addPerson(service, { is_super_admin: true })
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
    const { code, output } = await runToEnd(['apply', '-f', file], { env })
    expect(code).toBe(1)
    expect(output).toContain('This is the last Super Admin who can sign in. Make somebody else one first.')
    expect(await remaining()).toEqual([last.id])
  })

  test('stays, also against whoever writes to the database', async () => {
    const demote = service.ctx.db.updateTable('users').set({ is_super_admin: false }).execute()
    await expect(demote).rejects.toThrow('the instance must keep a Super Admin')
    expect(await remaining()).toEqual([last.id])
  })
})

describe('of two Super Admins who go at the same moment, one stays', () => {
  const pairs = WAYS.flatMap(([first, one]) =>
    WAYS.map(([second, two]) => [first, second, one, two] as const),
  )
  test.each(pairs)('when one is %s and the other %s', async (_first, _second, one, two) => {
    const other = await addPerson(service, { is_super_admin: true })
    const hold = {
      statement: "select pg_advisory_xact_lock(hashtextextended('latchkey.super_admins', 0))",
    }
    const answers = await collide(service, hold, [() => one(last.id), () => two(other.id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await remaining()).toHaveLength(1)
  })

  test('on two nodes, each demoting the other', async () => {
    const there = await startService({ beside: service })
    try {
      for (const _round of rounds(10)) {
        const other = await newSomebody(service, { is_super_admin: true })
        const answers = await Promise.all([
          last.call('PATCH', `${USERS}/${other.id}`, { superAdmin: false }),
          callAsOps(there, 'PATCH', `/${last.id}`, { superAdmin: false }),
        ])
        const statuses = answers.map(({ status }) => status)
        expect(statuses.every((status) => [200, 403, 409].includes(status))).toBe(true)
        const left = await remaining()
        expect(left).toHaveLength(1)
        last = left[0] === last.id ? last : other
      }
    } finally {
      await there.close()
    }
  })
})
