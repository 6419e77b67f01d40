import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { AppError, tooManyAttempts } from '../../errors.ts'
import { t, translatable } from '../../languages/translate.ts'
import { createQueue, type QueueOptions, type Rejection } from '../../lib/concurrency/queue.ts'
import { countShed, observeWait, type QueueName, watchQueue } from '../../lib/metrics/queue-metrics.ts'
import { clientNetwork } from '../request/client-address.ts'

/**
 * Limits the concurrency of expensive work. Excess requests are rejected immediately: with 503 if the queue is full, and
 * with 429 if one account or one network exceeds its share.
 */
export interface Admission {
  admit<T>(ctx: Ctx, admission: AdmissionRequest, work: () => Promise<T>): Promise<T>
}

export interface AdmissionRequest {
  request: FastifyRequest
  /** Counted per network, so that an attacker elsewhere cannot use up the share of somebody else's account. */
  account?: string | undefined
}

interface AdmissionOptions extends QueueOptions {
  queue: QueueName
  /** How many requests of one account or one network may run or wait. */
  perAccount: number
  perNetwork: number
  retryAfterSeconds: number
  /** The error message when the queue is full. */
  fullMessage: string
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { queue: name, perAccount, perNetwork, retryAfterSeconds, fullMessage } = options
  const queue = watchQueue(name, createQueue(options))
  const toError = (reason: Rejection): AppError =>
    reason === 'share'
      ? tooManyAttempts(retryAfterSeconds)
      : new AppError('UNAVAILABLE', {
          message: t(fullMessage),
          headers: { 'Retry-After': String(retryAfterSeconds) },
        })
  return {
    async admit({ metrics }, { request, account }, work) {
      const network = clientNetwork(request)
      const shares = [
        { key: network, max: perNetwork },
        ...(account === undefined ? [] : [{ key: `${network} ${account}`, max: perAccount }]),
      ]
      const outcome = await queue.run(observeWait(metrics, name, work), shares)
      if ('result' in outcome) return outcome.result
      countShed(metrics, name, outcome.refused)
      throw toError(outcome.refused)
    },
  }
}

/** The limits of expensive kinds of routes. */
const ROUTE_ADMISSIONS = {
  /** Built completely in memory. */
  personal_exports: createAdmission({
    queue: 'personal_exports',
    maxConcurrent: 4,
    maxQueueLength: 40,
    perAccount: 4,
    perNetwork: 20,
    retryAfterSeconds: 5,
    fullMessage: translatable('Too many exports are under way just now. Try again shortly.'),
  }),
  /** Streamed at the client's speed, with a part buffered in memory. */
  audit_exports: createAdmission({
    queue: 'audit_exports',
    maxConcurrent: 50,
    maxQueueLength: 0,
    perAccount: 5,
    perNetwork: 20,
    retryAfterSeconds: 30,
    fullMessage: translatable('Too many exports are under way just now. Try again shortly.'),
  }),
  /** Each holds a write transaction for a second or more. Half of the write transactions stay free for others. */
  bulk_actions: createAdmission({
    queue: 'bulk_actions',
    maxConcurrent: 3,
    maxQueueLength: 30,
    perAccount: 20,
    perNetwork: 25,
    retryAfterSeconds: 5,
    fullMessage: translatable('Too many bulk requests are under way just now. Try again shortly.'),
  }),
}
export type LimitedRoute = keyof typeof ROUTE_ADMISSIONS

/** Runs the handler of a limited route. A streamed response counts as running until the stream has ended. */
export const admitRoute = (
  ctx: Ctx,
  kind: LimitedRoute,
  admission: AdmissionRequest,
  handle: () => unknown,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const work = async () => {
      const response = await handle()
      resolve(response)
      // The stream also ends with an error when the client disconnects.
      if (response instanceof Readable) await finished(response).catch(() => {})
    }
    ROUTE_ADMISSIONS[kind].admit(ctx, admission, work).catch(reject)
  })
