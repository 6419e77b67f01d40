import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import { type Receiver, startReceiver, verify } from '../support/receiver.ts'
import { FULL, rounds } from '../support/rounds.ts'
import { startTwoProcesses, type TwoProcesses } from '../support/two-processes.ts'
import { signIn } from '../support/world.ts'
import { createInstanceHook, DECLARATION, firstArrivals } from './instance.ts'
import { tenantNamesIn } from './world.ts'

// Two nodes share the deliveries and keep the order.

let two: TwoProcesses
let receiver: Receiver
beforeAll(async () => {
  two = await startTwoProcesses(DECLARATION, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver?.close()
  await two?.close()
})

test('every event arrives once and in order, independent of the nodes that record and send it', async () => {
  const [url, other] = two.urls
  const cookie = await signIn(url, 'owner@events.test')
  const { secret } = await createInstanceHook(url, receiver.url)
  const { rows: tenants } = await two.db.query<{ id: string }>('select id from tenants order by id')
  receiver.setBehavior({ delayMs: 20 })
  const names: string[] = []
  for (const round of rounds(20)) {
    await Promise.all(
      tenants.map(async ({ id }, index) => {
        const name = `Tenant ${index} round ${round}`
        names.push(name)
        const node = (round + index) % 2 === 0 ? url : other
        const headers = { cookie, origin: two.baseUrl }
        const body = { name }
        const { status } = await call(`${node}/api/tenants/${id}`, { method: 'PATCH', headers, body })
        expect(status).toBe(200)
      }),
    )
  }
  await expect.poll(() => receiver.accepted().length, { timeout: 40_000 }).toBe(names.length)
  expect(tenantNamesIn(receiver.accepted()).sort()).toEqual([...names].sort())
  for (const positions of firstArrivals(receiver.accepted()).values()) {
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
  }
  for (const message of receiver.received()) expect(verify(secret, message)).toBeDefined()
})

test.runIf(FULL)('both nodes process one webhook at the same time, beyond the limit of one node', async () => {
  const [url] = two.urls
  const cookie = await signIn(url, 'owner@events.test')
  const before = receiver.received().length
  receiver.setBehavior({ hangs: true })
  const { rows: tenants } = await two.db.query<{ id: string }>('select id from tenants')
  for (const { id } of tenants) {
    const change = { method: 'PATCH', headers: { cookie, origin: two.baseUrl }, body: { name: 'Stuck' } }
    expect((await call(`${url}/api/tenants/${id}`, change)).status).toBe(200)
  }
  const maxOpen = () =>
    Math.max(
      ...receiver
        .received()
        .slice(before)
        .map(({ open }) => open),
    )
  await expect.poll(maxOpen, { timeout: 40_000 }).toBe(tenants.length)
  receiver.setBehavior({})
  const stuck = () => new Set(receiver.accepted().flatMap(({ id, ...event }) => (isStuck(event) ? [id] : [])))
  await expect.poll(() => stuck().size, { timeout: 60_000 }).toBe(tenants.length)
})

const isStuck = (event: Parameters<typeof tenantNamesIn>[0][number]) => tenantNamesIn([event])[0] === 'Stuck'
