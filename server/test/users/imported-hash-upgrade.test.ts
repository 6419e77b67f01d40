import { hash as bcrypt } from '@node-rs/bcrypt'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '../../src/users/passwords.ts'
import { insertUser, logIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

/** The number of statements that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await service.ctx.db.executeQuery<{ count: number }>(
    CompiledQuery.raw(`select count(*)::int from pg_stat_activity
                       where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

/** Signs in to an account with an imported (bcrypt) hash while another transaction replaces the hash. */
async function signInDuringPasswordChange(newPassword: string): Promise<number> {
  const { id, email } = await insertUser(service, { password_hash: await bcrypt(PASSWORD, { cost: 4 }) })
  const password_hash = await hashPassword(newPassword)
  const { pendingResponse } = await service.ctx.db.transaction().execute(async (tx) => {
    await tx.updateTable('users').set({ password_hash }).where('id', '=', id).execute()
    const pendingResponse = logIn(service.url, email, PASSWORD)
    await expect.poll(countWaiting).toBe(1)
    // Wrapped, because the transaction would otherwise wait for the response, which waits for the transaction.
    return { pendingResponse }
  })
  return (await pendingResponse).status
}

test('a sign-in with an imported password that is changed concurrently is refused', async () => {
  expect(await signInDuringPasswordChange('a quite different password')).toBe(401)
})

test('a sign-in with an imported password succeeds while another sign-in upgrades the hash', async () => {
  expect(await signInDuringPasswordChange(PASSWORD)).toBe(200)
})
