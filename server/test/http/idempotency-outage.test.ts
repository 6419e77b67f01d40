import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSomebody, type Somebody } from '../account/people.ts'
import { type BrokenLine, openBrokenLine } from '../support/broken-line.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'

let line: BrokenLine
let broken: TestService
let other: TestService
let somebody: Somebody
beforeAll(async () => {
  line = await openBrokenLine()
  broken = await startWorld({ through: line.host })
  other = await startWorld({ beside: broken })
  somebody = await newSomebody(other)
})
afterAll(async () => {
  await other.close()
  await broken.close()
  await line.close()
})

const create = (service: TestService, { name, key }: { name: string; key: string }) =>
  fetch(`${service.url}/api/tenants`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
      authorization: `Bearer ${somebody.tokens.access_token}`,
    },
    body: JSON.stringify({ name }),
  })

test.each([
  ['the claim', 'the same node'],
  ['the claim', 'another node'],
  ['the work', 'the same node'],
  ['the work', 'another node'],
])(
  'when %s breaks with the database, who repeats it at %s does not wait for the first',
  async (what, where) => {
    const request = { name: `Company ${what} ${where}`, key: `key ${what} ${where}` }
    line.breakAfter(Buffer.from(what === 'the claim' ? request.key : request.name), 1)
    const first = await create(broken, request)
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '2'])
    line.mend()
    await expect.poll(() => broken.ctx.changes.isCurrent()).toBe(true)
    const second = await create(where === 'another node' ? other : broken, request)
    expect(second.status).toBe(201)
    const tenants = other.ctx.db.selectFrom('tenants').select('id').where('name', '=', request.name)
    expect(await tenants.execute()).toHaveLength(1)
  },
)

const SECOND = 1_000

test('a claim of a process that has ended is given up after seconds, that of a connected one is not', async () => {
  const ended = await startWorld({ beside: other })
  const request = { name: 'Company of an ended process', key: 'key of an ended process' }
  expect((await create(other, request)).status).toBe(201)
  const claims = other.ctx.db.updateTable('idempotency_keys').where('key', '=', request.key)
  // As if that process were at work for a while.
  await claims
    .set({
      ...{ status: null, sealed_body: null, holder: ended.ctx.changes.processNumber ?? null },
      created_at: new Date(Date.now() - 6 * SECOND),
    })
    .execute()
  const waiting = create(broken, request).then(({ status }) => status)
  expect(await Promise.race([waiting, sleep(SECOND, 'waits')])).toBe('waits')
  await ended.close()
  expect(await waiting).toBe(201)
  const made = other.ctx.db.selectFrom('tenants').select('id').where('name', '=', request.name)
  // The first was done, and then done again: nobody knew that it had been.
  expect(await made.execute()).toHaveLength(2)
})
