import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { processStart } from './process-identity.ts'

const UNFINISHED = '.unfinished-'

/**
 * Makes a folder that exists either whole or not at all. It is filled under another name and renamed, so that a
 * crash in the middle leaves nothing that looks finished; of several processes that try at once, one wins and the
 * others use what it made.
 */
export function makeFolderOnce(target: string, fill: (unfinished: string) => void): void {
  if (existsSync(target)) return
  const unfinished = mkdtempSync(`${target}${UNFINISHED}${process.pid}-`)
  try {
    fill(unfinished)
    renameSync(unfinished, target)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(target)) throw error
  }
}

/** Clears what earlier attempts left behind whose process is gone. */
export function removeUnfinished(target: string): void {
  const folder = dirname(target)
  const prefix = basename(target) + UNFINISHED
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
    const pid = Number.parseInt(name.slice(prefix.length), 10)
    if (processStart(pid) === undefined) rmSync(join(folder, name), { recursive: true, force: true })
  }
}
