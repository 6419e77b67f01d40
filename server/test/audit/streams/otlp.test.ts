import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { recordAuditEvent, userActor } from '../../../src/audit/record.ts'
import type { TestService } from '../../support/service.ts'
import { getLink, recordEntries, startWithEmptyLog, verifyLog } from '../log.ts'
import { attributesOf, type OtlpReceiver, startOtlpReceiver } from './otlp-receiver.ts'
import { findRow, idsOf, listIds, openStream, otlp, runStream } from './streams.ts'

let service: TestService
let receiver: OtlpReceiver
beforeAll(async () => {
  service = await startWithEmptyLog()
})
afterAll(() => service?.close())
beforeEach(async () => {
  receiver = await startOtlpReceiver()
})
afterEach(() => receiver.close())

let number = 0
const newName = () => `TARGET_${++number}`
const open = (changes: Partial<Parameters<typeof otlp>[0]> = {}) =>
  openStream(service, otlp({ name: newName(), url: receiver.url, ...changes }))

test('all events arrive in the order of the log', async () => {
  const stream = open()
  await recordEntries(service.ctx, 30)
  await runStream(service, stream)
  await recordEntries(service.ctx, 5)
  await runStream(service, stream)
  expect(idsOf(receiver.events())).toEqual(await listIds(service.ctx))
})

test('an event has everything that the audit log has, as a document and as attributes', async () => {
  const stream = open({ from: 'now' })
  await runStream(service, stream)
  const userId = '0197a3c2-6f5e-7c41-9d0b-2f4f5c1f8a10'
  await recordAuditEvent(service.ctx, service.ctx.db, {
    action: 'member.joined',
    actor: userActor(userId),
    userId,
    tenantId: userId,
    clientId: 'demo-spa',
    details: { after: { role: 'member', status: 'ACTIVE' } },
    personal: { email: 'zoë@people.test', ipAddress: '192.0.2.7', userAgent: 'Browser "1" \\ ]' },
  })
  await runStream(service, stream)
  const [event] = receiver.events()
  const { position, id, at } = await getLink(service.ctx, -1)
  expect(receiver.events()).toEqual([
    {
      id,
      position,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      occurredAt: at.toISOString(),
      action: 'member.joined',
      actor: { kind: 'user', id: userId },
      clientId: 'demo-spa',
      tenantId: userId,
      userId,
      email: 'zoë@people.test',
      ipAddress: '192.0.2.7',
      userAgent: 'Browser "1" \\ ]',
      requestId: null,
      details: { after: { role: 'member', status: 'ACTIVE' } },
    },
  ])
  const [record] = receiver.records
  expect(record && BigInt(record.timeUnixNano) / 1_000_000n).toBe(BigInt(at.getTime()))
  expect(record?.eventName).toBe('member.joined')
  expect(record && attributesOf(record)).toMatchObject({
    'log.record.uid': id,
    'latchkey.audit.position': String(position),
    'latchkey.audit.hash': event?.hash,
    'client.address': '192.0.2.7',
    'user.email': 'zoë@people.test',
  })
})

test('the hash of a received event proves that the log was not changed up to it', async () => {
  const stream = open()
  await recordEntries(service.ctx, 3)
  await runStream(service, stream)
  const last = receiver.events().at(-1)
  const { findings } = await verifyLog(service.ctx, `${last?.position}:${last?.hash}`)
  expect(findings).toEqual([])
  const forged = await verifyLog(service.ctx, `${last?.position}:${'0'.repeat(64)}`)
  expect(forged.findings).toHaveLength(1)
})

test('a new target starts now, or at the beginning if configured', async () => {
  await recordEntries(service.ctx, 4)
  const [now, beginning] = [open({ from: 'now' }), open({ from: 'beginning' })]
  await runStream(service, now)
  expect(receiver.events()).toEqual([])
  await recordEntries(service.ctx, 2)
  await runStream(service, now)
  const all = await listIds(service.ctx)
  expect(idsOf(receiver.events())).toEqual(all.slice(-2))
  await runStream(service, beginning)
  expect(idsOf(receiver.events())).toEqual([...all.slice(-2), ...all])
})

test('a target continues at its position after a restart', async () => {
  const settings = { name: newName() }
  await recordEntries(service.ctx, 2)
  await runStream(service, open(settings))
  receiver.records.length = 0
  await recordEntries(service.ctx, 2)
  await runStream(service, open(settings))
  expect(idsOf(receiver.events())).toEqual((await listIds(service.ctx)).slice(-2))
})

test('batches are bounded by number and by size', async () => {
  await recordEntries(service.ctx, 10)
  const all = await listIds(service.ctx)
  const byNumber = open()
  byNumber.target.limits = { maxEvents: 4, maxBytes: 1024 ** 2 }
  await runStream(service, byNumber)
  expect(Math.max(...receiver.batches)).toBe(4)
  expect(idsOf(receiver.events())).toEqual(all)
  receiver.records.length = 0
  receiver.batches.length = 0
  // Smaller than one event: a batch has at least one.
  const bySize = open()
  bySize.target.limits = { maxEvents: 1_000, maxBytes: 10 }
  await runStream(service, bySize)
  expect(receiver.batches).toEqual(all.map(() => 1))
  expect(idsOf(receiver.events())).toEqual(all)
})

test('events are collected for the configured time, unless a batch is full', async () => {
  const stream = open({ from: 'now', delayMs: 3_600_000 })
  await runStream(service, stream)
  await recordEntries(service.ctx, 3)
  await runStream(service, stream)
  expect(receiver.events()).toEqual([])
  stream.target.limits = { maxEvents: 3, maxBytes: 1024 ** 2 }
  await runStream(service, stream)
  expect(receiver.events()).toHaveLength(3)
})

test.each([400, 401, 404, 413, 429, 500, 503])('after the status %s the same events are sent again', async (status) => {
  const stream = open()
  await recordEntries(service.ctx, 3)
  receiver.setBehavior({ status, body: '{"message":"not today"}' })
  await runStream(service, stream)
  const row = await findRow(service.ctx, stream.settings.name)
  expect(row).toMatchObject({ position: 0, failures: 1, last_error: `status ${status}: {"message":"not today"}` })
  const delay = Number(row?.retry_at) - service.ctx.now().getTime()
  expect(delay).toBeLessThanOrEqual(1_000)
  receiver.setBehavior({})
  await runStream(service, stream)
  expect(receiver.events()).toEqual([])
  service.advance(1_001)
  await runStream(service, stream)
  expect(idsOf(receiver.events())).toEqual(await listIds(service.ctx))
  expect(await findRow(service.ctx, stream.settings.name)).toMatchObject({ failures: 0, last_error: null })
})

test('a target may ask for a longer pause, up to ten minutes', async () => {
  const stream = open()
  await recordEntries(service.ctx, 1)
  receiver.setBehavior({ status: 429, headers: { 'retry-after': '86400' } })
  await runStream(service, stream)
  const row = await findRow(service.ctx, stream.settings.name)
  const delay = Number(row?.retry_at) - service.ctx.now().getTime()
  expect(delay).toBeGreaterThan(590_000)
  expect(delay).toBeLessThanOrEqual(600_000)
})

test('an answer that is lost repeats the same events with the same ids', async () => {
  const stream = open()
  await recordEntries(service.ctx, 3)
  receiver.setBehavior({ losesAnswer: true })
  await runStream(service, stream)
  const first = idsOf(receiver.events())
  // These are not part of the repeated batch.
  await recordEntries(service.ctx, 2)
  receiver.setBehavior({})
  service.advance(1_001)
  await runStream(service, stream)
  const all = await listIds(service.ctx)
  expect(idsOf(receiver.events())).toEqual([...first, ...all])
  expect(receiver.batches).toEqual([first.length, first.length, 2])
})

test('a redirect is not followed, because the request has credentials', async () => {
  const other = await startOtlpReceiver()
  const stream = open({ headers: { authorization: 'Bearer s3cret' } })
  await recordEntries(service.ctx, 1)
  receiver.setBehavior({ status: 307, headers: { location: other.url } })
  await runStream(service, stream)
  expect(other.requests).toEqual([])
  expect(await findRow(service.ctx, stream.settings.name)).toMatchObject({ last_error: 'status 307' })
  await other.close()
})

test('headers are sent, and secrets are in no log line and not in the database', async () => {
  const stream = open({ headers: { 'api-key': 's3cret-of-the-collector' } })
  await recordEntries(service.ctx, 1)
  receiver.setBehavior({ status: 401, body: 'the key s3cret-of-the-collector is wrong' })
  await runStream(service, stream)
  expect(receiver.requests.at(-1)).toMatchObject({ 'api-key': 's3cret-of-the-collector' })
  const { name: target } = stream.settings
  const line = service.logs.find((entry) => entry.target === target)
  expect(line).toMatchObject({ reason: 'status 401: the key [secret] is wrong' })
  expect(JSON.stringify(service.logs)).not.toContain('s3cret-of-the-collector')
  expect(JSON.stringify(await findRow(service.ctx, target))).not.toContain('s3cret')
})

test('events that a collector drops are logged and not sent again', async () => {
  const stream = open()
  await recordEntries(service.ctx, 2)
  const body = JSON.stringify({ partialSuccess: { rejectedLogRecords: '1', errorMessage: 'too old' } })
  receiver.setBehavior({ status: 200, body })
  await runStream(service, stream)
  receiver.setBehavior({})
  await runStream(service, stream)
  expect(receiver.events()).toEqual([])
  const { name: target } = stream.settings
  expect(service.logs.filter((entry) => entry.target === target)).toMatchObject([
    { level: 50, count: 1, reason: 'too old', from: 1 },
  ])
})

test('a response that is larger than allowed is cut off, and its status counts', async () => {
  const stream = open()
  await recordEntries(service.ctx, 1)
  receiver.setBehavior({ status: 200, body: 'x'.repeat(1024 ** 2) })
  await runStream(service, stream)
  const { length } = await listIds(service.ctx)
  expect(await findRow(service.ctx, stream.settings.name)).toMatchObject({ position: length, failures: 0 })
  receiver.setBehavior({ status: 500, body: 'x'.repeat(1024 ** 2) })
  await recordEntries(service.ctx, 1)
  await runStream(service, stream)
  const row = await findRow(service.ctx, stream.settings.name)
  expect(row?.last_error).toMatch(/^status 500: x{300}$/)
})
