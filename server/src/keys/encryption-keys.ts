import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { describeFsError } from '../lib/fs-error.ts'

/**
 * The keys that encrypt secrets at rest. Production must configure them. The demo creates one beside its database, so
 * that a restart can still decrypt.
 */
export function loadEncryptionKeys({ encryptionKeys, dataDir }: Config): [Buffer, ...Buffer[]] {
  const [first, ...rest] = encryptionKeys
  if (first) return [first, ...rest]
  const path = join(dataDir, 'encryption.key')
  try {
    if (!existsSync(path)) createKeyFile(dataDir, path)
  } catch (error) {
    throw new OperatorError(`The key file ${path} cannot be written: ${describeFsError(error) ?? error}.`, {
      cause: error,
    })
  }
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64')
  if (key.length !== 32) {
    throw new OperatorError(
      `The key file ${path} does not hold a key. Without it the sealed secrets of this database are lost; ` +
        'restore the file, or start afresh with another LATCHKEY_DATA_DIR.',
    )
  }
  return [key]
}

/** Writes a temporary file and links it into place, so that two processes that start together use the same key. */
function createKeyFile(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(draft)
  }
}
