import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSomebody } from '../account/people.ts'
import { figureIn, scrape } from '../operator/exposition.ts'
import { whileHeld } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { signIn, startWorld } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const read = async (name: string, labels: Record<string, string> = {}) =>
  figureIn(await scrape(service), name, labels) ?? 0
const shows = (name: string, labels: Record<string, string> = {}) => expect.poll(() => read(name, labels))

/** More than there are connections, and than transactions that write at a time. */
const CROWD = 14
const WRITES_AT_ONCE = 6

test('writes that wait for others are counted while they wait, and those that waited too long as turned away', async () => {
  const { tokens } = await newSomebody(service)
  const answers = await whileHeld(
    service,
    { statement: 'lock table audit_entries in access exclusive mode' },
    async () => {
      const writes = Array.from({ length: CROWD }, (_, number) =>
        fetch(`${service.url}/api/tenants`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', authorization: `Bearer ${tokens.access_token}` },
          body: JSON.stringify({ name: `Company ${number}` }),
        }),
      )
      await shows('latchkey_queue_waiting', { queue: 'writes' }).toBe(CROWD - WRITES_AT_ONCE)
      await shows('latchkey_database_connection_waiters').toBe(CROWD - WRITES_AT_ONCE)
      await shows('latchkey_requests_shed_total', { queue: 'writes', reason: 'timeout' }).toBe(
        CROWD - WRITES_AT_ONCE,
      )
      return writes
    },
  )
  const statuses = (await Promise.all(answers)).map(({ status, headers }) => [
    status,
    headers.has('retry-after'),
  ])
  expect(statuses.filter(([status]) => status === 201)).toHaveLength(WRITES_AT_ONCE)
  expect(statuses.filter(([status, isTold]) => status === 503 && isTold)).toHaveLength(CROWD - WRITES_AT_ONCE)
  await shows('latchkey_queue_waiting', { queue: 'writes' }).toBe(0)
})

test('the time for which a connection is waited for is measured', async () => {
  const WAIT = 'latchkey_database_connection_wait_seconds'
  const cookie = await signIn(service.url, 'olivia@acme.test')
  const longer = async () => (await read(`${WAIT}_count`)) - (await read(`${WAIT}_bucket`, { le: '0.5' }))
  const before = await longer()
  const answers = await whileHeld(
    service,
    { statement: 'lock table users in access exclusive mode' },
    async (waitFor) => {
      const reads = Array.from({ length: CROWD }, () =>
        fetch(`${service.url}/api/users/me`, { headers: { cookie } }),
      )
      await waitFor(8)
      // Whoever looks at the figures waits for a connection too, for two seconds at most.
      await shows('latchkey_database_connection_waiters').toBeGreaterThan(0)
      return reads
    },
  )
  for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
  await expect.poll(async () => (await longer()) - before).toBeGreaterThan(0)
})
