import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config.ts'
import { startBundled } from '../db/bundled/server.ts'
import { noopChangeFeed } from '../db/changes.ts'
import { migrate } from '../db/migrate.ts'
import { openDb } from '../db/open.ts'
import { loadEncryptionKeys } from '../keys/encryption-keys.ts'
import { seedIds } from '../lib/ids.ts'
import { createLogger } from '../lib/logger.ts'
import { createSealer } from '../lib/seal.ts'
import { VERSION } from '../lib/version.ts'
import { createContext, type Prepare } from '../main.ts'
import { EARLIEST } from './clock.ts'
import { createTemplate, FIRST_DATABASE, toSettings } from './store.ts'

/** The data that every run begins with. */
export interface InitialData {
  /** Its declaration. */
  path: string
  insert: Prepare
}

/** Changes with the program and with the data, so that a folder of another version is not used. */
export function prepareKey({ path }: InitialData): string {
  const { mtimeMs, size } = statSync(fileURLToPath(import.meta.url))
  return createHash('sha256')
    .update(JSON.stringify([VERSION, mtimeMs, size]))
    .update(readFileSync(path))
    .digest('hex')
    .slice(0, 16)
}

/**
 * Fills a data folder with a stopped PostgreSQL that contains the initial data. Its ids and times are the same on every
 * machine.
 */
export async function prepareDataFolder(folder: string, config: Config, data: InitialData): Promise<void> {
  const server = await startBundled(folder, { use: 'own' })
  try {
    const settings = toSettings(server.socketDir, FIRST_DATABASE)
    await migrate(settings)
    const db = openDb({ pooled: settings, direct: settings, lost: server.lost, close: server.stop }, 2)
    try {
      const ownConfig = { ...config, dataDir: folder }
      const ctx = createContext(ownConfig, {
        db,
        changes: noopChangeFeed,
        now: () => EARLIEST,
        keys: createSealer(loadEncryptionKeys(ownConfig)),
        log: createLogger('silent'),
      })
      seedIds('initial data')
      await data.insert(ctx)
      const { ensureFirstKey } = await import('../oauth/signing-keys/service.ts')
      await ensureFirstKey(ctx)
    } finally {
      seedIds(undefined)
      await db.destroy()
    }
    await createTemplate(server.socketDir)
  } finally {
    await server.stop()
  }
}
