import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import type { TestService } from '../support/service.ts'
import { asOps, HOUR, hookOf, instanceHook, namesIn, openShop, pass, type Shop, startQuiet } from './world.ts'

// A suspended tenant sends nothing; what happens there meanwhile waits.

let service: TestService
let receiver: Receiver
let shop: Shop
beforeEach(async () => {
  service = await startQuiet()
  receiver = await startReceiver()
  shop = await openShop(service)
  await pass(service)
})
afterEach(async () => {
  await receiver?.close()
  await service?.close()
})

const suspend = async (suspended: boolean) => {
  const { status } = await asOps(service, 'PATCH', `/api/admin/tenants/${shop.company.id}`, { suspended })
  expect(status).toBe(200)
}
const rename = (name: string) => asOps(service, 'PATCH', `/api/admin/tenants/${shop.company.id}`, { name })
const accepted = () => namesIn(receiver.accepted()).filter((name) => name !== undefined)

test('what waits is kept while a tenant is suspended, and goes out afterwards; operators hear of it at once', async () => {
  const operators = await startReceiver()
  await instanceHook(service, operators.url, { events: ['tenant.*'] })
  await hookOf(shop, receiver.url, { events: ['tenant.changed'] })
  await suspend(true)
  await rename('Meanwhile')
  await pass(service)
  await pass(service)
  expect(receiver.received()).toEqual([])
  expect(namesIn(operators.accepted())).toContain('Meanwhile')
  await suspend(false)
  await pass(service)
  expect(accepted()).toEqual(['Meanwhile'])
  await operators.close()
})

test('the time of an event that was tried before begins anew when the suspension ends', async () => {
  const hook = await hookOf(shop, receiver.url, { events: ['tenant.changed'] })
  receiver.be({ hangsUp: true })
  await shop.rename('Tried')
  await pass(service)
  await suspend(true)
  service.advance(100 * HOUR)
  await pass(service)
  expect(receiver.received()).toHaveLength(1)
  await suspend(false)
  await pass(service)
  expect(receiver.received()).toHaveLength(2)
  const row = () =>
    service.ctx.db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_id')
      .select(['status', 'disabled_at'])
      .where('webhook_id', '=', hook.id)
      .executeTakeFirstOrThrow()
  expect(await row()).toMatchObject({ status: 'PENDING', disabled_at: null })
  // One that is tried for the first time has its own time, however long ago the suspension was.
  receiver.be({})
  service.advance(HOUR)
  await pass(service)
  expect(accepted()).toEqual(['Tried'])
  service.advance(200 * HOUR)
  receiver.be({ hangsUp: true })
  await rename('New')
  await pass(service)
  expect((await row()).disabled_at).toBeNull()
})
