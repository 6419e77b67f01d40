import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import { untilBack } from '../db/until-back.ts'
import { AppError, type AppErrorOptions, type ErrorCode } from '../errors.ts'
import { defineJob } from '../jobs/job.ts'
import type { Sealer } from '../lib/seal.ts'
import { toAppError } from './errors.ts'
import {
  type Claim,
  claimKey,
  deleteKeys,
  findKeptAnswer,
  type KeptAnswer,
  keepAnswer,
  releaseKey,
} from './store.ts'

/**
 * A request that carries an Idempotency-Key is done once. Its final answer, good or bad, is kept for a day and given
 * to every repetition. The claim on a key and the work are two transactions: should the process die between them,
 * the key comes free after some seconds, and the request may be done again.
 */

const KEPT_MS = 24 * 60 * 60_000
const ABANDONED_MS = 60_000
/** A process that has only lost its connection is connected again by then. */
const LOST_MS = 5_000
const PATIENCE_MS = 10_000
const POLL_MS = 100
const RETRY_MS = 200
const KEY = /^[\x20-\x7e]{1,255}$/
const SEAL = 'idempotency'

export interface Answer {
  status: number
  body: unknown
  /** Those that belong to the answer, and not to the one time it was given. */
  headers?: Record<string, string> | undefined
}

/** One request with a key: of whom, and what it asks for. */
export interface KeyedRequest extends Claim {
  /** What tells it from others, under each of our keys; it is kept under the first. */
  fingerprints: [Buffer, ...Buffer[]]
}

/** The key of a request; undefined when it carries none. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key
  const message = 'must be 1 to 255 printable ASCII characters'
  throw new AppError('VALIDATION_FAILED', { details: [{ field: 'Idempotency-Key', message }] })
}

interface Asked {
  method: string
  url: string
  body: unknown
}

/** What tells one request from another that carries the same key. Not a plain hash: there may be a password in it. */
export const fingerprintsOf = (keys: Sealer, { method, url, body }: Asked): [Buffer, ...Buffer[]] =>
  keys.macs(SEAL, JSON.stringify([method, url, body]))

/**
 * Answers with what `produce` returns or throws: now, or as it did the first time. A refusal (an AppError below 500)
 * is thrown again with its own code, message and details.
 */
export async function answerOnce(
  ctx: Ctx,
  request: KeyedRequest,
  produce: () => Promise<Answer>,
): Promise<Answer & { replayed: boolean }> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const at = ctx.now()
    if (await claim(ctx, request, at)) {
      return { ...(await produceAndKeep(ctx, { ...request, at }, produce)), replayed: false }
    }
    const kept = await findKeptAnswer(ctx.db, request)
    if (kept && !request.fingerprints.some((one) => one.equals(kept.fingerprint))) {
      throw new AppError('IDEMPOTENCY_KEY_REUSED')
    }
    const answer = kept && replay(ctx, kept)
    if (answer) return { ...answer, replayed: true }
    if (performance.now() > deadline) {
      const message = 'The first request with this Idempotency-Key is still at work. Try again shortly.'
      throw new AppError('UNAVAILABLE', { message, headers: { 'Retry-After': '10' } })
    }
    await sleep(POLL_MS)
  }
}

const before = (at: Date, ms: number) => new Date(at.getTime() - ms)

async function claim(ctx: Ctx, request: KeyedRequest, at: Date): Promise<boolean> {
  try {
    return await claimKey(ctx.db, {
      ...request,
      at,
      forgottenBefore: before(at, KEPT_MS),
      holder: ctx.changes.processNumber,
      abandonedBefore: before(at, ABANDONED_MS),
      lostBefore: before(at, LOST_MS),
    })
  } catch (error) {
    // It may have been made all the same.
    release(ctx, { ...request, at })
    throw error
  }
}

/** What is kept of a refusal, enough to throw it again. */
type Refusal = Pick<AppErrorOptions, 'message' | 'details' | 'headers'> & { code: ErrorCode }
type Kept = Pick<Answer, 'body' | 'headers'> | { refusal: Refusal }

async function produceAndKeep(
  ctx: Ctx,
  claimed: Claim & { at: Date },
  produce: () => Promise<Answer>,
): Promise<Answer> {
  const keep = (status: number, kept: Kept) =>
    settle(ctx, () =>
      keepAnswer(ctx.db, claimed, { status, sealedBody: ctx.keys.seal(SEAL, JSON.stringify(kept)) }),
    )
  let answer: Answer
  try {
    answer = await produce()
  } catch (thrown) {
    const { code, status, message, details, headers } = toAppError(thrown)
    // What may go better another time is not the final answer.
    if (status >= 500 || status === 429) release(ctx, claimed)
    else await keep(status, { refusal: { code, message, ...(details && { details }), headers } })
    throw thrown
  }
  const { status, body, headers } = answer
  await keep(status, { body, ...(headers && { headers }) })
  return answer
}

/**
 * Lets the request be done again. Its caller need not wait for that: whoever comes back before finds the claim, and
 * waits. If the database is away, it is done as soon as that is back.
 */
function release(ctx: Ctx, claimed: Claim & { at: Date }): void {
  const work = () => untilBack(() => releaseKey(ctx.db, claimed), { forMs: ABANDONED_MS, everyMs: RETRY_MS })
  void settle(ctx, work)
}

/** The work is done or refused by now, and the caller must hear so: a claim that cannot be settled runs out by itself. */
async function settle(ctx: Ctx, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (err) {
    ctx.log.warn({ err }, 'the answer to a request with an Idempotency-Key could not be kept')
  }
}

function replay(ctx: Ctx, { status, sealed_body }: KeptAnswer): Answer | undefined {
  if (status === null || sealed_body === null) return undefined
  const kept = JSON.parse(ctx.keys.unseal(SEAL, sealed_body)) as Kept
  if ('refusal' in kept) throw new AppError(kept.refusal.code, kept.refusal)
  return { status, body: kept.body, ...(kept.headers && { headers: kept.headers }) }
}

export const forgetIdempotencyKeys = defineJob<unknown>({
  name: 'forget_idempotency_keys',
  schedule: '17 * * * *',
  run: (ctx) => deleteKeys(ctx.db, before(ctx.now(), KEPT_MS)),
})
