import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempFolder } from './program.ts'

const succeeds = (command: string, args: string[]): boolean => spawnSync(command, args).status === 0

/** A disk of its own, in memory, that is gone after the test; undefined where it cannot be had. */
export function mountDisk(mebibytes: number): string | undefined {
  const folder = tempFolder()
  const options = `size=${mebibytes}m,mode=0711`
  if (!succeeds('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])) return undefined
  onTestFinished(() => void spawnSync('umount', ['-l', folder]))
  return folder
}

/** A disk that can fail while files on it are open. */
export interface FailingDisk {
  folder: string
  /** From now on it is read-only, as the system makes a disk on which it has met an error. */
  fail(): void
  /** Takes it out and puts it in again, once nobody uses it. */
  mend(): void
}

/** Undefined where it cannot be had. */
export function mountFailingDisk(mebibytes: number): FailingDisk | undefined {
  const [folder, image] = [tempFolder(), join(tempFolder(), 'image')]
  writeFileSync(image, '')
  truncateSync(image, mebibytes * 2 ** 20)
  const mount = ['-o', 'loop', image, folder]
  if (!succeeds('mkfs.ext4', ['-q', image]) || !succeeds('mount', mount)) return undefined
  onTestFinished(() => void spawnSync('umount', ['-l', folder]))
  chmodSync(folder, 0o711)
  return {
    folder,
    fail() {
      // What nobody has waited for would be lost, such as the files of a database that was made a moment ago.
      execFileSync('sync', ['-f', folder])
      execFileSync('mount', ['-o', 'remount,abort', folder])
    },
    mend() {
      execFileSync('umount', [folder])
      execFileSync('mount', mount)
    },
  }
}
