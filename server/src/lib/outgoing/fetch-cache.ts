import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { WebhookConfig } from '../../config.ts'
import { createGuard } from './guard.ts'
import { sendRequest } from './request.ts'

const TIMEOUT_MS = 5_000
/** How long a response is cached without a header that says so, and the limits of what a header may say. */
const DEFAULT_TTL_SECONDS = 300
const MIN_TTL_SECONDS = 60
const MAX_TTL_SECONDS = 3600
/** At most one request in this time for a value that will not do, and after a failure. */
const RETRY_MS = 30_000
const MAX_CACHED = 1_000

interface Fetched<T> {
  value: T
  fetchedAt: number
  expiresAt: number
}

export interface FetchCacheOptions<T> {
  config: WebhookConfig
  now(): Date
  accept: string
  maxBytes: number
  /** More requests are not made at the same time. What waits for one fails, and the failure is not cached. */
  maxPending?: number
  /** Throws if the response is not what it should be. */
  parse(body: Buffer, headers: IncomingHttpHeaders, url: string): T
  /** The value for a failure, which is cached for a short time, so that not every request waits. */
  onFailure(error: unknown, url: string): T
}

/** What others publish at URLs that users choose. */
export interface FetchCache<T> {
  /**
   * The value at the URL. It is fetched again when it is too old. If it will not do, it may have changed, and is fetched
   * again too.
   */
  get(url: string, willDo?: (value: T) => boolean): Promise<T>
  /** Whether `get` waits for a new request. */
  needsRequest(url: string): boolean
  /** The number of requests under way. */
  pendingRequests(): number
}

export function createFetchCache<T extends object>(options: FetchCacheOptions<T>): FetchCache<T> {
  const entries = new LRUCache<string, Fetched<T>>({ max: MAX_CACHED })
  /** Simultaneous requests share one fetch. */
  const pending = new Map<string, Promise<Fetched<T>>>()
  const now = () => options.now().getTime()
  const { maxPending = Number.POSITIVE_INFINITY } = options

  async function fetchAndStore(url: string): Promise<Fetched<T>> {
    const previous = entries.get(url)
    const fetched = await fetchValue(options, url).then(
      ({ value, ttlSeconds }) => ({ value, fetchedAt: now(), expiresAt: now() + ttlSeconds * 1000 }),
      (error) => {
        const failure = options.onFailure(error, url)
        // A value that is still valid stays.
        return previous && now() < previous.expiresAt
          ? { ...previous, fetchedAt: now() }
          : { value: failure, fetchedAt: now(), expiresAt: now() + RETRY_MS }
      },
    )
    entries.set(url, fetched)
    return fetched
  }

  return {
    async get(url, willDo = () => true) {
      const cached = entries.get(url)
      if (cached && now() < cached.expiresAt && (willDo(cached.value) || now() - cached.fetchedAt < RETRY_MS)) {
        return cached.value
      }
      if (!pending.has(url) && pending.size >= maxPending) {
        return cached && now() < cached.expiresAt
          ? cached.value
          : options.onFailure(new Error('too many requests'), url)
      }
      const fetching = pending.get(url) ?? fetchAndStore(url).finally(() => pending.delete(url))
      pending.set(url, fetching)
      return (await fetching).value
    },
    needsRequest: (url) => now() >= (entries.get(url)?.expiresAt ?? 0) && !pending.has(url),
    pendingRequests: () => pending.size,
  }
}

async function fetchValue<T>(
  { config, accept, maxBytes, parse }: FetchCacheOptions<T>,
  url: string,
): Promise<{ value: T; ttlSeconds: number }> {
  const headers = { accept, 'user-agent': 'Latchkey' }
  const limits = { stop: new AbortController().signal, timeoutMs: TIMEOUT_MS, maxResponseBytes: maxBytes }
  const response = await sendRequest(createGuard(config), { method: 'GET', url, headers }, limits)
  // Redirects are not followed, because their target is not what was named.
  if (response.status !== 200) throw new UnusableResponse(`has the status ${response.status}`)
  if (!response.body) throw new UnusableResponse(`is longer than ${maxBytes} bytes`)
  return { value: parse(response.body, response.headers, url), ttlSeconds: ttlOf(response.headers) }
}

/** The server answered, but not with what is needed. The message starts with a verb: "has the status 404". */
export class UnusableResponse extends Error {
  override readonly name = 'UnusableResponse'
}

/** RFC 9111 §5.2.2. */
function ttlOf({ 'cache-control': control = '', age = '0' }: IncomingHttpHeaders): number {
  if (/\bno-(?:store|cache)\b/i.test(control)) return MIN_TTL_SECONDS
  const maxAge = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(control)?.[1]
  const ttl = maxAge === undefined ? DEFAULT_TTL_SECONDS : Number(maxAge) - (Number.parseInt(age, 10) || 0)
  return Math.min(Math.max(ttl, MIN_TTL_SECONDS), MAX_TTL_SECONDS)
}
