import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import { DEFAULT_ALGORITHM, SIGNING_ALGORITHMS, type SigningAlgorithm } from '../lib/signer.ts'
import { generateSigningKey, type KeyPair, openPrivateKey } from './key-pairs.ts'
import { type KeyState, keysFor, toKeyStates } from './key-states.ts'
import {
  deletePrivateKeys,
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  listUsedAlgorithms,
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
  algorithm: SigningAlgorithm
  /** When it starts to sign; undefined for a withdrawn key. */
  activatesAt?: Date
}

/** Records the event in the transaction that causes it. */
export type OnKeyEvent = (tx: Tx, event: KeyEvent) => Promise<void>

const ignoreKeyEvent: OnKeyEvent = async () => {}

/**
 * Creates the first key of each algorithm that is used and has none. Of several nodes that do so together, one creates
 * it. Throws if existing keys cannot be decrypted.
 */
export async function ensureSigningKeys(deps: KeyDeps, onKeyEvent = ignoreKeyEvent): Promise<void> {
  await createKeys(deps, { immediately: false, isDue: (keys) => keys.length === 0, onKeyEvent })
}

/** A key that a rotation resulted in. `isNew` is false if it already existed. */
export interface Rotation {
  kid: string
  algorithm: SigningAlgorithm
  activatesAt: Date
  isNew: boolean
}

/**
 * Creates the next key of each algorithm that is used, or activates the upcoming one early. Concurrent rotations create
 * one key for each. The first result is for RS256.
 */
export const rotateSigningKeys = (
  deps: KeyDeps,
  { immediately, onKeyEvent = ignoreKeyEvent }: { immediately: boolean; onKeyEvent?: OnKeyEvent },
): Promise<Rotation[]> => createKeys(deps, { immediately, isDue: () => true, onKeyEvent })

/**
 * For a leaked key: new keys sign immediately, and every token signed by another key becomes invalid. Both happen in
 * one transaction, so that of two concurrent replacements only the later keys remain.
 */
export const replaceSigningKeys = (deps: KeyDeps, onKeyEvent = ignoreKeyEvent): Promise<Rotation[]> =>
  changeKeys(deps, {
    isDue: () => true,
    async change(tx, { keys, pairs, now: activatesAt }) {
      await deleteSigningKeys(
        tx,
        keys.map(({ kid }) => kid),
      )
      for (const { kid, algorithm } of keys) await onKeyEvent(tx, { event: 'withdrawn', kid, algorithm })
      const rotations: Rotation[] = []
      for (const pair of pairs) rotations.push(await insertKey(tx, pair, { now: activatesAt, activatesAt, onKeyEvent }))
      return rotations
    },
  })

interface KeyCreation {
  immediately: boolean
  /** Whether an algorithm with these keys, newest first, needs another one. */
  isDue(keys: StoredKey[], now: Date): boolean
  onKeyEvent: OnKeyEvent
}

const createKeys = (deps: KeyDeps, { immediately, isDue, onKeyEvent }: KeyCreation): Promise<Rotation[]> =>
  changeKeys(deps, {
    isDue,
    async change(tx, { keys, pairs, now }) {
      const rotations: Rotation[] = []
      for (const pair of pairs) {
        const own = keysFor(keys, pair.algorithm)
        rotations.push(await createKey(tx, pair, { keys: own, now, immediately, onKeyEvent }))
      }
      return rotations
    },
  })

interface KeyChange {
  isDue: KeyCreation['isDue']
  change(tx: Tx, state: { keys: StoredKey[]; pairs: KeyPair[]; now: Date }): Promise<Rotation[]>
}

/** Runs `change` under the lock, with a new pair for each algorithm that is used and due. */
async function changeKeys(deps: KeyDeps, { isDue, change }: KeyChange): Promise<Rotation[]> {
  const pairs = new Map<SigningAlgorithm, KeyPair>()
  const read = async (db: Db) => {
    const keys = await listSigningKeys(db)
    requireDecryptable(deps, keys)
    const used = await listUsedAlgorithms(db)
    const now = deps.now()
    const isUsedAndDue = (algorithm: SigningAlgorithm) =>
      used.includes(algorithm) && isDue(keysFor(keys, algorithm), now)
    return { keys, now, due: SIGNING_ALGORITHMS.filter(isUsedAndDue) }
  }
  let { due } = await read(deps.db)
  while (due.length > 0) {
    // Key generation is slow, so it runs before the lock is taken.
    for (const algorithm of due) {
      if (!pairs.has(algorithm)) pairs.set(algorithm, await generateSigningKey(deps.keys, algorithm))
    }
    const rotations = await deps.db.transaction().execute(async (tx) => {
      await lockSigningKeys(tx)
      const current = await read(tx)
      due = current.due
      const own = due.flatMap((algorithm) => pairs.get(algorithm) ?? [])
      // An application may have changed to another algorithm meanwhile.
      return own.length < due.length ? undefined : change(tx, { ...current, pairs: own })
    })
    if (rotations) return rotations
  }
  return []
}

interface CreationState {
  /** The keys of the algorithm, newest first. */
  keys: StoredKey[]
  now: Date
  immediately: boolean
  onKeyEvent: OnKeyEvent
}

async function createKey(
  tx: Tx,
  pair: KeyPair,
  { keys, now, immediately, onKeyEvent }: CreationState,
): Promise<Rotation> {
  const { algorithm } = pair
  const existing = findRecentRotation(keys, now)
  if (!existing) {
    // Without any RS256 key no token can be issued. Another algorithm has one that signs until then.
    const isFirst = algorithm === DEFAULT_ALGORITHM && keys.length === 0
    const earliest = immediately || isFirst ? now : new Date(now.getTime() + PUBLISH_AHEAD_MS)
    return insertKey(tx, pair, { now, activatesAt: activateAfter(keys[0], earliest), onKeyEvent })
  }
  const { kid } = existing
  if (!immediately || existing.activates_at <= now) {
    return { kid, algorithm, activatesAt: existing.activates_at, isNew: false }
  }
  const activatesAt = activateAfter(keys[1], now)
  await updateActivation(tx, kid, activatesAt)
  await onKeyEvent(tx, { event: 'brought_forward', kid, algorithm, activatesAt })
  return { kid, algorithm, activatesAt, isNew: false }
}

async function insertKey(
  tx: Tx,
  pair: KeyPair,
  { now, activatesAt, onKeyEvent }: { now: Date; activatesAt: Date; onKeyEvent: OnKeyEvent },
): Promise<Rotation> {
  const { kid, algorithm } = pair
  await insertSigningKey(tx, { ...pair, created_at: now, activates_at: activatesAt })
  await onKeyEvent(tx, { event: 'created', kid, algorithm, activatesAt })
  return { kid, algorithm, activatesAt, isNew: true }
}

/** The key of a pending or very recent rotation. The first key of an instance does not count as one. */
function findRecentRotation([newest, before]: StoredKey[], now: Date): StoredKey | undefined {
  if (!newest) return undefined
  const isRecent = before !== undefined && now.getTime() - newest.created_at.getTime() < MIN_ROTATION_INTERVAL_MS
  return isRecent || newest.activates_at > now ? newest : undefined
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
  algorithm: SigningAlgorithm
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
    algorithm: key.algorithm,
    state,
    createdAt: key.created_at,
    activatesAt: key.activates_at,
    retiresAt,
  }))
}

/** Creates the next key of an algorithm at the maximum age of the newest, and retires keys that no token needs. */
export async function maintainSigningKeys(
  deps: KeyDeps & Pick<Ctx, 'config'>,
  onKeyEvent = ignoreKeyEvent,
): Promise<void> {
  const maxAgeMs = deps.config.keyRotationDays * DAY_MS
  const isDue: KeyCreation['isDue'] = ([newest], now) =>
    newest === undefined || now.getTime() - newest.created_at.getTime() >= maxAgeMs
  await createKeys(deps, { immediately: false, isDue, onKeyEvent })
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
