import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { generateSigningKey, openPrivateKey } from './key-pairs.ts'
import { type KeyState, toKeyStates } from './key-states.ts'
import {
  deletePrivateKeys,
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type StoredKey,
  updateActivation,
} from './store.ts'

/**
 * The lifecycle of signing keys. A new key is published before it signs, and stays published after its successor took
 * over for as long as its tokens are valid. Then its private key is deleted. All of this follows from the rows and the
 * clock, so nodes need no other coordination.
 */
type KeyDeps = Pick<Ctx, 'db' | 'now' | 'keys'>

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** How long a key is published before it signs. Clients may cache the key set for five minutes. */
const PUBLISH_AHEAD_MS = 15 * MINUTE_MS
/** A second rotation within this interval returns the key of the first. */
const MIN_ROTATION_INTERVAL_MS = 5_000
/** How long the public key of a retired key is kept, to verify ID token hints. */
const RETIRED_KEY_RETENTION_MS = 100 * DAY_MS

export interface KeyEvent {
  event: 'created' | 'brought_forward' | 'withdrawn'
  kid: string
  /** When it starts to sign; undefined for a withdrawn key. */
  activatesAt?: Date
}

/** Records the event in the transaction that causes it. */
export type OnKeyEvent = (tx: Tx, event: KeyEvent) => Promise<void>

const ignoreKeyEvent: OnKeyEvent = async () => {}

/**
 * Creates the first key, active immediately; of several nodes that start together, one does. Throws if existing keys
 * cannot be decrypted.
 */
export async function ensureSigningKey(deps: KeyDeps, onKeyEvent = ignoreKeyEvent): Promise<void> {
  const keys = await listSigningKeys(deps.db)
  requireDecryptable(deps, keys)
  if (keys.length === 0) await createKey(deps, { immediately: true, findExisting: ([newest]) => newest, onKeyEvent })
}

/** The key that a rotation resulted in. `isNew` is false if it already existed. */
export interface Rotation {
  kid: string
  activatesAt: Date
  isNew: boolean
}

/** Creates the next key, or activates the upcoming one early. Concurrent rotations create one key. */
export async function rotateSigningKeys(
  deps: KeyDeps,
  { immediately, onKeyEvent = ignoreKeyEvent }: { immediately: boolean; onKeyEvent?: OnKeyEvent },
): Promise<Rotation> {
  return createKey(deps, { immediately, findExisting: findRecentRotation, onKeyEvent })
}

/**
 * For a leaked key: a new key signs immediately, and every token signed by another key becomes invalid. Both happen in
 * one transaction, so that of two concurrent replacements only the later key remains.
 */
export async function replaceSigningKeys(deps: KeyDeps, onKeyEvent = ignoreKeyEvent): Promise<Rotation> {
  const pair = await generateSigningKey(deps.keys)
  return deps.db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const now = deps.now()
    const leaked = await listSigningKeys(tx)
    requireDecryptable(deps, leaked)
    const kids = leaked.map(({ kid }) => kid)
    await deleteSigningKeys(tx, kids)
    for (const kid of kids) await onKeyEvent(tx, { event: 'withdrawn', kid })
    await insertSigningKey(tx, { ...pair, created_at: now, activates_at: now })
    await onKeyEvent(tx, { event: 'created', kid: pair.kid, activatesAt: now })
    return { kid: pair.kid, activatesAt: now, isNew: true }
  })
}

/** The key of a pending or very recent rotation. The first key of an instance does not count as one. */
function findRecentRotation([newest, before]: StoredKey[], now: Date): StoredKey | undefined {
  if (!newest || !before) return undefined
  const isRecent = now.getTime() - newest.created_at.getTime() < MIN_ROTATION_INTERVAL_MS
  return isRecent || newest.activates_at > now ? newest : undefined
}

interface KeyCreation {
  immediately: boolean
  /** Returns an existing key that makes a new one unnecessary. */
  findExisting(keys: StoredKey[], now: Date): StoredKey | undefined
  onKeyEvent: OnKeyEvent
}

async function createKey(deps: KeyDeps, { immediately, findExisting, onKeyEvent }: KeyCreation): Promise<Rotation> {
  // Key generation is slow, so it runs before the lock is taken.
  const pair = await generateSigningKey(deps.keys)
  return deps.db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const now = deps.now()
    const keys = await listSigningKeys(tx)
    requireDecryptable(deps, keys)
    const existing = findExisting(keys, now)
    if (!existing) {
      const isImmediate = immediately || keys.length === 0
      const earliest = isImmediate ? now : new Date(now.getTime() + PUBLISH_AHEAD_MS)
      const activatesAt = activateAfter(keys[0], earliest)
      await insertSigningKey(tx, { ...pair, created_at: now, activates_at: activatesAt })
      await onKeyEvent(tx, { event: 'created', kid: pair.kid, activatesAt })
      return { kid: pair.kid, activatesAt, isNew: true }
    }
    if (!immediately || existing.activates_at <= now) {
      return { kid: existing.kid, activatesAt: existing.activates_at, isNew: false }
    }
    const activatesAt = activateAfter(keys[1], now)
    await updateActivation(tx, existing.kid, activatesAt)
    await onKeyEvent(tx, { event: 'brought_forward', kid: existing.kid, activatesAt })
    return { kid: existing.kid, activatesAt, isNew: false }
  })
}

/** Returns the wanted time, or the earliest one after the predecessor's: the clock may have been set back. */
const activateAfter = (predecessor: StoredKey | undefined, wanted: Date): Date =>
  predecessor && predecessor.activates_at >= wanted ? new Date(predecessor.activates_at.getTime() + 1) : wanted

/**
 * Throws if a key in use cannot be decrypted: this process has another encryption key, and would create keys that other
 * nodes cannot use.
 */
function requireDecryptable({ now, keys: sealer }: KeyDeps, keys: StoredKey[]): void {
  for (const { key, state } of toKeyStates(keys, now())) {
    if (state === 'signing' || state === 'upcoming') openPrivateKey(sealer, key)
  }
}

/** Throws if a key in use cannot be decrypted. */
export async function requireSigningKeys(deps: KeyDeps): Promise<void> {
  requireDecryptable(deps, await listSigningKeys(deps.db))
}

/** The public properties of a key. */
export interface SigningKeyInfo {
  kid: string
  state: KeyState
  createdAt: Date
  activatesAt: Date
  /** When its last token expires; undefined while it has no successor. */
  retiresAt: Date | undefined
}

/** Lists all stored keys with their state, newest first. */
export async function describeSigningKeys({ db, now }: Pick<Ctx, 'db' | 'now'>): Promise<SigningKeyInfo[]> {
  return toKeyStates(await listSigningKeys(db), now()).map(({ key, state, retiresAt }) => ({
    kid: key.kid,
    state,
    createdAt: key.created_at,
    activatesAt: key.activates_at,
    retiresAt,
  }))
}

/** Rotates when the newest key has reached its maximum age, and retires keys that no token needs. */
export async function maintainSigningKeys(
  deps: KeyDeps & Pick<Ctx, 'config'>,
  onKeyEvent = ignoreKeyEvent,
): Promise<void> {
  const [newest] = await listSigningKeys(deps.db)
  const age = newest ? deps.now().getTime() - newest.created_at.getTime() : Number.POSITIVE_INFINITY
  if (age >= deps.config.keyRotationDays * DAY_MS) await rotateSigningKeys(deps, { immediately: false, onKeyEvent })
  await retireSigningKeys(deps)
}

async function retireSigningKeys({ db, now }: KeyDeps): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const at = now()
    const retired = toKeyStates(await listSigningKeys(tx), at).filter(({ state }) => state === 'retired')
    const lastRecognized = new Date(at.getTime() - RETIRED_KEY_RETENTION_MS)
    const expired = retired.filter(({ retiresAt }) => retiresAt && retiresAt <= lastRecognized)
    const withPrivateKey = retired.filter(({ key }) => key.sealed_private_key !== null)
    await deletePrivateKeys(tx, withPrivateKey.map(kidOf))
    await deleteSigningKeys(tx, expired.map(kidOf))
  })
}

const kidOf = ({ key }: { key: StoredKey }) => key.kid
