import type { Ctx } from '../context.ts'
import { defineJob } from '../jobs/job.ts'
import type { Signer } from '../lib/signer.ts'
import { openJws, readJws, signJws } from './jws.ts'
import { generateSigningKey, openPrivateKey } from './key-pairs.ts'
import { type KeyRing, openKeyRing, type SigningKey } from './key-ring.ts'
import {
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  type StoredKey,
  updateActivation,
  updateToPublicHalf,
} from './store.ts'
import { findSigning, type KeyState, placeInTime } from './timeline.ts'

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

/** Signs and recognises tokens with the keys of the database. */
export function createSigner(deps: KeyDeps & Pick<Ctx, 'config' | 'changes'>): Signer {
  const ring = openKeyRing(deps)
  const publish = createPublisher()
  return {
    async sign(type, claims) {
      const key = findSigning(await ring.keys(), deps.now())
      if (!key) throw new Error('there is no signing key yet')
      return signJws(type, claims, key.kid, key.privateKey())
    },
    async verify(type, token) {
      const jws = readJws(type, token)
      const key = jws && (await findKey(ring, jws.kid))
      // An ID token may come back long after it expired; no access token lives as long as its key is published.
      if (!key || (type === 'at+jwt' && isRetired(await ring.keys(), key, deps.now()))) return undefined
      const claims = openJws(jws, key.publicKey)
      return claims?.iss === deps.config.baseUrl ? claims : undefined
    },
    async publishedKeys() {
      return publish(await ring.keys(), deps.now())
    },
  }
}

async function findKey(ring: KeyRing, kid: string): Promise<SigningKey | undefined> {
  const has = (key: SigningKey) => key.kid === kid
  // Another node may have begun to sign with a key that we have not heard of yet.
  return (await ring.keys()).find(has) ?? (await ring.latestKeys()).find(has)
}

const isRetired = (keys: readonly SigningKey[], { kid }: SigningKey, now: Date): boolean =>
  placeInTime(keys, now).some(({ key, state }) => key.kid === kid && state === 'retired')

/** The JWK Set as text (RFC 7517 §5), written anew when there are other keys or one of them retires. */
function createPublisher() {
  let last: { keys: readonly SigningKey[]; until: number; text: string } | undefined
  return (keys: readonly SigningKey[], now: Date): string => {
    if (last?.keys === keys && now.getTime() < last.until) return last.text
    const shown = placeInTime(keys, now).filter(({ state }) => state !== 'retired')
    const jwks = shown.map(({ key: { kid, public_jwk } }) => {
      const { kty, n, e } = public_jwk
      return { kty, kid, use: 'sig', alg: 'RS256', n, e }
    })
    const until = Math.min(...shown.map(({ retiresAt }) => retiresAt?.getTime() ?? Number.POSITIVE_INFINITY))
    const text = JSON.stringify({ keys: jwks })
    last = { keys, until, text }
    return text
  }
}

/** Makes the first key, active at once; of several nodes that start together, one does. Fails if it does not open. */
export async function ensureSigningKey(deps: KeyDeps): Promise<void> {
  const keys = await listSigningKeys(deps.db)
  requireReadable(deps, keys)
  if (keys.length === 0) await makeKey(deps, { immediately: true, unless: ([newest]) => newest })
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
  { immediately }: { immediately: boolean },
): Promise<Rotation> {
  return makeKey(deps, { immediately, unless: findRotated })
}

/** For when a key has leaked: a new one signs at once, and no token that another has signed is good any more. */
export async function replaceSigningKeys(deps: KeyDeps): Promise<Rotation> {
  const made = await makeKey(deps, { immediately: true, unless: () => undefined })
  await deps.db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const others = (await listSigningKeys(tx)).filter(({ kid }) => kid !== made.kid)
    await deleteSigningKeys(
      tx,
      others.map(({ kid }) => kid),
    )
  })
  return made
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
}

async function makeKey(deps: KeyDeps, { immediately, unless }: Making): Promise<Rotation> {
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
      return { kid: pair.kid, activatesAt, isNew: true }
    }
    if (!immediately || made.activates_at <= now) {
      return { kid: made.kid, activatesAt: made.activates_at, isNew: false }
    }
    const activatesAt = follow(keys[1], now)
    await updateActivation(tx, made.kid, activatesAt)
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

/** Every key that is kept, newest first, with what it is for now. */
export async function describeSigningKeys({
  db,
  now,
}: Pick<Ctx, 'db' | 'now'>): Promise<{ kid: string; state: KeyState; createdAt: Date; activatesAt: Date }[]> {
  return placeInTime(await listSigningKeys(db), now()).map(({ key, state }) => ({
    kid: key.kid,
    state,
    createdAt: key.created_at,
    activatesAt: key.activates_at,
  }))
}

/** Rotates when the newest key has become old, and clears away what no token needs any more. */
export const maintainSigningKeys = defineJob<unknown>({
  name: 'maintain_signing_keys',
  schedule: '7 * * * *',
  async run(ctx) {
    const [newest] = await listSigningKeys(ctx.db)
    const age = newest ? ctx.now().getTime() - newest.created_at.getTime() : Number.POSITIVE_INFINITY
    if (age >= ctx.config.keyRotationDays * DAY) await rotateSigningKeys(ctx, { immediately: false })
    await retireSigningKeys(ctx)
  },
})

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
