import { createPublicKey, type KeyObject } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Ctx } from '../context.ts'
import type { Eventual } from '../lib/eventual.ts'
import { openPrivateKey } from './key-pairs.ts'
import { listSigningKeys, type StoredKey } from './store.ts'

/** What the change feed calls a change of any of them. */
export const KEYS = 'signing_keys'

const FRESH_MS = 60_000
const RETRY_MS = 1_000
/** How long whoever could go on with the known keys waits for newer ones. */
const PATIENCE_MS = 500

export interface SigningKey extends StoredKey {
  publicKey: KeyObject
  /** Opened when first used, then kept. */
  privateKey(): KeyObject
}

/** The keys of the database, remembered. */
export interface KeyRing {
  /** Newest first; read again when they may have changed. While that fails, those known before are good. */
  keys(): Eventual<readonly SigningKey[]>
  /** For a key nobody here knows: read just now. Fails if that does. */
  latestKeys(): Promise<readonly SigningKey[]>
}

interface Reading {
  asOf: number
  done: Promise<readonly SigningKey[]>
  /** Ends with the reading or with our patience, and never fails. */
  patiently: Promise<unknown>
}

export function openKeyRing(deps: Pick<Ctx, 'db' | 'now' | 'keys' | 'changes'>): KeyRing {
  const open = createOpener(deps)
  let known: { keys: readonly SigningKey[]; asOf: number; readAt: number } | undefined
  let failure: { error: unknown; at: number } | undefined
  let reading: Reading | undefined
  /** Counts the changes heard of, so that a reading begun before one is not taken for its result. */
  let heard = 0
  deps.changes.subscribe((subject) => {
    if (subject !== undefined && subject !== KEYS) return
    heard += 1
    failure = undefined
  })
  const isWithin = (ms: number, at: number) => Math.abs(deps.now().getTime() - at) < ms

  function read(): Reading {
    if (reading?.asOf === heard) return reading
    const done = load(heard)
    const patiently = Promise.race([done, pause(PATIENCE_MS, undefined, { ref: false })]).catch(() => {})
    const begun = { asOf: heard, done, patiently }
    reading = begun
    const end = () => {
      if (reading === begun) reading = undefined
    }
    done.then(end, end)
    return begun
  }

  async function load(asOf: number): Promise<readonly SigningKey[]> {
    const readAt = deps.now().getTime()
    try {
      const keys = open(await listSigningKeys(deps.db))
      if (known && known.asOf > asOf) return known.keys
      known = { keys, asOf, readAt }
      failure = undefined
      return keys
    } catch (error) {
      failure = { error, at: readAt }
      throw error
    }
  }

  return {
    keys() {
      if (!known || known.keys.length === 0) return read().done
      const due = known.asOf !== heard || !isWithin(FRESH_MS, known.readAt)
      if (!due || (failure && isWithin(RETRY_MS, failure.at))) return known.keys
      const before = known
      return read().patiently.then(() => (known ?? before).keys)
    },
    async latestKeys() {
      if (failure && isWithin(RETRY_MS, failure.at)) throw failure.error
      if (known && isWithin(RETRY_MS, known.readAt)) return known.keys
      return read().done
    },
  }
}

/** Turns rows into keys. What was opened once stays so over all readings, for as long as the row exists. */
function createOpener({ keys: sealer }: Pick<Ctx, 'keys'>): (rows: StoredKey[]) => readonly SigningKey[] {
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
