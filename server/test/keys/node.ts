import { randomBytes } from 'node:crypto'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { type ChangeFeed, noopChangeFeed } from '../../src/db/changes.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { createSigner } from '../../src/keys/signer.ts'
import { ensureSigningKeys, type Rotation, rotateSigningKeys } from '../../src/keys/signing-keys.ts'
import { insertSigningKey, listSigningKeys, listUsedAlgorithms, type StoredKey } from '../../src/keys/store.ts'
import { createSealer, type Sealer } from '../../src/lib/seal.ts'
import type { Signer } from '../../src/lib/signer.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const CONNECTION_REFUSED = { code: 'ECONNREFUSED', syscall: 'connect' }

type Deps = Pick<Ctx, 'config' | 'db' | 'now' | 'keys' | 'changes'>

/** A node that shares a database and a clock with others. */
export interface Node extends Deps {
  signer: Signer
  /** The number of queries so far. */
  queries(): number
  /** Makes every query of this node fail like during an outage. */
  setOutage(isOut: boolean): void
}

export interface Nodes {
  database: TestDatabase
  db: Db
  sealer: Sealer
  advance(ms: number): void
  start(options?: Partial<Pick<Deps, 'keys' | 'changes'>> & { config?: Partial<Config> }): Node
  /**
   * Creates the keys that are missing. If there are none at all, keys of an earlier test are used again as if they were
   * new, because creating RSA keys takes long.
   */
  ensureKeys(node: Node): Promise<void>
  close(): Promise<void>
}

export async function openNodes(): Promise<Nodes> {
  const database = await createDatabase()
  const db = openDb(database, 10)
  const sealer = createSealer([randomBytes(32)])
  let time = Date.parse('2030-01-01T00:00:00Z')
  const known = new Map<string, StoredKey>()
  /** Moves a key to another time of creation. */
  const createdAt = (key: StoredKey, at: Date): StoredKey => {
    const delay = key.activates_at.getTime() - key.created_at.getTime()
    return { ...key, created_at: at, activates_at: new Date(at.getTime() + delay) }
  }
  return {
    database,
    db,
    sealer,
    advance(ms) {
      time += ms
    },
    start({ config, ...options } = {}) {
      let queries = 0
      let isOutage = false
      const counting = db.withPlugin({
        transformQuery({ node }) {
          queries += 1
          if (isOutage) throw Object.assign(new Error('connect ECONNREFUSED'), CONNECTION_REFUSED)
          return node
        },
        transformResult: async ({ result }) => result,
      })
      const deps: Deps = {
        config: { ...loadConfig('demo', {}), ...config },
        db: counting,
        now: () => new Date(time),
        keys: sealer,
        changes: noopChangeFeed,
        ...options,
      }
      return {
        ...deps,
        signer: createSigner(deps),
        queries: () => queries,
        setOutage(isOut) {
          isOutage = isOut
        },
      }
    },
    async ensureKeys(node) {
      if ((await listSigningKeys(db)).length === 0) {
        const used: string[] = await listUsedAlgorithms(db)
        const again = [...known.values()].filter(({ algorithm }) => used.includes(algorithm))
        await db.transaction().execute(async (tx) => {
          for (const key of again) await insertSigningKey(tx, createdAt(key, new Date(time)))
        })
      }
      await ensureSigningKeys(node)
      for (const key of await listSigningKeys(db)) if (!known.has(key.algorithm)) known.set(key.algorithm, key)
    },
    async close() {
      await db.destroy()
      await database.close()
    },
  }
}

/** A change feed whose announcements the test makes. */
export function manualFeed(): ChangeFeed & { announce(subject: string | undefined): void } {
  const listeners: ((subject: string | undefined) => void)[] = []
  return {
    ...noopChangeFeed,
    subscribe: (listener) => void listeners.push(listener),
    announce(subject) {
      for (const listener of listeners) listener(subject)
    },
  }
}

/** The result for RS256 of a rotation. */
export async function rotateRs256Key(node: Node, options: { immediately: boolean }): Promise<Rotation> {
  const [rotation] = await rotateSigningKeys(node, options)
  if (rotation?.algorithm !== 'RS256') throw new Error('there is no result for RS256')
  return rotation
}

export const kidsOf = async ({ signer }: Pick<Node, 'signer'>): Promise<string[]> =>
  (JSON.parse(await signer.publishedKeys()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
