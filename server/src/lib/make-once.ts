import { existsSync, mkdtempSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { processStart } from './process-identity.ts'

const UNFINISHED = '.unfinished-'

interface Making {
  fill(unfinished: string): void
  remove(unfinished: string): void
}

/**
 * Makes a folder that exists either whole or not at all. It is filled under another name and renamed, so that a
 * crash in the middle leaves nothing that looks finished; of several processes that try at once, one wins and the
 * others use what it made.
 */
export function makeFolderOnce(target: string, { fill, remove }: Making): void {
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

/** Clears what earlier attempts left behind whose process is gone. */
export function removeUnfinished(target: string, remove: Making['remove']): void {
  const folder = dirname(target)
  const prefix = basename(target) + UNFINISHED
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    if (processStart(pid) === undefined) remove(join(folder, name))
  }
}
