import { MAX_TOKEN_LIFETIME_SECONDS } from '../config/lifetimes.ts'
import { DEFAULT_ALGORITHM, type SigningAlgorithm } from '../lib/signer.ts'

/** Retired keys only verify ID token hints. */
export type KeyState = 'upcoming' | 'signing' | 'published' | 'retired'

interface Activatable {
  algorithm: SigningAlgorithm
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

/** The keys of one algorithm, in the same order. */
export const keysFor = <K extends Activatable>(keys: readonly K[], algorithm: SigningAlgorithm): K[] =>
  keys.filter((key) => key.algorithm === algorithm)

/**
 * The active key of an algorithm, of keys sorted newest first. For RS256 it falls back to the oldest, for a clock that is
 * behind the node that created it. For another algorithm, RS256 or the previous one signs until then.
 */
export function findSigningKey<K extends Activatable>(
  keys: readonly K[],
  now: Date,
  algorithm: SigningAlgorithm = DEFAULT_ALGORITHM,
): K | undefined {
  const own = keysFor(keys, algorithm)
  const active = own.find(({ activates_at }) => activates_at <= now)
  return active ?? (algorithm === DEFAULT_ALGORITHM ? own.at(-1) : undefined)
}

/** Returns the state of each key, of keys sorted newest first. It depends on the clock only, so all nodes agree. */
export function toKeyStates<K extends Activatable>(keys: readonly K[], now: Date): KeyWithState<K>[] {
  const lastOf = new Map<SigningAlgorithm, K>()
  const signingOf = new Map<SigningAlgorithm, K | undefined>()
  return keys.map((key) => {
    const { algorithm } = key
    if (!signingOf.has(algorithm)) signingOf.set(algorithm, findSigningKey(keys, now, algorithm))
    const successor = lastOf.get(algorithm)
    lastOf.set(algorithm, key)
    const retiresAt = successor && new Date(successor.activates_at.getTime() + PUBLISHED_AFTER_SUCCESSION_MS)
    const signing = signingOf.get(algorithm)
    if (key === signing) return { key, state: 'signing', retiresAt }
    if (!signing || keys.indexOf(key) < keys.indexOf(signing)) return { key, state: 'upcoming', retiresAt }
    return { key, state: retiresAt && retiresAt <= now ? 'retired' : 'published', retiresAt }
  })
}
