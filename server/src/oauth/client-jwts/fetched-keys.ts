import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Ctx } from '../../context.ts'
import { createGuard } from '../../lib/outgoing/guard.ts'
import { sendRequest } from '../../lib/outgoing/request.ts'
import { findPublicKeyProblem, type Jwk } from '../../lib/public-keys.ts'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024
/** How long keys are cached without a header that says so, and the limits of what a header may say. */
const DEFAULT_TTL_SECONDS = 300
const MIN_TTL_SECONDS = 60
const MAX_TTL_SECONDS = 3600
/** At most one request in this time for keys that are missing, and after a failure. */
const RETRY_MS = 30_000
const MAX_CACHED = 1_000
/** Of one client. Each costs time when it is fetched, and memory. */
const MAX_KEYS = 50

interface FetchedKeys {
  keys: Jwk[]
  fetchedAt: number
  expiresAt: number
}

interface KeyCache {
  entries: LRUCache<string, FetchedKeys>
  /** Simultaneous requests share one fetch. */
  pending: Map<string, Promise<FetchedKeys>>
}

const caches = new WeakMap<Ctx, KeyCache>()

function cacheOf(ctx: Ctx): KeyCache {
  const existing = caches.get(ctx)
  if (existing) return existing
  const created = { entries: new LRUCache<string, FetchedKeys>({ max: MAX_CACHED }), pending: new Map() }
  caches.set(ctx, created)
  return created
}

/**
 * The public keys that a client publishes. They are fetched again when they are too old, and once when the wanted key is
 * not among them: the client may have a new one. Empty if they cannot be fetched.
 */
export async function getFetchedKeys(ctx: Ctx, uri: string, isWanted: (key: Jwk) => boolean): Promise<Jwk[]> {
  const { entries, pending } = cacheOf(ctx)
  const cached = entries.get(uri)
  const now = ctx.now().getTime()
  if (cached && now < cached.expiresAt && (cached.keys.some(isWanted) || now - cached.fetchedAt < RETRY_MS)) {
    return cached.keys
  }
  const fetching = pending.get(uri) ?? fetchAndCache(ctx, uri).finally(() => pending.delete(uri))
  pending.set(uri, fetching)
  return (await fetching).keys
}

async function fetchAndCache(ctx: Ctx, uri: string): Promise<FetchedKeys> {
  const { entries } = cacheOf(ctx)
  const previous = entries.get(uri)
  let fetched: FetchedKeys
  try {
    const { keys, ttlSeconds } = await fetchKeys(ctx, uri)
    const now = ctx.now().getTime()
    fetched = { keys, fetchedAt: now, expiresAt: now + ttlSeconds * 1000 }
  } catch (error) {
    const now = ctx.now().getTime()
    ctx.log.warn({ err: error, jwksUri: uri }, 'the keys of a client cannot be fetched')
    // Keys that are still valid stay. Otherwise the failure itself is cached, so that not every request waits.
    fetched =
      previous && now < previous.expiresAt
        ? { ...previous, fetchedAt: now }
        : { keys: [], fetchedAt: now, expiresAt: now + RETRY_MS }
  }
  entries.set(uri, fetched)
  return fetched
}

async function fetchKeys(ctx: Ctx, url: string): Promise<{ keys: Jwk[]; ttlSeconds: number }> {
  const headers = { accept: 'application/jwk-set+json, application/json', 'user-agent': 'Latchkey' }
  const limits = { stop: new AbortController().signal, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BYTES }
  const guard = createGuard(ctx.config.webhooks)
  const response = await sendRequest(guard, { method: 'GET', url, headers }, limits)
  // Redirects are not followed, because their target was not registered.
  if (response.status !== 200) throw new Error(`the response has the status ${response.status}`)
  if (!response.body) throw new Error(`the response is longer than ${MAX_BYTES} bytes`)
  const set = JSON.parse(response.body.toString('utf8')) as { keys?: unknown } | null
  if (!Array.isArray(set?.keys)) throw new Error('the response is not a JWK Set')
  // Keys for other purposes may be published in the same place.
  const keys = (set.keys.slice(0, MAX_KEYS) as unknown[]).filter(
    (key) => findPublicKeyProblem(key, { allowUnknownMembers: true }) === undefined,
  )
  return { keys: keys.map((key) => withoutRest(key as Jwk)), ttlSeconds: ttlOf(response.headers) }
}

/** The members that are read later. Others, such as certificates, may be long. */
const withoutRest = ({ kty, crv, x, y, n, e, kid, alg }: Jwk): Jwk => ({ kty, crv, x, y, n, e, kid, alg })

/** RFC 9111 §5.2.2. */
function ttlOf({ 'cache-control': control = '', age = '0' }: IncomingHttpHeaders): number {
  if (/\bno-(?:store|cache)\b/i.test(control)) return MIN_TTL_SECONDS
  const maxAge = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(control)?.[1]
  const ttl = maxAge === undefined ? DEFAULT_TTL_SECONDS : Number(maxAge) - (Number.parseInt(age, 10) || 0)
  return Math.min(Math.max(ttl, MIN_TTL_SECONDS), MAX_TTL_SECONDS)
}
