import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { type BreakableProxy, openBreakableProxy } from '../support/breakable-proxy.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'

let line: BreakableProxy
let broken: TestService
let other: TestService
let somebody: TestUser
beforeAll(async () => {
  line = await openBreakableProxy()
  broken = await startDemoService({ databaseProxy: line.host })
  other = await startDemoService({ sameDatabaseAs: broken })
  somebody = await createSignedInUser(other)
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
  'when the database connection breaks during %s, a repetition at %s does not wait for the first request',
  async (what, where) => {
    const request = { name: `Company ${what} ${where}`, key: `key ${what} ${where}` }
    line.breakAfter(Buffer.from(what === 'the claim' ? request.key : request.name), 1)
    const first = await create(broken, request)
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '2'])
    line.repair()
    await expect.poll(() => broken.ctx.changes.isCurrent()).toBe(true)
    const second = await create(where === 'another node' ? other : broken, request)
    expect(second.status).toBe(201)
    const tenants = other.ctx.db.selectFrom('tenants').select('id').where('name', '=', request.name)
    expect(await tenants.execute()).toHaveLength(1)
  },
)

const SECOND = 1_000

test('a claim expires after seconds if its process has ended, but not if the process is connected', async () => {
  const ended = await startDemoService({ sameDatabaseAs: other })
  const request = { name: 'Company of an ended process', key: 'key of an ended process' }
  expect((await create(other, request)).status).toBe(201)
  const claims = other.ctx.db.updateTable('idempotency_keys').where('key', '=', request.key)
  // As if that process had been running the request for some seconds.
  await claims
    .set({
      status: null,
      sealed_body: null,
      holder: ended.ctx.changes.processNumber ?? null,
      created_at: new Date(Date.now() - 6 * SECOND),
    })
    .execute()
  const waiting = create(broken, request).then(({ status }) => status)
  expect(await Promise.race([waiting, sleep(SECOND, 'waits')])).toBe('waits')
  await ended.close()
  expect(await waiting).toBe(201)
  const created = other.ctx.db.selectFrom('tenants').select('id').where('name', '=', request.name)
  // The request ran twice, because no response of the first run was stored.
  expect(await created.execute()).toHaveLength(2)
})
