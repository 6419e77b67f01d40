import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { buildIfStale } from '../../bin/build.mjs'
import { startBundled } from '../../src/db/bundled/server.ts'
import { makeScratchFolder } from './scratch.ts'
import { createTemplates } from './templates.ts'

declare module 'vitest' {
  interface ProvidedContext {
    socketDir: string
    /** A folder that is removed after the tests. */
    scratch: string
    /** The encryption key of every service in the tests, in base64. */
    sealKey: string
  }
}

/** Starts one PostgreSQL for all server tests, and creates the template databases. */
export default async function setup(project: TestProject) {
  const root = project.vitest.getRootProject()
  if (root.getProvidedContext().socketDir) return
  // Tests that run the program use dist. It is built here once, not concurrently by several of them.
  await buildIfStale()
  const folder = makeScratchFolder('latchkey-test-')
  const server = await startBundled(folder, {
    use: 'own',
    settings: {
      // Faster, and tests need no durability.
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      // Counts the statements of a request.
      shared_preload_libraries: 'pg_stat_statements',
      // High enough that no entry is evicted before it is read.
      'pg_stat_statements.max': '50000',
      // A background vacuum would change the number of pages that a statement reads.
      autovacuum: 'off',
    },
  })
  const sealKey = randomBytes(32)
  await createTemplates(server.socketDir, sealKey)
  root.provide('socketDir', server.socketDir)
  root.provide('scratch', folder)
  root.provide('sealKey', sealKey.toString('base64'))
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
