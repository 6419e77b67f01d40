import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import type { TestService } from '../support/service.ts'
import { type Hook, openShop, runEventJobs, type Shop, startWithoutJobs, tenantNamesIn } from './world.ts'

/** Deliveries with a frozen clock and without background jobs. */

export interface Delivery {
  id: string
  status: string
  event: { id: string; type: string; position: number }
  attempts: number
  lastStatus: number | null
  lastError: string | null
  nextAttemptAt: string | null
  finishedAt: string | null
}

export let service: TestService
export let receiver: Receiver
export let shop: Shop
let advancedMs = 0

/** Registers the hooks that start the service for a test file, and a receiver and a tenant for each test. */
export function setUpDeliveries(): void {
  beforeAll(async () => {
    service = await startWithoutJobs()
    // Deliver the events of the setup.
    await runEventJobs(service)
  })
  afterAll(() => service?.close())
  beforeEach(async () => {
    receiver = await startReceiver()
    shop = await openShop(service)
  })
  afterEach(async () => {
    await receiver.close()
    await service.ctx.db.deleteFrom('webhooks').execute()
    service.advance(-advancedMs)
    advancedMs = 0
  })
}

/** Advances the clock until the end of the test. */
export function advance(ms: number): void {
  advancedMs += ms
  service.advance(ms)
}

export const deliveriesOf = async (hook: Hook, query = ''): Promise<Delivery[]> =>
  ((await hook.call('GET', `/deliveries${query}`)).body as unknown as { deliveries: Delivery[] }).deliveries

/** The tenant names in all received and in all accepted events. */
export const received = () => tenantNamesIn(receiver.received().map(({ body }) => JSON.parse(body)))
export const accepted = () => tenantNamesIn(receiver.accepted())
