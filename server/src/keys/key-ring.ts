import { createPublicKey, type KeyObject } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import { openPrivateKey } from './key-pairs.ts'
import { listSigningKeys, type StoredKey } from './store.ts'

/** The subject of the change feed for any change of a signing key. */
export const SIGNING_KEYS = 'signing_keys'

const MAX_AGE_MS = 60_000
const RETRY_MS = 1_000
/** How long a caller waits for a refresh before it uses the cached keys. */
const MAX_WAIT_MS = 500

export interface SigningKey extends StoredKey {
  publicKey: KeyObject
  /** Decrypted on first use, then cached. */
  privateKey(): KeyObject
}

/** A cache of the signing keys in the database. */
export interface KeyRing {
  /** Newest first. Refreshed after a change or after MAX_AGE_MS. If that fails, the cached keys are returned. */
  keys(): Promise<readonly SigningKey[]>
  /** For an unknown kid: reads the database unless it was read within RETRY_MS. Throws if the read fails. */
  latestKeys(): Promise<readonly SigningKey[]>
}

interface KeyRead {
  asOf: number
  done: Promise<readonly SigningKey[]>
  /** Resolves when the read ends or MAX_WAIT_MS have passed. Never rejects. */
  settled: Promise<unknown>
}

export function openKeyRing(deps: Pick<Ctx, 'db' | 'now' | 'keys' | 'changes'>): KeyRing {
  const open = createKeyOpener(deps)
  let cached: { keys: readonly SigningKey[]; asOf: number; readAt: number } | undefined
  let failure: { error: unknown; at: number } | undefined
  let pendingRead: KeyRead | undefined
  /** Counts change announcements, so that a read that started before a change does not count as its result. */
  let changeCount = 0
  deps.changes.subscribe((subject) => {
    if (subject !== undefined && subject !== SIGNING_KEYS) return
    changeCount += 1
    failure = undefined
  })
  const isWithin = (ms: number, at: number) => Math.abs(deps.now().getTime() - at) < ms

  function read(): KeyRead {
    if (pendingRead?.asOf === changeCount) return pendingRead
    const done = load(changeCount)
    const settled = Promise.race([done, pause(MAX_WAIT_MS, undefined, { ref: false })]).catch(() => {})
    const started = { asOf: changeCount, done, settled }
    pendingRead = started
    const end = () => {
      if (pendingRead === started) pendingRead = undefined
    }
    done.then(end, end)
    return started
  }

  async function load(asOf: number): Promise<readonly SigningKey[]> {
    const readAt = deps.now().getTime()
    try {
      const keys = open(await listSigningKeys(deps.db))
      if (cached && cached.asOf > asOf) return cached.keys
      cached = { keys, asOf, readAt }
      failure = undefined
      return keys
    } catch (error) {
      failure = { error, at: readAt }
      throw error
    }
  }

  return {
    async keys() {
      if (!cached || cached.keys.length === 0) return read().done
      const due = cached.asOf !== changeCount || !isWithin(MAX_AGE_MS, cached.readAt)
      if (!due || (failure && isWithin(RETRY_MS, failure.at))) return cached.keys
      const before = cached
      await read().settled
      return (cached ?? before).keys
    },
    async latestKeys() {
      if (failure && isWithin(RETRY_MS, failure.at)) throw failure.error
      if (cached && isWithin(RETRY_MS, cached.readAt)) return cached.keys
      return read().done
    },
  }
}

/** Converts rows to keys. Parsed and decrypted keys are reused for as long as the row exists. */
function createKeyOpener({ keys: sealer }: Pick<Ctx, 'keys'>): (rows: StoredKey[]) => readonly SigningKey[] {
  let opened = new Map<string, Pick<SigningKey, 'publicKey' | 'privateKey'>>()
  return (rows) => {
    const keys = rows.map((row) => ({ ...row, ...(opened.get(row.kid) ?? openOnce(row)) }))
    opened = new Map(keys.map(({ kid, publicKey, privateKey }) => [kid, { publicKey, privateKey }]))
    return keys
  }
  function openOnce(row: StoredKey) {
    let privateKey: KeyObject | undefined
    return {
      publicKey: createPublicKey({ key: row.public_jwk, format: 'jwk' }),
      privateKey() {
        privateKey ??= openPrivateKey(sealer, row)
        return privateKey
      },
    }
  }
}
