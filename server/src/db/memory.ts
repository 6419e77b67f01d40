import { LRUCache } from 'lru-cache'
import type { Eventual } from '../lib/eventual.ts'
import { type Ground, restOn } from '../lib/grounds.ts'
import type { ChangeFeed } from './changes.ts'

const MOST_ENTRIES = 50_000

/** Something read from the database, and the subjects whose change makes it stale. */
export interface Fact<T> {
  value: T
  subjects: string[]
}

/** One that is remembered, until it is gone. */
type Known<T> = Fact<T> & Ground

type Load<T> = () => Promise<Fact<T> | undefined>

/** Facts kept while the change feed vouches for them. */
export interface Memory {
  /**
   * The fact under this key: remembered, if that will do, and then there at once, or loaded. What does not exist is
   * not remembered.
   */
  recall<T>(key: string, load: Load<T>, willDo?: (value: T) => boolean): Eventual<T | undefined>
  /** How much is known, and how often it was of use. */
  describe(): { entries: number; hits: number; misses: number }
}

export function createMemory(feed: ChangeFeed): Memory {
  const keysBySubject = new Map<string, Set<string>>()
  const facts = new LRUCache<string, Known<unknown>>({
    // With `max` instead, it would take the room for all of them at once.
    maxSize: MOST_ENTRIES,
    sizeCalculation: () => 1,
    dispose: (fact, key) => {
      fact.isGone = true
      forgetSubjects(keysBySubject, fact.subjects, key)
    },
  })
  /** What changed while a load was under way: its answer may be older than the change. */
  const loads = new Set<{ heard: Set<string>; missed: boolean }>()

  const lookups = { hits: 0, misses: 0 }

  feed.subscribe((subject) => {
    for (const load of loads) {
      if (subject === undefined) load.missed = true
      else load.heard.add(subject)
    }
    if (subject === undefined) facts.clear()
    else for (const key of [...(keysBySubject.get(subject) ?? [])]) facts.delete(key)
  })

  async function learn<T>(key: string, load: Load<T>): Promise<T | undefined> {
    const during = { heard: new Set<string>(), missed: !feed.isCurrent() }
    loads.add(during)
    try {
      const fact = await load()
      const stale = during.missed || fact?.subjects.some((subject) => during.heard.has(subject))
      if (fact && !stale) {
        facts.set(key, { ...fact, isGone: false })
        for (const subject of fact.subjects) remember(keysBySubject, subject, key)
      }
      return fact?.value
    } finally {
      loads.delete(during)
    }
  }

  return {
    describe: () => ({ entries: facts.size, ...lookups }),
    recall<T>(key: string, load: Load<T>, willDo?: (value: T) => boolean) {
      // A key holds what its own loader returned, so the type is the caller's.
      const known = feed.isCurrent() ? (facts.get(key) as Known<T> | undefined) : undefined
      if (known && (!willDo || willDo(known.value))) {
        lookups.hits += 1
        restOn(known)
        return known.value
      }
      lookups.misses += 1
      return learn(key, load)
    },
  }
}

function remember(keysBySubject: Map<string, Set<string>>, subject: string, key: string): void {
  const keys = keysBySubject.get(subject)
  if (keys) keys.add(key)
  else keysBySubject.set(subject, new Set([key]))
}

function forgetSubjects(keysBySubject: Map<string, Set<string>>, subjects: string[], key: string): void {
  for (const subject of subjects) {
    const keys = keysBySubject.get(subject)
    keys?.delete(key)
    if (keys?.size === 0) keysBySubject.delete(subject)
  }
}
