import { MAX_TOKEN_LIFETIME_SECONDS } from '../config/lifetimes.ts'

/** Retired keys only verify ID token hints. */
export type KeyState = 'upcoming' | 'signing' | 'published' | 'retired'

interface Activatable {
  activates_at: Date
}

interface KeyWithState<K> {
  key: K
  state: KeyState
  /** When its last token expires; undefined while it has no successor. */
  retiresAt: Date | undefined
}

/** The longest token lifetime, plus an hour for nodes that learn late of the successor. */
const PUBLISHED_AFTER_SUCCESSION_MS = (MAX_TOKEN_LIFETIME_SECONDS + 3_600) * 1000

/**
 * The active key, of keys sorted newest first. Falls back to the oldest, for a clock that is behind the node that
 * created it.
 */
export const findSigningKey = <K extends Activatable>(keys: readonly K[], now: Date): K | undefined =>
  keys.find(({ activates_at }) => activates_at <= now) ?? keys.at(-1)

/** Returns the state of each key, of keys sorted newest first. It depends on the clock only, so all nodes agree. */
export function toKeyStates<K extends Activatable>(keys: readonly K[], now: Date): KeyWithState<K>[] {
  const signing = findSigningKey(keys, now)
  const signingIndex = signing ? keys.indexOf(signing) : -1
  return keys.map((key, index) => {
    const successor = keys[index - 1]
    const retiresAt = successor && new Date(successor.activates_at.getTime() + PUBLISHED_AFTER_SUCCESSION_MS)
    if (index <= signingIndex) return { key, state: index === signingIndex ? 'signing' : 'upcoming', retiresAt }
    return { key, state: retiresAt && retiresAt <= now ? 'retired' : 'published', retiresAt }
  })
}
