import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import type { TestService } from '../support/service.ts'
import {
  callAsOps,
  createInstanceHook,
  createTenantHook,
  HOUR_MS,
  openShop,
  runEventJobs,
  type Shop,
  startWithoutJobs,
  tenantNamesIn,
} from './world.ts'

// Deliveries of a suspended tenant are kept, but not sent.

let service: TestService
let receiver: Receiver
let shop: Shop
beforeEach(async () => {
  service = await startWithoutJobs()
  receiver = await startReceiver()
  shop = await openShop(service)
  await runEventJobs(service)
})
afterEach(async () => {
  await receiver?.close()
  await service?.close()
})

const suspend = async (suspended: boolean) => {
  const { status } = await callAsOps(service, 'PATCH', `/api/admin/tenants/${shop.company.id}`, { suspended })
  expect(status).toBe(200)
}
const rename = (name: string) => callAsOps(service, 'PATCH', `/api/admin/tenants/${shop.company.id}`, { name })
const accepted = () => tenantNamesIn(receiver.accepted()).filter((name) => name !== undefined)

test('deliveries of a suspended tenant are sent after the suspension, and operators get theirs immediately', async () => {
  const operators = await startReceiver()
  await createInstanceHook(service, operators.url, { events: ['tenant.*'] })
  await createTenantHook(shop, receiver.url, { events: ['tenant.changed'] })
  await suspend(true)
  await rename('Meanwhile')
  await runEventJobs(service)
  await runEventJobs(service)
  expect(receiver.received()).toEqual([])
  expect(tenantNamesIn(operators.accepted())).toContain('Meanwhile')
  await suspend(false)
  await runEventJobs(service)
  expect(accepted()).toEqual(['Meanwhile'])
  await operators.close()
})

test('the retry period of an attempted event restarts when the suspension ends', async () => {
  const hook = await createTenantHook(shop, receiver.url, { events: ['tenant.changed'] })
  receiver.setBehavior({ hangsUp: true })
  await shop.rename('Tried')
  await runEventJobs(service)
  await suspend(true)
  service.advance(100 * HOUR_MS)
  await runEventJobs(service)
  expect(receiver.received()).toHaveLength(1)
  await suspend(false)
  await runEventJobs(service)
  expect(receiver.received()).toHaveLength(2)
  const row = () =>
    service.ctx.db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
      .select(['status', 'disabled_at'])
      .where('webhook_id', '=', hook.id)
      .executeTakeFirstOrThrow()
  expect(await row()).toMatchObject({ status: 'PENDING', disabled_at: null })
  // A new event has its own retry period, independent of the suspension.
  receiver.setBehavior({})
  service.advance(HOUR_MS)
  await runEventJobs(service)
  expect(accepted()).toEqual(['Tried'])
  service.advance(200 * HOUR_MS)
  receiver.setBehavior({ hangsUp: true })
  await rename('New')
  await runEventJobs(service)
  expect((await row()).disabled_at).toBeNull()
})
