import { afterEach, describe, expect, test } from 'vitest'
import { extendChain } from '../../../src/audit/chain/service.ts'
import { toRetryDelay } from '../../../src/audit/streams/backoff.ts'
import type { AuditStream } from '../../../src/config/audit-streams.ts'
import { scrape } from '../../operator/exposition.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/program.ts'
import { FULL } from '../../support/rounds.ts'
import { startService, type TestService } from '../../support/service.ts'
import { getLink, recordEntries, startWithEmptyLog, tamper } from '../log.ts'
import { type OtlpReceiver, startOtlpReceiver } from './otlp-receiver.ts'
import { findRow, idsOf, listIds, openStream, otlp, runStream, withoutRepetitions } from './streams.ts'

// The real job, with targets that fail.

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function startReceiver(port?: number): Promise<OtlpReceiver> {
  const receiver = await startOtlpReceiver(port)
  closers.push(receiver.close)
  return receiver
}

async function start(auditStreams: AuditStream[], sameDatabaseAs?: TestService): Promise<TestService> {
  const service = await startService({
    worker: true,
    config: { auditStreams },
    ...(sameDatabaseAs && { sameDatabaseAs }),
  })
  closers.push(service.close)
  for (const { name } of auditStreams) await eventually(() => findRow(service.ctx, name))
  return service
}

const readGauge = async (service: TestService, name: string) =>
  (await scrape(service)).find((sample) => sample.name === name)?.value

test('events of an outage arrive completely and in order, and the lag is measured', async () => {
  const port = Number(await freePort())
  const service = await start([otlp({ name: 'SIEM', url: `http://127.0.0.1:${port}/v1/logs` })])
  await recordEntries(service.ctx, 10)
  await eventually(async () => ((await findRow(service.ctx, 'SIEM'))?.failures ? true : undefined))
  await recordEntries(service.ctx, 10)
  const all = await listIds(service.ctx)
  expect(all.length).toBeGreaterThanOrEqual(20)
  await expect.poll(() => readGauge(service, 'latchkey_audit_stream_lag_events')).toBe(all.length)
  await expect.poll(() => readGauge(service, 'latchkey_audit_stream_lag_seconds')).toBeGreaterThan(0)
  const receiver = await startReceiver(port)
  await expect.poll(() => receiver.events().length).toBeGreaterThanOrEqual(all.length)
  expect(idsOf(receiver.events())).toEqual(all)
  await expect.poll(() => readGauge(service, 'latchkey_audit_stream_lag_events')).toBe(0)
  expect(await readGauge(service, 'latchkey_audit_stream_lag_seconds')).toBe(0)
  const attempts = (await scrape(service)).filter(({ name }) => name === 'latchkey_audit_stream_attempts_total')
  expect(attempts.find(({ labels }) => labels.outcome === 'failed')?.value).toBeGreaterThan(0)
  expect(attempts.find(({ labels }) => labels.outcome === 'delivered')?.value).toBeGreaterThan(0)
  // One line when it begins, one when it ends.
  const lines = service.logs.filter(({ target }) => target === 'SIEM').map(({ msg }) => msg)
  expect(lines).toEqual(['audit events could not be sent and will be sent again', 'audit events are sent again'])
})

test('a target that does not answer delays no other target, and stopping does not wait for it', async () => {
  const [stuck, healthy] = [await startReceiver(), await startReceiver()]
  stuck.setBehavior({ hangs: true })
  const service = await start([otlp({ name: 'STUCK', url: stuck.url }), otlp({ name: 'HEALTHY', url: healthy.url })])
  for (let round = 0; round < 3; round++) {
    await recordEntries(service.ctx, 5)
    const all = await listIds(service.ctx)
    await expect.poll(() => idsOf(healthy.events())).toEqual(all)
  }
  expect(stuck.openRequests()).toBe(1)
  const before = performance.now()
  closers.pop()
  await service.close()
  expect(performance.now() - before).toBeLessThan(15_000)
  // The lease was released, so that another node continues at once.
  await expect.poll(() => stuck.openRequests()).toBe(0)
})

describe('two nodes', () => {
  test('one of them sends at a time, and every event arrives once and in order', async () => {
    const receiver = await startReceiver()
    const streams = [otlp({ name: 'SIEM', url: receiver.url })]
    const one = await start(streams)
    const two = await start(streams, one)
    for (let round = 0; round < 10; round++) {
      await Promise.all([recordEntries(one.ctx, 5), recordEntries(two.ctx, 5)])
    }
    const all = await listIds(one.ctx)
    expect(all.length).toBeGreaterThanOrEqual(100)
    await expect.poll(() => receiver.events().length).toBeGreaterThanOrEqual(all.length)
    expect(idsOf(receiver.events())).toEqual(all)
  })

  test('the other one waits while a target hangs', async () => {
    const receiver = await startReceiver()
    receiver.setBehavior({ hangs: true })
    const streams = [otlp({ name: 'SIEM', url: receiver.url })]
    const one = await start(streams)
    const two = await start(streams, one)
    await recordEntries(one.ctx, 1)
    await expect.poll(() => receiver.openRequests()).toBe(1)
    const { locked_until: first } = (await findRow(two.ctx, 'SIEM')) ?? {}
    // The lease is renewed beyond its first end; in the quick run once.
    const later = Number(first) + (FULL ? 4_000 : 1_000)
    await expect.poll(async () => Number((await findRow(two.ctx, 'SIEM'))?.locked_until)).toBeGreaterThan(later)
    expect(receiver.requests).toHaveLength(1)
  })

  test('a lost lease is taken over, and its holder confirms nothing', async () => {
    const receiver = await startReceiver()
    receiver.setBehavior({ hangs: true })
    const service = await startWithEmptyLog()
    closers.push(service.close)
    const open = () => openStream(service, otlp({ name: 'SIEM', url: receiver.url }))
    await recordEntries(service.ctx, 3)
    const stuck = runStream(service, open())
    await expect.poll(() => receiver.openRequests()).toBe(1)
    receiver.setBehavior({})
    // The other node sees that the lease has ended.
    await tamper(service.ctx, `update audit_streams set locked_until = now() - interval '1 second'`)
    await runStream(service, open())
    expect(idsOf(receiver.events())).toEqual(await listIds(service.ctx))
    await recordEntries(service.ctx, 2)
    await stuck
    expect(await findRow(service.ctx, 'SIEM')).toMatchObject({ position: 3, failures: 0 })
    await runStream(service, open())
    expect(withoutRepetitions(idsOf(receiver.events()))).toEqual(await listIds(service.ctx))
  })
})

describe('retention', () => {
  test('events that were deleted before they were sent are logged, and the stream continues', async () => {
    const receiver = await startReceiver()
    const service = await startWithEmptyLog()
    closers.push(service.close)
    const stream = openStream(service, otlp({ name: 'SIEM', url: receiver.url }))
    await recordEntries(service.ctx, 4)
    receiver.setBehavior({ status: 503 })
    await runStream(service, stream)
    const { position } = await getLink(service.ctx, 1)
    await tamper(
      service.ctx,
      `delete from audit_entries where id in (select entry_id from audit_chain where position <= ${position})`,
      `delete from audit_chain where position <= ${position}`,
      `update audit_head set anchor_position = ${position}`,
    )
    receiver.setBehavior({})
    service.advance(1_001)
    await extendChain(service.ctx)
    await runStream(service, stream)
    expect(idsOf(receiver.events())).toEqual(await listIds(service.ctx))
    expect(receiver.events()).toHaveLength(2)
    expect(service.logs.filter(({ level }) => level === 50)).toMatchObject([{ target: 'SIEM', from: 1, to: position }])
  })
})

test('the delay doubles with every failure up to a minute, and is random within a range', () => {
  const delays = (failures: number, retryAfterMs?: number) =>
    Array.from({ length: 200 }, () => toRetryDelay(failures, retryAfterMs))
  for (const [failures, max] of [
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
    [7, 60_000],
    [1_000_000, 60_000],
  ] as const) {
    const all = delays(failures)
    expect(Math.min(...all)).toBeGreaterThanOrEqual(max / 2)
    expect(Math.max(...all)).toBeLessThanOrEqual(max)
    expect(new Set(all).size).toBeGreaterThan(20)
  }
  expect(toRetryDelay(1, 5_000)).toBe(5_000)
  expect(toRetryDelay(1, -5_000)).toBeLessThanOrEqual(1_000)
})
