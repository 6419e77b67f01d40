import { hash as bcrypt } from '@node-rs/bcrypt'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '../../src/users/passwords.ts'
import { addPerson, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

/** How many wait for somebody else's lock. */
async function waiting(): Promise<number> {
  const { rows } = await service.ctx.db.executeQuery<{ count: number }>(
    CompiledQuery.raw(`select count(*)::int from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

/** Signs in with the password behind an imported hash, while that hash is about to become another. */
async function signInWhile(newPassword: string): Promise<number> {
  const { id, email } = await addPerson(service, { password_hash: await bcrypt(PASSWORD, { cost: 4 }) })
  const password_hash = await hashPassword(newPassword)
  const { response } = await service.ctx.db.transaction().execute(async (tx) => {
    await tx.updateTable('users').set({ password_hash }).where('id', '=', id).execute()
    const response = logIn(service.url, email, PASSWORD)
    await expect.poll(waiting).toBe(1)
    return { response }
  })
  return (await response).status
}

test('who signs in with an imported password at the moment at which it becomes another is refused', async () => {
  expect(await signInWhile('a quite different password')).toBe(401)
})

test('who signs in with an imported password while another sign-in brings its hash up to date is let in', async () => {
  expect(await signInWhile(PASSWORD)).toBe(200)
})
