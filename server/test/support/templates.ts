import type pg from 'pg'
import { sections } from '../../src/app.ts'
import { seedDemoData } from '../../src/cli/demo-data.ts'
import { loadConfig } from '../../src/config.ts'
import type { Ctx } from '../../src/context.ts'
import { noopChangeFeed } from '../../src/db/changes.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDb } from '../../src/db/open.ts'
import { applyChanges, planChanges, readDeclaration } from '../../src/declaration/apply.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { createContext } from '../../src/main.ts'
import { ensureFirstKey } from '../../src/oauth/signing-keys/service.ts'
import { adminOf, TEMPLATES } from './database.ts'

/** Creates the template databases, each from the previous one. */
export async function createTemplates(socketDir: string, sealKey: Buffer): Promise<void> {
  const admin = await adminOf(socketDir)
  const settings = (database: string) => ({ host: socketDir, user: 'latchkey', database })
  const { migrated, service, demo } = TEMPLATES
  await admin.query(`create database ${migrated} owner latchkey`)
  await migrate(settings(migrated))
  await admin.query(`create database ${service} owner latchkey template ${migrated}`)
  await inDatabase(settings(service), sealKey, ensureFirstKey)
  await admin.query(`create database ${demo} owner latchkey template ${service}`)
  await inDatabase(settings(demo), sealKey, seedDemoData)
  await admin.end()
}

/** Creates the demo users, tenants, application and clients. */
export async function applyDemoWorld(ctx: Ctx): Promise<void> {
  const path = new URL('../../../demo/latchkey.yaml', import.meta.url).pathname
  await applyChanges(ctx, await planChanges(ctx, sections, readDeclaration(path, sections)))
}

async function inDatabase(settings: pg.ClientConfig, sealKey: Buffer, work: (ctx: Ctx) => Promise<unknown>) {
  const db = openDb({ pooled: settings, direct: settings, lost: new Promise(() => {}), close: async () => {} }, 2)
  const ctx = createContext(loadConfig('demo', { PASSWORD_HASH_MEMORY_MIB: '1' }), {
    db,
    changes: noopChangeFeed,
    now: () => new Date(),
    keys: createSealer([sealKey]),
    log: createLogger('silent'),
  })
  await work(ctx)
  await db.destroy()
}
