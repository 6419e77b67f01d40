import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { AppError } from '../../src/errors.ts'
import {
  createFingerprints,
  deleteExpiredKeys,
  type HandlerResponse,
  readIdempotencyKey,
  runOnce,
} from '../../src/http/idempotency/idempotency.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { FULL } from '../support/rounds.ts'
import { startService } from '../support/service.ts'

let ctx: Ctx
let close: () => Promise<void>
/** The offset of the clock in milliseconds. */
let later = 0
beforeAll(async () => {
  const opened = await startService()
  ctx = { ...opened.ctx, now: () => new Date(Date.now() + later) }
  close = opened.close
})
afterAll(() => close())

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
let count = 0
const newKey = () => `key-${++count}`
const request = (key: string, { caller = 'ann', body = {} as unknown, keys = ctx.keys } = {}) => ({
  caller,
  key,
  fingerprints: createFingerprints(keys, { method: 'POST', url: '/things', body }),
})
/** A handler that counts its calls. */
function work(
  respond: (time: number) => Promise<HandlerResponse> | HandlerResponse = (time) => ({
    status: 201,
    body: { time },
  }),
) {
  const produce = async () => respond(++produce.times)
  produce.times = 0
  return produce
}
const rows = () => ctx.db.selectFrom('idempotency_keys').selectAll().execute()

test('a repeated request runs once and gets the first response', async () => {
  const produce = work()
  const key = newKey()
  expect(await runOnce(ctx, request(key), produce)).toEqual({
    status: 201,
    body: { time: 1 },
    replayed: false,
  })
  expect(await runOnce(ctx, request(key), produce)).toEqual({
    status: 201,
    body: { time: 1 },
    replayed: true,
  })
  expect(produce.times).toBe(1)
})

test('of many concurrent requests one runs, and all get its response', async () => {
  const produce = work(async (time) => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    return { status: 201, body: { time } }
  })
  const key = newKey()
  const answers = await Promise.all(Array.from({ length: 8 }, () => runOnce(ctx, request(key), produce)))
  expect(produce.times).toBe(1)
  expect(answers.map(({ body }) => body)).toEqual(Array(8).fill({ time: 1 }))
  expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
})

test('an error is stored and replayed with its code, message and details', async () => {
  const details = [{ field: 'slug', message: 'is bad' }]
  const produce = work(() => {
    throw new AppError('VALIDATION_FAILED', { message: 'No.', details, headers: { 'X-Why': 'so' } })
  })
  const key = newKey()
  for (let time = 0; time < 2; time++) {
    await expect(runOnce(ctx, request(key), produce)).rejects.toMatchObject({
      name: 'AppError',
      code: 'VALIDATION_FAILED',
      status: 422,
      message: 'No.',
      details,
      headers: { 'X-Why': 'so' },
    })
  }
  expect(produce.times).toBe(1)
})

test.each([
  ['an internal error', () => new Error('oops')],
  ['an outage', () => Object.assign(new Error('terminating connection'), { code: '57P01' })],
  ['503', () => new AppError('UNAVAILABLE')],
  ['429', () => new AppError('RATE_LIMITED')],
])('after %s a request with the same key runs again', async (_name, failure) => {
  const produce = work((time) => {
    if (time === 1) throw failure()
    return { status: 201, body: { time } }
  })
  const key = newKey()
  await expect(runOnce(ctx, request(key), produce)).rejects.toBeInstanceOf(Error)
  expect(await runOnce(ctx, request(key), produce)).toMatchObject({ body: { time: 2 }, replayed: false })
})

test('a waiting request runs as soon as the first one fails', async () => {
  const produce = work(async (time) => {
    await new Promise((resolve) => setTimeout(resolve, 150))
    if (time === 1) throw new Error('oops')
    return { status: 201, body: { time } }
  })
  const key = newKey()
  const [first, second] = await Promise.allSettled([
    runOnce(ctx, request(key), produce),
    runOnce(ctx, request(key), produce),
  ])
  expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
  expect(produce.times).toBe(2)
})

test('the same key with a different request is rejected and does not run', async () => {
  const produce = work()
  const key = newKey()
  await runOnce(ctx, request(key, { body: { a: 1 } }), produce)
  await expect(runOnce(ctx, request(key, { body: { a: 2 } }), produce)).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
  expect(await runOnce(ctx, request(key, { body: { a: 1 } }), produce)).toMatchObject({ replayed: true })
  expect(produce.times).toBe(1)
})

test.each([
  [{ password: 'one' }, { password: 'two' }],
  [{ user: { password: 'one' } }, { user: { password: 'two' } }],
  [{ list: [{ password: 'one' }] }, { list: [{ password: 'one', passwordHash: '' }] }],
])('a different password is a different request: %j, %j', async (body, other) => {
  const key = newKey()
  await runOnce(ctx, request(key, { body }), work())
  await expect(runOnce(ctx, request(key, { body: other }), work())).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
})

test('the stored fingerprint cannot be computed without the encryption key', async () => {
  const key = newKey()
  const body = { password: 'correct horse' }
  await runOnce(ctx, request(key, { body }), work())
  const stored = (await rows()).find((row) => row.key === key)?.fingerprint
  const plain = createHash('sha256')
    .update(JSON.stringify(['POST', '/things', body]))
    .digest()
  const [foreign] = request(key, { body, keys: createSealer([randomBytes(32)]) }).fingerprints
  expect(stored).toHaveLength(32)
  expect([plain, foreign].some((one) => stored?.equals(one))).toBe(false)
})

test('a request is recognized after a key rotation, and by nodes without the new key order', async () => {
  const [old, next] = [randomBytes(32), randomBytes(32)]
  const before = createSealer([old, next])
  const after = createSealer([next, old])
  for (const [first, second] of [
    [before, after],
    [after, before],
  ] as const) {
    const key = newKey()
    await runOnce({ ...ctx, keys: first }, request(key, { keys: first }), work())
    const again = await runOnce({ ...ctx, keys: second }, request(key, { keys: second }), work())
    expect(again).toMatchObject({ body: { time: 1 }, replayed: true })
    const other = request(key, { keys: second, body: 'other' })
    await expect(runOnce(ctx, other, work())).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  }
})

test('a stale claim is taken over even after a key rotation', async () => {
  const [old, next] = [randomBytes(32), randomBytes(32)]
  const key = newKey()
  const [fingerprint] = request(key, { keys: createSealer([old]) }).fingerprints
  const created_at = new Date(Date.now() - MINUTE)
  await ctx.db.insertInto('idempotency_keys').values({ caller: 'ann', key, fingerprint, created_at }).execute()
  const keys = createSealer([next, old])
  const answer = await runOnce({ ...ctx, keys }, request(key, { keys }), work())
  expect(answer).toMatchObject({ body: { time: 1 }, replayed: false })
})

test('idempotency keys of different callers are independent', async () => {
  const produce = work()
  const key = newKey()
  await runOnce(ctx, request(key, { caller: 'ann' }), produce)
  expect(await runOnce(ctx, request(key, { caller: 'bob' }), produce)).toMatchObject({ body: { time: 2 } })
})

test('a stale claim is taken over by exactly one request after a minute', async () => {
  const key = newKey()
  const { caller, fingerprints } = request(key)
  const [fingerprint] = fingerprints
  await ctx.db
    .insertInto('idempotency_keys')
    .values({ caller, key, fingerprint, created_at: new Date(Date.now() - MINUTE) })
    .execute()
  const produce = work()
  const answers = await Promise.all(Array.from({ length: 4 }, () => runOnce(ctx, request(key), produce)))
  expect(produce.times).toBe(1)
  expect(answers.map(({ body }) => body)).toEqual(Array(4).fill({ time: 1 }))
})

test('a slow request whose claim was taken over does not overwrite the newer response', async () => {
  const key = newKey()
  let wake = () => {}
  const slow = runOnce(
    ctx,
    request(key),
    () =>
      new Promise((resolve) => {
        wake = () => resolve({ status: 201, body: 'slow' })
      }),
  )
  await expect.poll(async () => (await rows()).some((row) => row.key === key)).toBe(true)
  later = 2 * MINUTE
  expect(await runOnce(ctx, request(key), async () => ({ status: 201, body: 'quick' }))).toMatchObject({
    body: 'quick',
  })
  wake()
  expect(await slow).toMatchObject({ body: 'slow' })
  expect(await runOnce(ctx, request(key), work())).toMatchObject({ body: 'quick', replayed: true })
  later = 0
})

test.runIf(FULL)(
  'a request that waits too long gets 503 with Retry-After',
  async () => {
    const key = newKey()
    const { caller, fingerprints } = request(key)
    const [fingerprint] = fingerprints
    await ctx.db.insertInto('idempotency_keys').values({ caller, key, fingerprint, created_at: new Date() }).execute()
    await expect(runOnce(ctx, request(key), work())).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      headers: { 'Retry-After': '10' },
    })
  },
  20_000,
)

test('a stored response expires after a day, and the job deletes it', async () => {
  const key = newKey()
  const produce = work()
  await runOnce(ctx, request(key), produce)
  later = DAY - MINUTE
  expect(await runOnce(ctx, request(key), produce)).toMatchObject({ replayed: true })
  await deleteExpiredKeys.run(ctx, undefined)
  expect((await rows()).some((row) => row.key === key)).toBe(true)
  later = DAY + MINUTE
  expect(await runOnce(ctx, request(key, { body: 'other' }), produce)).toMatchObject({ body: { time: 2 } })
  later = 2 * (DAY + MINUTE)
  await deleteExpiredKeys.run(ctx, undefined)
  expect(await rows()).toEqual([])
  later = 0
})

test('the stored response is encrypted', async () => {
  const key = newKey()
  await runOnce(ctx, request(key), async () => ({ status: 201, body: { clientSecret: 'lks_t0p-s3cret' } }))
  const stored = (await rows()).find((row) => row.key === key)
  expect(stored?.status).toBe(201)
  expect(stored?.sealed_body?.toString('latin1')).not.toContain('t0p-s3cret')
})

test.each(['', 'x'.repeat(256), 'é', 'a\tb', 'a\0'])('%j is not a valid key', (key) => {
  expect(() => readIdempotencyKey({ 'idempotency-key': key })).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      details: [expect.objectContaining({ field: 'Idempotency-Key' })],
    }),
  )
})

test('the key is optional and may have up to 255 characters', () => {
  expect(readIdempotencyKey({})).toBeUndefined()
  expect(readIdempotencyKey({ 'idempotency-key': 'x'.repeat(255) })).toHaveLength(255)
})
