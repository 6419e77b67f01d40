import { LRUCache } from 'lru-cache'
import type { Ctx } from '../../context.ts'
import type { Source } from './directory/store.ts'

/**
 * How many people a source leads to, as far as they were counted: nobody counts again for every page. It decides by which
 * way people are come by, and not who is found, so that it may be old.
 */
const WHILE_MS = 60_000

const known = new WeakMap<Ctx, LRUCache<string, number>>()

const countsOf = (ctx: Ctx): LRUCache<string, number> => {
  const counts = known.get(ctx) ?? new LRUCache<string, number>({ max: 1_000, ttl: WHILE_MS })
  known.set(ctx, counts)
  return counts
}

/** What flags lead to depends on all of them, and is counted each time. */
const nameOf = (source: Source): string | undefined => {
  if (source.kind === 'flags') return undefined
  return source.kind === 'word' ? `word ${source.word}` : `tenant ${source.tenantId}`
}

export const recallCount = (ctx: Ctx, source: Source): number | undefined => {
  const name = nameOf(source)
  return name === undefined ? undefined : countsOf(ctx).get(name)
}

export function rememberCount(ctx: Ctx, source: Source, count: number): void {
  const name = nameOf(source)
  if (name !== undefined) countsOf(ctx).set(name, count)
}
