import { existsSync, mkdtempSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readProcessStart } from './process-identity.ts'

const UNFINISHED = '.unfinished-'

interface FolderCallbacks {
  fill(unfinished: string): void
  remove(unfinished: string): void
}

/**
 * Creates a folder atomically: it is filled under another name and then renamed, so that a crash leaves no partial
 * folder. If several processes do this concurrently, one of them succeeds and the others use its folder.
 */
export function createFolderAtomically(target: string, { fill, remove }: FolderCallbacks): void {
  if (existsSync(target)) return
  const unfinished = mkdtempSync(`${target}${UNFINISHED}${process.pid}-`)
  try {
    fill(unfinished)
    renameSync(unfinished, target)
  } catch (error) {
    remove(unfinished)
    if (!existsSync(target)) throw error
  }
}

/** Removes unfinished folders of processes that no longer run. */
export function removeUnfinished(target: string, remove: FolderCallbacks['remove']): void {
  const folder = dirname(target)
  const prefix = basename(target) + UNFINISHED
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    if (readProcessStart(pid) === undefined) remove(join(folder, name))
  }
}
