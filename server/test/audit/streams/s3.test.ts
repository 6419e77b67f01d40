import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestService } from '../../support/service.ts'
import { recordEntries, startWithEmptyLog } from '../log.ts'
import { type S3Server, startS3Server } from './s3-server.ts'
import { findRow, idsOf, listIds, openStream, runStream, s3 } from './streams.ts'

let service: TestService
let server: S3Server
beforeAll(async () => {
  service = await startWithEmptyLog()
})
afterAll(() => service?.close())
beforeEach(async () => {
  server = await startS3Server()
})
afterEach(() => server.close())

let number = 0
const open = (changes: Partial<Parameters<typeof s3>[0]> = {}) =>
  openStream(service, s3({ name: `TARGET_${++number}`, url: `${server.url}/bucket/audit`, ...changes }))

test('the events are in gzipped files, in the order of the log, and the names tell day and positions', async () => {
  const stream = open()
  await recordEntries(service.ctx, 30)
  await runStream(service, stream)
  await recordEntries(service.ctx, 5)
  await runStream(service, stream)
  expect(idsOf(server.events())).toEqual(await listIds(service.ctx))
  const [first, second] = [...server.objects.keys()]
  const day = new Date(server.events()[0]?.occurredAt ?? '').toISOString().slice(0, 10).replaceAll('-', '/')
  expect(first).toMatch(new RegExp(`^/bucket/audit/${day}/000000000000001-000000000000030-[0-9a-f]{12}\\.jsonl\\.gz$`))
  expect(second).toMatch(/000000000000031-000000000000035-[0-9a-f]{12}\.jsonl\.gz$/)
})

test('a repeated batch overwrites its object, also if there are more events in the meantime', async () => {
  const stream = open()
  await recordEntries(service.ctx, 3)
  server.setBehavior({ losesAnswer: true })
  await runStream(service, stream)
  const [[name, before] = []] = [...server.objects]
  await recordEntries(service.ctx, 4)
  server.setBehavior({})
  service.advance(1_001)
  await runStream(service, stream)
  expect(server.puts.slice(0, 2)).toEqual([name, name])
  expect(server.objects.get(name ?? '')).toEqual(before)
  expect(server.objects.size).toBe(2)
  expect(idsOf(server.events())).toEqual(await listIds(service.ctx))
})

test('every line is one event as JSON', async () => {
  const stream = open()
  await recordEntries(service.ctx, 2)
  await runStream(service, stream)
  const [body = Buffer.alloc(0)] = server.objects.values()
  const text = gunzipSync(body).toString()
  expect(text.endsWith('}\n')).toBe(true)
  const positions = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).position)
  expect(positions).toEqual((await listIds(service.ctx)).map((_, index) => index + 1))
})

test.each([
  ['secret', { secretAccessKey: 'another-secret' }, 'SignatureDoesNotMatch'],
  ['access key', { accessKeyId: 'AKIDOTHER' }, 'InvalidAccessKeyId'],
  ['region', { region: 'us-east-1' }, 'InvalidAccessKeyId'],
])('with a wrong %s nothing is stored, and the reason is logged', async (_, changes, code) => {
  const stream = open(changes)
  await recordEntries(service.ctx, 1)
  await runStream(service, stream)
  expect(server.objects.size).toBe(0)
  const { name: target } = stream.settings
  expect(await findRow(service.ctx, target)).toMatchObject({ position: 0, failures: 1 })
  const line = service.logs.find((entry) => entry.target === target)
  expect(line?.reason).toBe(`status 403: <Error><Code>${code}</Code></Error>`)
  expect(JSON.stringify(service.logs)).not.toContain('another-secret')
})

test('the check of latchkey doctor writes an object that is not a file of events', async () => {
  const { target } = open()
  const never = new AbortController().signal
  await target.check(never)
  expect([...server.objects.keys()]).toEqual(['/bucket/audit/latchkey-doctor'])
  expect(server.events()).toEqual([])
  await expect(open({ secretAccessKey: 'wrong' }).target.check(never)).rejects.toThrow('SignatureDoesNotMatch')
})
