import { describe, expect, test } from 'vitest'
import { sweepDeliveries } from '../../src/events/sweep/service.ts'
import { deleteFinishedDeliveries } from '../../src/events/sweep/store.ts'
import { errorReply } from '../account/people.ts'
import { FULL } from '../support/rounds.ts'
import { accepted, advance, deliveriesOf, received, receiver, service, setUpDeliveries, shop } from './deliveries.ts'
import { createTenantHook, HOUR_MS, openShop, runEventJobs } from './world.ts'

setUpDeliveries()

describe('replay', () => {
  test('sends the requested events again, with the same ids and in order', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    for (const name of ['One', 'Two', 'Three']) {
      await shop.rename(name)
      advance(1_000)
    }
    await runEventJobs(service)
    const [, second] = receiver.accepted()
    const after = (receiver.accepted()[0]?.position ?? 0) as number
    expect(await hook.call('POST', '/replay', { after })).toMatchObject({
      status: 202,
      body: { count: 2, next: null },
    })
    await runEventJobs(service)
    expect(accepted()).toEqual(['One', 'Two', 'Three', 'Two', 'Three'])
    expect(receiver.accepted()[3]?.id).toBe(second?.id)
    expect(await deliveriesOf(hook)).toHaveLength(3)
    expect((await hook.call('POST', '/replay', { after, types: ['user.*'] })).body).toMatchObject({
      count: 0,
    })
    const to = second?.timestamp ?? ''
    expect((await hook.call('POST', '/replay', { from: to })).body).toMatchObject({ count: 2 })
    expect((await hook.call('POST', '/replay', { after: 0, to })).body).toMatchObject({ count: 1 })
  })

  test('includes events from before the webhook existed or while it was disabled, and none of other tenants', async () => {
    const other = await openShop(service)
    await shop.rename('Before')
    await other.rename('Elsewhere')
    await runEventJobs(service)
    const hook = await createTenantHook(shop, receiver.url, { disabled: true })
    await shop.rename('Meanwhile')
    await runEventJobs(service)
    await hook.call('PATCH', '', { disabled: false })
    await runEventJobs(service)
    expect(received()).toEqual([])
    const { count } = (await hook.call('POST', '/replay', { after: 0 })).body as { count: number }
    await runEventJobs(service)
    expect(accepted()).toEqual(['Before', 'Meanwhile'])
    expect(receiver.accepted()).toHaveLength(count)
    expect(new Set(receiver.accepted().map(({ data }) => data.tenantId))).toEqual(new Set([shop.company.id]))
  })

  test.runIf(FULL)('of a pending delivery retries it immediately', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ status: 500 })
    await shop.rename('Waiting')
    await runEventJobs(service)
    receiver.setBehavior({})
    await runEventJobs(service)
    expect(accepted()).toEqual([])
    const [waiting] = await deliveriesOf(hook)
    await hook.call('POST', `/deliveries/${waiting?.id}/replay`)
    await runEventJobs(service)
    expect(accepted()).toEqual(['Waiting'])
  })
})

test.runIf(FULL)('a webhook can be replayed sixty times per hour, with either route', async () => {
  const [hook, other] = [await createTenantHook(shop, receiver.url), await createTenantHook(shop, receiver.url)]
  await shop.rename('Over and over')
  await runEventJobs(service)
  const [delivery] = await deliveriesOf(hook)
  for (let done = 0; done < 59; done++) {
    expect((await hook.call('POST', '/replay', { after: 1_000_000 })).status).toBe(202)
  }
  expect((await hook.call('POST', `/deliveries/${delivery?.id}/replay`)).status).toBe(202)
  expect(await hook.call('POST', `/deliveries/${delivery?.id}/replay`)).toMatchObject(errorReply(429, 'RATE_LIMITED'))
  expect(await hook.call('POST', '/replay', { after: 0 })).toMatchObject(errorReply(429, 'RATE_LIMITED'))
  expect((await other.call('POST', '/replay', { after: 1_000_000 })).status).toBe(202)
})

describe('the list of deliveries', () => {
  test('is paged and filtered by status', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    for (const name of ['One', 'Two', 'Three']) await shop.rename(name)
    await runEventJobs(service)
    receiver.setBehavior({ status: 500 })
    await shop.rename('Four')
    await runEventJobs(service)
    const all = await deliveriesOf(hook)
    expect(all.map(({ status }) => status)).toEqual(['PENDING', 'DELIVERED', 'DELIVERED', 'DELIVERED'])
    expect(await deliveriesOf(hook, '?status=PENDING')).toEqual(all.slice(0, 1))
    const first = (await hook.call('GET', '/deliveries?limit=3')).body as unknown as { next: number }
    expect(first).toEqual({ deliveries: all.slice(0, 3), next: all[2]?.event.position })
    const last = (await hook.call('GET', `/deliveries?limit=3&after=${first.next}`)).body
    expect(last).toEqual({ deliveries: all.slice(3), next: null })
    expect((await hook.call('GET', '/deliveries?status=LOST')).status).toBe(422)
  })

  test('contains finished deliveries for a month and pending ones without a limit', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    await shop.rename('Old')
    await runEventJobs(service)
    receiver.setBehavior({ status: 500 })
    await shop.rename('Waiting')
    await runEventJobs(service)
    advance(29 * 24 * HOUR_MS)
    await sweepDeliveries.run(service.ctx, undefined)
    expect(await deliveriesOf(hook)).toHaveLength(2)
    advance(2 * 24 * HOUR_MS)
    await sweepDeliveries.run(service.ctx, undefined)
    expect(await deliveriesOf(hook)).toMatchObject([{ status: 'PENDING' }])
    expect(await deleteFinishedDeliveries(service.ctx.db, service.ctx.now(), 10)).toBe(0)
  })
})
