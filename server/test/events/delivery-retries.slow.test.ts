import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { FULL } from '../support/rounds.ts'
import { accepted, advance, deliveriesOf, received, receiver, service, setUpDeliveries, shop } from './deliveries.ts'
import { createInstanceHook, createTenantHook, HOUR_MS, openShop, runEventJobs, tenantNamesIn } from './world.ts'

setUpDeliveries()

describe('a failed attempt', () => {
  test('is retried later with the same id, and blocks later events', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ status: 500 })
    for (const name of ['One', 'Two', 'Three']) await shop.rename(name)
    await runEventJobs(service)
    await runEventJobs(service)
    expect(received()).toEqual(['One'])
    const [third, second, first] = await deliveriesOf(hook)
    expect(first).toMatchObject({ status: 'PENDING', attempts: 1, lastStatus: 500, lastError: 'status_500' })
    const wait = Date.parse(first?.nextAttemptAt ?? '') - service.ctx.now().getTime()
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(6_000)
    for (const next of [second, third]) expect(next).toMatchObject({ status: 'PENDING', attempts: 0 })
    advance(6_000)
    receiver.setBehavior({})
    await runEventJobs(service)
    expect(accepted()).toEqual(['One', 'Two', 'Three'])
    const ids = receiver.received().map(({ headers }) => headers['webhook-id'])
    expect(ids[1]).toBe(ids[0])
  })

  test('does not block other tenants or other receivers', async () => {
    const [good, other] = [await startReceiver(), await openShop(service)]
    await createInstanceHook(service, receiver.url, { events: ['tenant.changed'] })
    await createInstanceHook(service, good.url, { events: ['tenant.changed'] })
    receiver.setBehavior({ status: 503 })
    await shop.rename('Ours')
    await other.rename('Theirs')
    await runEventJobs(service)
    expect(received().sort()).toEqual(['Ours', 'Theirs'])
    expect(tenantNamesIn(good.accepted()).sort()).toEqual(['Ours', 'Theirs'])
    await good.close()
  })

  test.each([
    [{ status: 307, answerHeaders: { location: '/elsewhere' } }, 307, 'status_307'],
    [{ status: 404 }, 404, 'status_404'],
    [{ hangsUp: true }, null, 'connection'],
  ])('with the response %j is reported with an error code', async (mood, lastStatus, lastError) => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior(mood)
    await shop.rename('Vain')
    await runEventJobs(service)
    expect(receiver.received()).toHaveLength(1)
    expect(await deliveriesOf(hook)).toMatchObject([{ status: 'PENDING', lastStatus, lastError }])
    expect(JSON.stringify(await deliveriesOf(hook))).not.toContain('thank you')
  })

  test.runIf(FULL)('to a private address is not sent', async () => {
    const { port } = new URL(receiver.url)
    const hook = await createTenantHook(shop, `http://localhost:${port}/`)
    await service.ctx.db
      .updateTable('webhooks')
      .set({ url: `http://0.0.0.0:${port}/` })
      .execute()
    await shop.rename('Inward')
    await runEventJobs(service)
    expect(await deliveriesOf(hook)).toMatchObject([{ lastStatus: null, lastError: 'address_refused' }])
    expect(receiver.received()).toEqual([])
  })

  test.runIf(FULL)(
    'to a name with a private address is a connection error for a tenant and a refused address for operators',
    async () => {
      const { port } = new URL(receiver.url)
      const url = `http://localhost:${port}/`
      const [theirs, ours] = [await createTenantHook(shop, url), await createInstanceHook(service, url)]
      const ctx = {
        ...service.ctx,
        config: { ...service.ctx.config, webhooks: { allowedNetworks: ['10.9.8.7'] } },
      }
      await shop.rename('Inward')
      await runEventJobs({ ...service, ctx })
      expect(await deliveriesOf(theirs)).toMatchObject([{ lastStatus: null, lastError: 'connection' }])
      expect((await deliveriesOf(ours))[0]).toMatchObject({ lastError: 'address_refused' })
      expect(receiver.received()).toEqual([])
    },
  )

  test.runIf(FULL)('takes at most fifteen seconds', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ hangs: true })
    await shop.rename('Patient')
    await runEventJobs(service)
    expect(await deliveriesOf(hook)).toMatchObject([{ lastStatus: null, lastError: 'timeout', attempts: 1 }])
  })

  test.runIf(FULL)('times out when a response never ends', async () => {
    const stalling = createServer((_request, response) => response.writeHead(200).write('well'))
    onTestFinished(() => void stalling.close())
    await new Promise<void>((resolve) => stalling.listen(0, '127.0.0.1', resolve))
    const { port } = stalling.address() as AddressInfo
    const hook = await createTenantHook(shop, `http://127.0.0.1:${port}/`)
    await shop.rename('Stalled')
    await runEventJobs(service)
    expect(await deliveriesOf(hook)).toMatchObject([{ lastStatus: null, lastError: 'timeout', attempts: 1 }])
    stalling.closeAllConnections()
  })

  test.runIf(FULL)('is delayed by Retry-After, within limits', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    const waitAfter = async (retryAfter: string) => {
      receiver.setBehavior({ status: 429, answerHeaders: { 'retry-after': retryAfter } })
      await runEventJobs(service)
      const [delivery] = await deliveriesOf(hook)
      const wait = Date.parse(delivery?.nextAttemptAt ?? '') - service.ctx.now().getTime()
      advance(wait)
      return wait
    }
    await shop.rename('Later')
    // HTTP dates have a resolution of one second.
    const expectNear = (wait: number, seconds: number) => {
      expect(wait).toBeGreaterThan((seconds - 1) * 1_000)
      expect(wait).toBeLessThanOrEqual(seconds * 1_000)
    }
    expectNear(await waitAfter('600'), 600)
    const inAnHour = new Date(service.ctx.now().getTime() + HOUR_MS).toUTCString()
    expectNear(await waitAfter(inAnHour), 3_600)
    expectNear(await waitAfter('999999999'), 6 * 3_600)
    // Shorter delays and invalid values are ignored.
    expect(await waitAfter('0')).toBeGreaterThan(9 * 60_000)
    expect(await waitAfter('soon')).toBeGreaterThan(29 * 60_000)
  })
})
