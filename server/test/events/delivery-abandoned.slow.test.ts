import { describe, expect, test } from 'vitest'
import { listMailTo } from '../account/people.ts'
import { FULL } from '../support/rounds.ts'
import { accepted, advance, deliveriesOf, received, receiver, service, setUpDeliveries, shop } from './deliveries.ts'
import { createInstanceHook, createTenantHook, HOUR_MS, type Hook, openShop, runEventJobs } from './world.ts'

setUpDeliveries()

describe('after three days', () => {
  /**
   * Advances to each next attempt until none is left. In the quick run the second attempt is the last.
   * Returns the times of the attempts in hours.
   */
  async function exhaust(hook: Hook): Promise<number[]> {
    const start = service.ctx.now().getTime()
    const times: number[] = []
    for (let round = 0; round < 60; round++) {
      await runEventJobs(service)
      times.push((service.ctx.now().getTime() - start) / HOUR_MS)
      const [oldest] = (await deliveriesOf(hook)).reverse()
      if (!oldest?.nextAttemptAt) break
      const wait = Date.parse(oldest.nextAttemptAt) - service.ctx.now().getTime() + 1
      advance(FULL ? wait : 72 * HOUR_MS)
    }
    return times
  }

  test('without a successful delivery, the event is abandoned and the webhook disabled', async () => {
    const hook = await createTenantHook(shop, `${receiver.url}?key=hush`)
    receiver.setBehavior({ hangsUp: true })
    await shop.rename('Lost')
    await shop.rename('Kept')
    const times = await exhaust(hook)
    if (FULL) {
      expect(times.length).toBeGreaterThan(15)
      expect(times.length).toBeLessThan(30)
    }
    expect(times.at(-1)).toBeGreaterThanOrEqual(72)
    expect(times.at(-1)).toBeLessThan(72.1)
    expect(await deliveriesOf(hook)).toMatchObject([
      { status: 'PENDING', attempts: 0 },
      { status: 'FAILED', lastError: 'connection', attempts: times.length },
    ])
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'UNREACHABLE' })
    const entry = await service.ctx.db
      .selectFrom('audit_entries')
      .selectAll()
      .where('action', '=', 'webhook.disabled')
      .executeTakeFirstOrThrow()
    expect(entry).toMatchObject({
      tenant_id: shop.company.id,
      actor_kind: 'system',
      details: { webhookId: hook.id, reason: 'UNREACHABLE' },
    })
    const [mail, ...more] = (await listMailTo(service, shop.owner.email)).filter(({ subject }) =>
      subject.includes('webhook'),
    )
    expect(more).toEqual([])
    // Addresses in mails contain zero-width spaces, so that mail clients do not link them.
    const text = mail?.text.replaceAll('\u200b', '')
    expect(text).toContain('No delivery has succeeded for three days')
    expect(text).not.toMatch(/hush|hook\?/)
    expect(text).not.toContain(receiver.url)
    expect(text).toContain(new URL(receiver.url).origin)
    const before = receiver.received().length
    await shop.rename('Unsent')
    advance(7 * HOUR_MS)
    await runEventJobs(service)
    expect(receiver.received()).toHaveLength(before)

    receiver.setBehavior({})
    await hook.call('PATCH', '', { disabled: false })
    await runEventJobs(service)
    expect(accepted()).toEqual(['Kept'])
    await shop.rename('Again')
    await runEventJobs(service)
    expect(accepted()).toEqual(['Kept', 'Again'])
    // An abandoned event can be replayed.
    const [failed] = await deliveriesOf(hook, '?status=FAILED')
    expect((await hook.call('POST', `/deliveries/${failed?.id}/replay`)).status).toBe(202)
    await runEventJobs(service)
    expect(accepted()).toEqual(['Kept', 'Again', 'Lost'])
  })

  test.runIf(FULL)('of server errors, the webhook is disabled', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ status: 500 })
    await shop.rename('Lost')
    await exhaust(hook)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'UNREACHABLE' })
  })

  test.runIf(FULL)('of rejections of two events in a row, the webhook is disabled', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ status: 401 })
    await shop.rename('One')
    await exhaust(hook)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: false })
    await shop.rename('Two')
    await runEventJobs(service)
    advance(72 * HOUR_MS)
    await runEventJobs(service)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'UNREACHABLE' })
  })

  test('of rejections of one event, it is abandoned and the partition continues', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ status: 422 })
    await shop.rename('Poison')
    await shop.rename('Next')
    await exhaust(hook)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: false, disabledReason: null })
    expect(await deliveriesOf(hook, '?status=FAILED')).toMatchObject([{ lastError: 'status_422' }])
    receiver.setBehavior({})
    advance(HOUR_MS)
    await runEventJobs(service)
    expect(accepted()).toEqual(['Next'])
  })

  test.runIf(FULL)('a webhook that answers 410 at the last attempt is disabled as GONE', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ status: 500 })
    await shop.rename('Last')
    await runEventJobs(service)
    advance(72 * HOUR_MS)
    receiver.setBehavior({ status: 410 })
    await runEventJobs(service)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'GONE' })
  })

  test.runIf(FULL)('with other successful deliveries, the event is abandoned and the partition continues', async () => {
    const other = await openShop(service)
    const hook = await createInstanceHook(service, receiver.url, { events: ['tenant.changed'] })
    receiver.setBehavior({ status: 500 })
    await shop.rename('Lost')
    await shop.rename('Next')
    await runEventJobs(service)
    receiver.setBehavior({})
    await other.rename('Got through')
    await runEventJobs(service)
    receiver.setBehavior({ status: 500 })
    await exhaust(hook)
    expect((await hook.call('GET')).body).toMatchObject({ disabled: false })
    receiver.setBehavior({})
    advance(7 * HOUR_MS)
    await runEventJobs(service)
    expect(accepted()).toEqual(['Got through', 'Next'])
    expect(await deliveriesOf(hook, '?status=FAILED')).toHaveLength(1)
  })
})

describe('a receiver that answers 410', () => {
  test('gets no more requests until the webhook is enabled again', async () => {
    const hook = await createTenantHook(shop, receiver.url)
    receiver.setBehavior({ status: 410 })
    await shop.rename('One')
    await shop.rename('Two')
    await runEventJobs(service)
    advance(72 * HOUR_MS)
    await runEventJobs(service)
    expect(received()).toEqual(['One'])
    expect((await hook.call('GET')).body).toMatchObject({ disabled: true, disabledReason: 'GONE' })
    receiver.setBehavior({})
    await hook.call('PATCH', '', { disabled: false })
    await runEventJobs(service)
    expect(accepted()).toEqual(['One', 'Two'])
  })
})
