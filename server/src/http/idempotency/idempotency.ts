import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../../context.ts'
import { retryWhileDisconnected } from '../../db/retry.ts'
import { AppError, type AppErrorOptions, type ErrorCode } from '../../errors.ts'
import { defineJob } from '../../jobs/job.ts'
import { t } from '../../languages/translate.ts'
import type { Sealer } from '../../lib/seal.ts'
import { toAppError } from '../errors/errors.ts'
import {
  type Claim,
  claimKey,
  deleteKeys,
  findStoredResponse,
  releaseKey,
  type StoredResponse,
  storeResponse,
} from './store.ts'

/**
 * A request with an Idempotency-Key runs once. Its final response, success or error, is stored for a day and replayed
 * to every repetition. The claim on the key and the work are two transactions: if the process dies between them, the
 * claim expires after some seconds and the request may run again.
 */

const RESPONSE_TTL_MS = 24 * 60 * 60_000
const CLAIM_TIMEOUT_MS = 60_000
/** Longer than a process needs to reconnect after it has lost its connection. */
const LOST_HOLDER_MS = 5_000
const MAX_WAIT_MS = 10_000
const POLL_INTERVAL_MS = 100
const RETRY_INTERVAL_MS = 200
const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/
const SEAL_PURPOSE = 'idempotency'

export interface HandlerResponse {
  status: number
  body: unknown
  /** The headers to store and replay with the body. */
  headers?: Record<string, string> | undefined
}

export interface KeyedRequest extends Claim {
  /** A fingerprint of the request under each encryption key. The first one is stored. */
  fingerprints: [Buffer, ...Buffer[]]
}

/** Returns undefined if the request has no Idempotency-Key. */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || (typeof key === 'string' && KEY_PATTERN.test(key))) return key
  const message = 'must be 1 to 255 printable ASCII characters'
  throw new AppError('VALIDATION_FAILED', { details: [{ field: 'Idempotency-Key', message }] })
}

interface RequestContent {
  method: string
  url: string
  body: unknown
}

/** Distinguishes requests with the same key. A MAC instead of a hash, because the body may contain a password. */
export const createFingerprints = (keys: Sealer, { method, url, body }: RequestContent): [Buffer, ...Buffer[]] =>
  keys.macs(SEAL_PURPOSE, JSON.stringify([method, url, body]))

/**
 * Runs the handler, or replays the stored response of its first run. A stored error (an AppError with a status below
 * 500) is thrown with its original code, message and details.
 */
export async function runOnce(
  ctx: Ctx,
  request: KeyedRequest,
  handle: () => Promise<HandlerResponse>,
): Promise<HandlerResponse & { replayed: boolean }> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (;;) {
    const at = ctx.now()
    if (await claim(ctx, request, at)) {
      return { ...(await runAndStore(ctx, { ...request, at }, handle)), replayed: false }
    }
    const stored = await findStoredResponse(ctx.db, request)
    if (stored && !request.fingerprints.some((fingerprint) => fingerprint.equals(stored.fingerprint))) {
      throw new AppError('IDEMPOTENCY_KEY_REUSED')
    }
    const response = stored && replay(ctx, stored)
    if (response) return { ...response, replayed: true }
    if (performance.now() > deadline) {
      const message = t('The first request with this Idempotency-Key is still running. Try again shortly.')
      throw new AppError('UNAVAILABLE', { message, headers: { 'Retry-After': '10' } })
    }
    await sleep(POLL_INTERVAL_MS)
  }
}

const msBefore = (at: Date, ms: number) => new Date(at.getTime() - ms)

async function claim(ctx: Ctx, request: KeyedRequest, at: Date): Promise<boolean> {
  try {
    return await claimKey(ctx.db, {
      ...request,
      at,
      responsesExpireBefore: msBefore(at, RESPONSE_TTL_MS),
      holder: ctx.changes.processNumber,
      claimsExpireBefore: msBefore(at, CLAIM_TIMEOUT_MS),
      lostClaimsExpireBefore: msBefore(at, LOST_HOLDER_MS),
    })
  } catch (error) {
    // The claim may have been committed before the connection failed.
    release(ctx, { ...request, at })
    throw error
  }
}

type StoredError = Pick<AppErrorOptions, 'message' | 'details' | 'headers'> & { code: ErrorCode }
/** The sealed JSON. The field name `refusal` is part of the stored format. */
type StoredContent = Pick<HandlerResponse, 'body' | 'headers'> | { refusal: StoredError }

async function runAndStore(
  ctx: Ctx,
  claim: Claim & { at: Date },
  handle: () => Promise<HandlerResponse>,
): Promise<HandlerResponse> {
  const store = (status: number, content: StoredContent) =>
    logFailure(ctx, () =>
      storeResponse(ctx.db, claim, {
        status,
        sealedBody: ctx.keys.seal(SEAL_PURPOSE, JSON.stringify(content)),
      }),
    )
  let response: HandlerResponse
  try {
    response = await handle()
  } catch (thrown) {
    const { code, status, message, details, headers } = toAppError(thrown)
    // A retry may succeed after a server error or a rate limit, so these are not stored.
    if (status >= 500 || status === 429) release(ctx, claim)
    else await store(status, { refusal: { code, message, ...(details && { details }), headers } })
    throw thrown
  }
  const { status, body, headers } = response
  await store(status, { body, ...(headers && { headers }) })
  return response
}

/**
 * Deletes the claim in the background, so that the request may run again. Until then a repetition waits for the claim.
 * Retried while the database is unreachable.
 */
function release(ctx: Ctx, claim: Claim & { at: Date }): void {
  const work = () =>
    retryWhileDisconnected(() => releaseKey(ctx.db, claim), {
      forMs: CLAIM_TIMEOUT_MS,
      everyMs: RETRY_INTERVAL_MS,
    })
  void logFailure(ctx, work)
}

/** The work has succeeded or failed by now, so a failure here must not change the response. The claim expires anyway. */
async function logFailure(ctx: Ctx, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (err) {
    ctx.log.warn({ err }, 'the response to a request with an Idempotency-Key could not be stored')
  }
}

/** Returns undefined while the first request is running. */
function replay(ctx: Ctx, { status, sealed_body }: StoredResponse): HandlerResponse | undefined {
  if (status === null || sealed_body === null) return undefined
  const content = JSON.parse(ctx.keys.unseal(SEAL_PURPOSE, sealed_body)) as StoredContent
  if ('refusal' in content) throw new AppError(content.refusal.code, content.refusal)
  return { status, body: content.body, ...(content.headers && { headers: content.headers }) }
}

export const deleteExpiredKeys = defineJob<unknown>({
  name: 'forget_idempotency_keys',
  schedule: '17 * * * *',
  run: (ctx) => deleteKeys(ctx.db, msBefore(ctx.now(), RESPONSE_TTL_MS)),
})
