import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildIfStale } from '../../bin/build.mjs'
import { startBundled } from '../../src/db/bundled/server.ts'
import { migrate } from '../../src/db/migrate.ts'
import { adminOf, TEMPLATE } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    socketDir: string
    /** A folder that is removed after the tests. */
    scratch: string
  }
}

/** One PostgreSQL for all tests, and a migrated database in it that each test file copies. */
export default async function setup(project: TestProject) {
  // Tests that run the program use dist; it must not be built by several of them at once.
  await buildIfStale()
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  chmodSync(folder, 0o711)
  const server = await startBundled(folder, {
    use: 'own',
    // Nothing here must survive a power cut, and the tests are many.
    settings: {
      ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
      // The database itself counts the statements of a request.
      shared_preload_libraries: 'pg_stat_statements',
    },
  })
  const admin = await adminOf(server.socketDir)
  await admin.query(`create database ${TEMPLATE} owner latchkey`)
  await admin.end()
  await migrate({ host: server.socketDir, user: 'latchkey', database: TEMPLATE })
  project.provide('socketDir', server.socketDir)
  project.provide('scratch', folder)
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
