import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSignedInUser } from '../account/people.ts'
import { scrape, sumSamples } from '../operator/exposition.ts'
import { whileLocked } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { signIn, startDemoService } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const read = async (name: string, labels: Record<string, string> = {}) =>
  sumSamples(await scrape(service), name, labels) ?? 0
const shows = (name: string, labels: Record<string, string> = {}) => expect.poll(() => read(name, labels))

/** More than the pool has connections, and more than may write concurrently. */
const REQUESTS = 14
const MAX_CONCURRENT_WRITES = 6

test('waiting write transactions are counted, and those that time out are counted as shed', async () => {
  const { tokens } = await createSignedInUser(service)
  const answers = await whileLocked(
    service,
    { statement: 'lock table audit_entries in access exclusive mode' },
    async () => {
      const writes = Array.from({ length: REQUESTS }, (_, number) =>
        fetch(`${service.url}/api/tenants`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', authorization: `Bearer ${tokens.access_token}` },
          body: JSON.stringify({ name: `Company ${number}` }),
        }),
      )
      await shows('latchkey_queue_waiting', { queue: 'writes' }).toBe(REQUESTS - MAX_CONCURRENT_WRITES)
      await shows('latchkey_database_connection_waiters').toBe(REQUESTS - MAX_CONCURRENT_WRITES)
      await shows('latchkey_requests_shed_total', { queue: 'writes', reason: 'timeout' }).toBe(
        REQUESTS - MAX_CONCURRENT_WRITES,
      )
      return writes
    },
  )
  const statuses = (await Promise.all(answers)).map(({ status, headers }) => [status, headers.has('retry-after')])
  expect(statuses.filter(([status]) => status === 201)).toHaveLength(MAX_CONCURRENT_WRITES)
  expect(statuses.filter(([status, hasRetryAfter]) => status === 503 && hasRetryAfter)).toHaveLength(
    REQUESTS - MAX_CONCURRENT_WRITES,
  )
  await shows('latchkey_queue_waiting', { queue: 'writes' }).toBe(0)
})

test('the time that requests wait for a connection is measured', async () => {
  const WAIT = 'latchkey_database_connection_wait_seconds'
  const cookie = await signIn(service.url, 'olivia@acme.test')
  const longer = async () => (await read(`${WAIT}_count`)) - (await read(`${WAIT}_bucket`, { le: '0.5' }))
  const before = await longer()
  const answers = await whileLocked(
    service,
    { statement: 'lock table users in access exclusive mode' },
    async (waitFor) => {
      const reads = Array.from({ length: REQUESTS }, () =>
        fetch(`${service.url}/api/users/me`, { headers: { cookie } }),
      )
      await waitFor(8)
      // Reading the metrics waits for a connection too, for at most two seconds.
      await shows('latchkey_database_connection_waiters').toBeGreaterThan(0)
      return reads
    },
  )
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
  await expect.poll(async () => (await longer()) - before).toBeGreaterThan(0)
})
