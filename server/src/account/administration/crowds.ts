import { LRUCache } from 'lru-cache'
import type { Ctx } from '../../context.ts'
import type { Source } from './directory/store.ts'

/** Whoever leads to more people than are counted will do so for a while: nobody counts again for every page. */
const WHILE_MS = 60_000

const known = new WeakMap<Ctx, LRUCache<string, true>>()

const crowdsOf = (ctx: Ctx): LRUCache<string, true> => {
  const crowds = known.get(ctx) ?? new LRUCache<string, true>({ max: 1_000, ttl: WHILE_MS })
  known.set(ctx, crowds)
  return crowds
}

/** What flags lead to depends on all of them, and is counted each time. */
const nameOf = (source: Source): string | undefined => {
  if (source.kind === 'flags') return undefined
  return source.kind === 'word' ? `word ${source.word}` : `tenant ${source.tenantId}`
}

export const isCrowd = (ctx: Ctx, source: Source): boolean => {
  const name = nameOf(source)
  return name !== undefined && crowdsOf(ctx).has(name)
}

export function rememberCrowd(ctx: Ctx, source: Source): void {
  const name = nameOf(source)
  if (name !== undefined) crowdsOf(ctx).set(name, true)
}
