import { LONGEST_TOKEN } from '../config/lifetimes.ts'

/** What a key is for at a moment. Retired ones only tell that an old token was ours. */
export type KeyState = 'upcoming' | 'signing' | 'published' | 'retired'

interface Timed {
  activates_at: Date
}

interface Placed<K> {
  key: K
  state: KeyState
  /** When its last token is gone; undefined while no other key is to follow it. */
  retiresAt: Date | undefined
}

/** As long as a token may live; the hour is for a node that hears late of the key that follows. */
const OUTLIVES_SUCCESSION_MS = (LONGEST_TOKEN + 3_600) * 1000

/** The one activated last, of keys sorted newest first. A clock behind the one that made the first key sees it too. */
export const findSigning = <K extends Timed>(keys: readonly K[], now: Date): K | undefined =>
  keys.find(({ activates_at }) => activates_at <= now) ?? keys.at(-1)

/** Says of keys sorted newest first what each is for. The clock alone decides, so all nodes agree. */
export function placeInTime<K extends Timed>(keys: readonly K[], now: Date): Placed<K>[] {
  const signing = findSigning(keys, now)
  const turn = signing ? keys.indexOf(signing) : -1
  return keys.map((key, index) => {
    const successor = keys[index - 1]
    const retiresAt = successor && new Date(successor.activates_at.getTime() + OUTLIVES_SUCCESSION_MS)
    if (index <= turn) return { key, state: index === turn ? 'signing' : 'upcoming', retiresAt }
    return { key, state: retiresAt && retiresAt <= now ? 'retired' : 'published', retiresAt }
  })
}
