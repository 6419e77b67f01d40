import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from './changes.ts'

const MAX_ENTRIES = 50_000

/** A cache entry, and the subjects of the change feed that invalidate it. */
export interface CacheEntry<T> {
  value: T
  subjects: string[]
  /** Storing an entry removes all others with the same `latestOf`. */
  latestOf?: string
}

type Load<T> = () => Promise<CacheEntry<T> | undefined>

/** An in-memory cache that the change feed invalidates. It is not used while the feed is disconnected. */
export interface Cache {
  /** Returns the cached value if `willDo` accepts it, else loads and caches it. A missing value is not cached. */
  getOrLoad<T>(key: string, load: Load<T>, willDo?: (value: T) => boolean): Promise<T | undefined>
  /** Returns the cached value, if any. */
  peek<T>(key: string): T | undefined
  /**
   * Replaces a cached entry by one with another key and value and the same subjects. Does nothing if the entry is no
   * longer cached, because the new value may be stale then.
   */
  replace<T>(key: string, next: { key: string; value: T }): void
  delete(key: string): void
  /** Statistics for the metrics. */
  describe(): { entries: number; hits: number; misses: number }
}

export function createCache(feed: ChangeFeed): Cache {
  const keysBySubject = new Map<string, Set<string>>()
  const entries = new LRUCache<string, CacheEntry<unknown>>({
    // `max` would allocate the memory for all entries at the start.
    maxSize: MAX_ENTRIES,
    sizeCalculation: () => 1,
    dispose: ({ subjects }, key) => removeFromIndex(keysBySubject, subjects, key),
  })
  /** Changes during each pending load: the loaded value may be older than the change. */
  const pendingLoads = new Set<{ changed: Set<string>; missedChanges: boolean }>()

  const lookups = { hits: 0, misses: 0 }

  feed.subscribe((subject) => {
    for (const load of pendingLoads) {
      if (subject === undefined) load.missedChanges = true
      else load.changed.add(subject)
    }
    if (subject === undefined) entries.clear()
    else invalidate(subject)
  })

  function store(key: string, { value, subjects, latestOf }: CacheEntry<unknown>): void {
    if (latestOf !== undefined) invalidate(latestOf)
    const allSubjects = latestOf === undefined ? subjects : [...subjects, latestOf]
    entries.set(key, { value, subjects: allSubjects, ...(latestOf !== undefined && { latestOf }) })
    for (const subject of allSubjects) addToIndex(keysBySubject, subject, key)
  }

  function invalidate(subject: string): void {
    for (const key of [...(keysBySubject.get(subject) ?? [])]) entries.delete(key)
  }

  async function loadAndStore<T>(key: string, load: Load<T>): Promise<T | undefined> {
    const pending = { changed: new Set<string>(), missedChanges: !feed.isCurrent() }
    pendingLoads.add(pending)
    try {
      const entry = await load()
      const isStale = pending.missedChanges || entry?.subjects.some((subject) => pending.changed.has(subject))
      if (entry && !isStale) store(key, entry)
      return entry?.value
    } finally {
      pendingLoads.delete(pending)
    }
  }

  // Each key has one loader, so the caller knows the type.
  const find = <T>(key: string) => (feed.isCurrent() ? (entries.get(key) as CacheEntry<T> | undefined) : undefined)

  return {
    peek: <T>(key: string) => find<T>(key)?.value,
    describe: () => ({ entries: entries.size, ...lookups }),
    replace(key, { key: nextKey, value }) {
      const entry = entries.get(key)
      entries.delete(key)
      if (entry && feed.isCurrent()) store(nextKey, { ...entry, value })
    },
    delete: (key) => void entries.delete(key),
    async getOrLoad<T>(key: string, load: Load<T>, willDo?: (value: T) => boolean) {
      const entry = find<T>(key)
      if (entry && (!willDo || willDo(entry.value))) {
        lookups.hits += 1
        return entry.value
      }
      lookups.misses += 1
      return loadAndStore(key, load)
    },
  }
}

function addToIndex(keysBySubject: Map<string, Set<string>>, subject: string, key: string): void {
  const keys = keysBySubject.get(subject)
  if (keys) keys.add(key)
  else keysBySubject.set(subject, new Set([key]))
}

function removeFromIndex(keysBySubject: Map<string, Set<string>>, subjects: string[], key: string): void {
  for (const subject of subjects) {
    const keys = keysBySubject.get(subject)
    keys?.delete(key)
    if (keys?.size === 0) keysBySubject.delete(subject)
  }
}
