import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { addCrowd, list } from './calls.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(async () => {
  await service?.close()
})

test('the number of users stays correct through creation, deletion and consolidation', async () => {
  const { consolidateUserCounts } = await import('../../src/people/directory.ts')
  const { total } = (await list(service)).pagination
  const { people } = await addCrowd(service, 3)
  await consolidateUserCounts.run(service.ctx, undefined)
  expect((await list(service)).pagination.total).toBe(total + 3)
  await service.ctx.db
    .deleteFrom('users')
    .where('id', '=', people[0]?.id ?? '')
    .execute()
  await Promise.all([1, 2, 3].map(() => consolidateUserCounts.run(service.ctx, undefined)))
  expect((await list(service)).pagination.total).toBe(total + 2)
  const { count } = await service.ctx.db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where((where) => where.or([where('password_hash', 'is not', null), where('email_verified', '=', true)]))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(total + 2)
})
