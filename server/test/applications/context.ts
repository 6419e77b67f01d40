import { randomBytes } from 'node:crypto'
import { createApplication } from '../../src/applications/service.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { openChangeFeed } from '../../src/db/changes.ts'
import { createMemory } from '../../src/db/memory.ts'
import { openDb } from '../../src/db/open.ts'
import { createClosers } from '../../src/lib/closers.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createSealer } from '../../src/lib/seal.ts'
import type { Signer } from '../../src/lib/signer.ts'
import { createDatabase } from '../support/database.ts'

/** The rooms behind the door, on a database of their own, with a memory that hears of changes. */
export async function openContext(
  config: Partial<Config> = {},
): Promise<{ ctx: Ctx; close(): Promise<void> }> {
  const closers = createClosers()
  const connection = await createDatabase()
  closers.add(connection.close)
  const db = openDb(connection, 10)
  closers.add(() => db.destroy())
  const changes = await openChangeFeed(connection.direct)
  closers.add(changes.stop)
  const ctx: Ctx = {
    config: { ...loadConfig('demo', {}), ...config },
    db,
    now: () => new Date(),
    keys: createSealer([randomBytes(32)]),
    signer: {} as Signer,
    changes,
    memory: createMemory(changes),
    log: createLogger('silent'),
    strict: true,
    state: { draining: false },
  }
  return { ctx, close: closers.close }
}

/** Runs in a transaction of its own. */
export const inTx = <T>(
  ctx: Ctx,
  work: (tx: Parameters<typeof createApplication>[1]) => Promise<T>,
): Promise<T> => ctx.db.transaction().execute(work)

export const newApplication = (ctx: Ctx, name = 'App') =>
  inTx(ctx, (tx) => createApplication(ctx, tx, { name }))

/** What a refused call says: its code and the fields at fault. */
export async function refusal(work: Promise<unknown>): Promise<{ code: string; fields: string[] }> {
  const error = (await work.then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  )) as Error & { code?: string; details?: { field: string }[] }
  if (error.code === undefined) throw error
  return { code: error.code, fields: (error.details ?? []).map(({ field }) => field) }
}
