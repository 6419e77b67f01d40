import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** A fault that a test has requested. */
export interface Fault {
  /** The affected paths. A pattern may end with `*`. */
  paths: string[]
  latencyMs?: number | undefined
  status?: 429 | 503 | undefined
  retryAfterSeconds: number
  /** The number of requests that are still affected; undefined: until the fault is removed. */
  times?: number | undefined
  /** Mail is accepted and then lost. */
  mail?: 'lost' | undefined
  webhooks?: { delayMs: number } | undefined
}

/** What the database must do about mail and webhooks. */
export interface DatabaseFaults {
  isMailLost: boolean
  webhookDelayMs: number
}

export interface Faults {
  list(): Fault[]
  add(fault: Fault): void
  /** Removes all faults. Delayed requests continue at once. */
  clear(): void
  /** Delays or rejects a request, if a fault affects it. */
  apply(request: FastifyRequest): Promise<void>
  forDatabase(): DatabaseFaults
}

const CODES = { 429: 'RATE_LIMITED', 503: 'UNAVAILABLE' } as const

export function createFaults(): Faults {
  let faults: Fault[] = []
  let cleared = new AbortController()

  function use(path: string): Fault[] {
    const affecting = faults.filter((fault) => isRequestFault(fault) && fault.paths.some((one) => matches(one, path)))
    for (const fault of affecting) if (fault.times !== undefined) fault.times -= 1
    faults = faults.filter(({ times }) => times !== 0)
    return affecting
  }

  return {
    list: () => faults,
    add: (fault) => void faults.push(fault),
    clear() {
      faults = []
      cleared.abort()
      cleared = new AbortController()
    },
    async apply({ url }) {
      const { signal } = cleared
      for (const { latencyMs = 0, status, retryAfterSeconds } of use(pathOf(url))) {
        if (latencyMs > 0) await sleep(latencyMs, undefined, { signal }).catch(() => {})
        if (status) throw createError(status, retryAfterSeconds)
      }
    },
    forDatabase: () => ({
      isMailLost: faults.some(({ mail }) => mail === 'lost'),
      webhookDelayMs: Math.max(0, ...faults.map(({ webhooks }) => webhooks?.delayMs ?? 0)),
    }),
  }
}

/** The cause keeps the stack trace out of the log. */
const createError = (status: keyof typeof CODES, retryAfterSeconds: number) =>
  new AppError(CODES[status], {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause: 'requested at /test/faults',
  })

const isRequestFault = ({ latencyMs, status }: Fault) => latencyMs !== undefined || status !== undefined

const pathOf = (url: string) => url.split('?', 1)[0] ?? url

const matches = (pattern: string, path: string) =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
