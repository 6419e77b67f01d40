import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { noteShed, type QueueName, timed, watchQueue } from '../lib/overload.ts'
import { createQueue, type Refusal } from '../lib/queue.ts'
import { clientNetwork } from './client-address.ts'

/**
 * What is expensive is let in a few at a time, and more than can be done soon is turned away at once: with 503 when all
 * places are taken, and with 429 when one account or one network has taken its part of them.
 */
export interface Admission {
  admit<T>(ctx: Ctx, asking: Asking, work: () => Promise<T>): Promise<T>
}

export interface Asking {
  request: FastifyRequest
  /** For whom; counted for each network by itself, so that nobody takes the places of somebody else's account. */
  account?: string | undefined
}

interface AdmissionOptions {
  queue: QueueName
  atOnce: number
  waiting: number
  /** How long; for ever unless said. */
  patienceMs?: number
  /** Places, waiting or not, that one account and one network may take. */
  perAccount: number
  perNetwork: number
  retryAfterSeconds: number
  /** What is told when all places are taken. */
  full: string
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { queue: name, perAccount, perNetwork, retryAfterSeconds, full } = options
  const queue = watchQueue(name, createQueue(options))
  const refusal = (reason: Refusal): AppError =>
    reason === 'share'
      ? tooManyAttempts(retryAfterSeconds)
      : new AppError('UNAVAILABLE', { message: full, headers: { 'Retry-After': String(retryAfterSeconds) } })
  return {
    async admit({ figures }, { request, account }, work) {
      const network = clientNetwork(request)
      const holders = [
        { key: network, most: perNetwork },
        ...(account === undefined ? [] : [{ key: `${network} ${account}`, most: perAccount }]),
      ]
      const done = await queue.run(timed(figures, name, work), holders)
      if ('result' in done) return done.result
      noteShed(figures, name, done.refused)
      throw refusal(done.refused)
    },
  }
}

/** Kinds of routes that are expensive, whoever may call them. */
const OF_ROUTES = {
  /** All of it is put together in memory. */
  personal_exports: createAdmission({
    ...{ queue: 'personal_exports', atOnce: 4, waiting: 40, perAccount: 4, perNetwork: 20 },
    ...{ retryAfterSeconds: 5, full: 'Too many exports are under way just now. Try again shortly.' },
  }),
  /** Each is open for as long as whoever fetches it takes, with a part of it in memory. */
  audit_exports: createAdmission({
    ...{ queue: 'audit_exports', atOnce: 50, waiting: 0, perAccount: 5, perNetwork: 20 },
    ...{ retryAfterSeconds: 30, full: 'Too many exports are under way just now. Try again shortly.' },
  }),
  /** Each takes a transaction that writes for a second or more; half of those are left for others. */
  bulk_actions: createAdmission({
    ...{ queue: 'bulk_actions', atOnce: 3, waiting: 30, perAccount: 20, perNetwork: 25 },
    ...{ retryAfterSeconds: 5, full: 'Too many bulk requests are under way just now. Try again shortly.' },
  }),
}
export type AdmittedKind = keyof typeof OF_ROUTES

/** Answers a route of an expensive kind. One that answers a stream has its place until the stream is over. */
export const admitRoute = (
  ctx: Ctx,
  kind: AdmittedKind,
  asking: Asking,
  answer: () => unknown,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const work = async () => {
      const answered = await answer()
      resolve(answered)
      // However it ends: whoever fetches it may go away.
      if (answered instanceof Readable) await finished(answered).catch(() => {})
    }
    OF_ROUTES[kind].admit(ctx, asking, work).catch(reject)
  })
