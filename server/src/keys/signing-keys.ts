import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { generateSigningKey, openPrivateKey } from './key-pairs.ts'
import {
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type StoredKey,
  updateActivation,
  updateToPublicHalf,
} from './store.ts'
import { type KeyState, placeInTime } from './timeline.ts'

/**
 * The keys that sign tokens. A new key is published before it signs, and stays published after its successor took
 * over for as long as its tokens live; then its private half is thrown away. All of this follows from the rows and
 * the clock, so nodes need not agree on anything else.
 */
type KeyDeps = Pick<Ctx, 'db' | 'now' | 'keys'>

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** How long a key is published before it signs; the key set may be cached for five minutes. */
const PUBLISH_AHEAD_MS = 15 * MINUTE
/** Of two rotations closer than this, the second is an echo of the first. */
const ECHO_MS = 5_000
/** How long the public half of a retired key still tells that an old token was ours. */
const RECOGNISED_MS = 100 * DAY

/** Something that has happened to a key. */
export interface KeyNews {
  event: 'created' | 'brought_forward' | 'withdrawn'
  kid: string
  /** When it signs from; a withdrawn one never does. */
  activatesAt?: Date
}

/** Writes it down, in the transaction in which it happens. */
export type Witness = (tx: Tx, news: KeyNews) => Promise<void>

const nobody: Witness = async () => {}

/** Makes the first key, active at once; of several nodes that start together, one does. Fails if it does not open. */
export async function ensureSigningKey(deps: KeyDeps, witness = nobody): Promise<void> {
  const keys = await listSigningKeys(deps.db)
  requireReadable(deps, keys)
  if (keys.length === 0) await makeKey(deps, { immediately: true, unless: ([newest]) => newest, witness })
}

/** A key of a rotation. `isNew` is false if another rotation had just made it, or it was waiting for its turn. */
export interface Rotation {
  kid: string
  activatesAt: Date
  isNew: boolean
}

/** Makes the next key, or brings forward the one that waits. Rotations at the same moment are one. */
export async function rotateSigningKeys(
  deps: KeyDeps,
  { immediately, witness = nobody }: { immediately: boolean; witness?: Witness },
): Promise<Rotation> {
  return makeKey(deps, { immediately, unless: findRotated, witness })
}

/**
 * For when a key has leaked: a new one signs at once, and no token that another has signed is good any more. Both
 * happen together, so that of two replacements at once the later one's key is left.
 */
export async function replaceSigningKeys(deps: KeyDeps, witness = nobody): Promise<Rotation> {
  const pair = await generateSigningKey(deps.keys)
  return deps.db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const now = deps.now()
    const leaked = await listSigningKeys(tx)
    requireReadable(deps, leaked)
    const kids = leaked.map(({ kid }) => kid)
    await deleteSigningKeys(tx, kids)
    for (const kid of kids) await witness(tx, { event: 'withdrawn', kid })
    await insertSigningKey(tx, { ...pair, created_at: now, activates_at: now })
    await witness(tx, { event: 'created', kid: pair.kid, activatesAt: now })
    return { kid: pair.kid, activatesAt: now, isNew: true }
  })
}

/** The key of a rotation that is under way or just over. An instance's first key is of none. */
function findRotated([newest, before]: StoredKey[], now: Date): StoredKey | undefined {
  if (!newest || !before) return undefined
  const isEcho = now.getTime() - newest.created_at.getTime() < ECHO_MS
  return isEcho || newest.activates_at > now ? newest : undefined
}

interface Making {
  immediately: boolean
  /** The key that makes another one needless. */
  unless(keys: StoredKey[], now: Date): StoredKey | undefined
  witness: Witness
}

async function makeKey(deps: KeyDeps, { immediately, unless, witness }: Making): Promise<Rotation> {
  // Before the lock: it takes a while.
  const pair = await generateSigningKey(deps.keys)
  return deps.db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const now = deps.now()
    const keys = await listSigningKeys(tx)
    requireReadable(deps, keys)
    const made = unless(keys, now)
    if (!made) {
      const atOnce = immediately || keys.length === 0
      const activatesAt = follow(keys[0], atOnce ? now : new Date(now.getTime() + PUBLISH_AHEAD_MS))
      await insertSigningKey(tx, { ...pair, created_at: now, activates_at: activatesAt })
      await witness(tx, { event: 'created', kid: pair.kid, activatesAt })
      return { kid: pair.kid, activatesAt, isNew: true }
    }
    if (!immediately || made.activates_at <= now) {
      return { kid: made.kid, activatesAt: made.activates_at, isNew: false }
    }
    const activatesAt = follow(keys[1], now)
    await updateActivation(tx, made.kid, activatesAt)
    await witness(tx, { event: 'brought_forward', kid: made.kid, activatesAt })
    return { kid: made.kid, activatesAt, isNew: false }
  })
}

/** When a key may sign that was wanted for this time: after the one before it, also when the clock was set back. */
const follow = (before: StoredKey | undefined, wanted: Date): Date =>
  before && before.activates_at >= wanted ? new Date(before.activates_at.getTime() + 1) : wanted

/** Whoever cannot open the keys in use has another encryption key, and would make one that the others cannot open. */
function requireReadable({ now, keys: sealer }: KeyDeps, keys: StoredKey[]): void {
  for (const { key, state } of placeInTime(keys, now())) {
    if (state === 'signing' || state === 'upcoming') openPrivateKey(sealer, key)
  }
}

/** Throws when the keys in use cannot be opened. */
export async function requireSigningKeys(deps: KeyDeps): Promise<void> {
  requireReadable(deps, await listSigningKeys(deps.db))
}

/** What may be told of a key. */
export interface DescribedKey {
  kid: string
  state: KeyState
  createdAt: Date
  activatesAt: Date
  /** When its last token is gone; undefined while no other key is to follow it. */
  retiresAt: Date | undefined
}

/** Every key that is kept, newest first, with what it is for now. */
export async function describeSigningKeys({ db, now }: Pick<Ctx, 'db' | 'now'>): Promise<DescribedKey[]> {
  return placeInTime(await listSigningKeys(db), now()).map(({ key, state, retiresAt }) => ({
    kid: key.kid,
    state,
    createdAt: key.created_at,
    activatesAt: key.activates_at,
    retiresAt,
  }))
}

/** Rotates when the newest key has become old, and clears away what no token needs any more. */
export async function maintainSigningKeys(
  deps: KeyDeps & Pick<Ctx, 'config'>,
  witness = nobody,
): Promise<void> {
  const [newest] = await listSigningKeys(deps.db)
  const age = newest ? deps.now().getTime() - newest.created_at.getTime() : Number.POSITIVE_INFINITY
  if (age >= deps.config.keyRotationDays * DAY) await rotateSigningKeys(deps, { immediately: false, witness })
  await retireSigningKeys(deps)
}

async function retireSigningKeys({ db, now }: KeyDeps): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const at = now()
    const retired = placeInTime(await listSigningKeys(tx), at).filter(({ state }) => state === 'retired')
    const lastRecognised = new Date(at.getTime() - RECOGNISED_MS)
    const forgotten = retired.filter(({ retiresAt }) => retiresAt && retiresAt <= lastRecognised)
    const whole = retired.filter(({ key }) => key.sealed_private_key !== null)
    await updateToPublicHalf(tx, whole.map(kidOf))
    await deleteSigningKeys(tx, forgotten.map(kidOf))
  })
}

const kidOf = ({ key }: { key: StoredKey }) => key.kid
