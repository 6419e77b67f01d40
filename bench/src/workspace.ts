import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, startDatabase } from './database.ts'
import { closeAll } from './programs.ts'

/** A temporary folder and a database server, both removed by `close`. */
export interface Workspace {
  folder: string
  database: Database
  close(): Promise<void>
}

/** `onStop` is called on SIGINT or SIGTERM, before the cleanup. */
export async function openWorkspace(onStop: () => void): Promise<Workspace> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  // If the bench runs as root, the database runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711)
  let database: Database | undefined
  const cleanUp = async () => {
    await closeAll()
    await database?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= cleanUp()
    return closing
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      onStop()
      void close().finally(() => process.exit(130))
    })
  }
  try {
    database = await startDatabase(join(folder, 'database'))
  } catch (error) {
    await close()
    throw error
  }
  // Registered after the exit handler of the database, so that the database has ended when the folder is removed.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  return { folder, database, close }
}
