import { randomBytes } from 'node:crypto'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { type ChangeFeed, silentFeed } from '../../src/db/changes.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { createSigner } from '../../src/keys/signer.ts'
import { createSealer, type Sealer } from '../../src/lib/seal.ts'
import type { Signer } from '../../src/lib/signer.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const GONE = { code: 'ECONNREFUSED', syscall: 'connect' }

type Deps = Pick<Ctx, 'config' | 'db' | 'now' | 'keys' | 'changes'>

/** One of several nodes on the same database and the same clock. */
export interface Node extends Deps {
  signer: Signer
  /** How often the database was asked. */
  queries(): number
  /** Lets the database fail for this node, as if it were away. */
  cutOff(away: boolean): void
}

export interface Nodes {
  database: TestDatabase
  db: Db
  sealer: Sealer
  advance(ms: number): void
  start(options?: Partial<Pick<Deps, 'keys' | 'changes'>> & { config?: Partial<Config> }): Node
  close(): Promise<void>
}

export async function openNodes(): Promise<Nodes> {
  const database = await createDatabase()
  const db = openDb(database, 10)
  const sealer = createSealer([randomBytes(32)])
  let time = Date.parse('2030-01-01T00:00:00Z')
  return {
    database,
    db,
    sealer,
    advance(ms) {
      time += ms
    },
    start({ config, ...options } = {}) {
      let queries = 0
      let away = false
      const counting = db.withPlugin({
        transformQuery({ node }) {
          queries += 1
          if (away) throw Object.assign(new Error('connect ECONNREFUSED'), GONE)
          return node
        },
        transformResult: async ({ result }) => result,
      })
      const deps: Deps = {
        config: { ...loadConfig('demo', {}), ...config },
        db: counting,
        now: () => new Date(time),
        keys: sealer,
        changes: silentFeed,
        ...options,
      }
      return {
        ...deps,
        signer: createSigner(deps),
        queries: () => queries,
        cutOff(gone) {
          away = gone
        },
      }
    },
    async close() {
      await db.destroy()
      await database.close()
    },
  }
}

/** A feed on which the test itself makes the announcements. */
export function manualFeed(): ChangeFeed & { announce(subject: string | undefined): void } {
  const listeners: ((subject: string | undefined) => void)[] = []
  return {
    ...silentFeed,
    subscribe: (listener) => void listeners.push(listener),
    announce(subject) {
      for (const listener of listeners) listener(subject)
    },
  }
}

export const kidsOf = async ({ signer }: Pick<Node, 'signer'>): Promise<string[]> =>
  (JSON.parse(await signer.publishedKeys()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
