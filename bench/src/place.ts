import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, startDatabase } from './database.ts'
import { closeAll } from './programs.ts'

/** Where all of it happens, and what has to be tidied up afterwards. */
export interface Place {
  folder: string
  database: Database
  close(): Promise<void>
}

/** `onStop` is called when the process is told to stop, before it tidies up. */
export async function openPlace(onStop: () => void): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  // The database may run as another user than root, who must be able to pass.
  chmodSync(folder, 0o711)
  let database: Database | undefined
  const tidyUp = async () => {
    await closeAll()
    await database?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= tidyUp()
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
  // However it ends: after what ends the database, which was there before.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  return { folder, database, close }
}
