import { LRUCache } from 'lru-cache'
import type { Ctx } from '../context.ts'
import type { Criterion } from './directory-store.ts'

/**
 * Caches how many users match a search criterion, so that not every page counts them. The count only decides how the
 * query runs, not which users it returns, so a stale value is harmless.
 */
const TTL_MS = 60_000
const MAX_ENTRIES = 1_000

const caches = new WeakMap<Ctx, LRUCache<string, number>>()

const cacheOf = (ctx: Ctx): LRUCache<string, number> => {
  const cache = caches.get(ctx) ?? new LRUCache<string, number>({ max: MAX_ENTRIES, ttl: TTL_MS })
  caches.set(ctx, cache)
  return cache
}

/** Undefined for flags: their count depends on the whole filter and is not cached. */
const cacheKeyOf = (criterion: Criterion): string | undefined => {
  if (criterion.kind === 'flags') return undefined
  return criterion.kind === 'word' ? `word ${criterion.word}` : `tenant ${criterion.tenantId}`
}

export const findCachedCount = (ctx: Ctx, criterion: Criterion): number | undefined => {
  const key = cacheKeyOf(criterion)
  return key === undefined ? undefined : cacheOf(ctx).get(key)
}

export function cacheCount(ctx: Ctx, criterion: Criterion, count: number): void {
  const key = cacheKeyOf(criterion)
  if (key !== undefined) cacheOf(ctx).set(key, count)
}
