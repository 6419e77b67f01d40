// The scratch folder of a run.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-interop-'))
  // PostgreSQL's user must be able to access its folder if this runs as root.
  chmodSync(folder, 0o711)
  return folder
}

export const removeFolder = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
