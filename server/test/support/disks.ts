import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempFolder } from './program.ts'

const succeeds = (command: string, args: string[]): boolean => spawnSync(command, args).status === 0

/** Mounts a file system in memory until the end of the test. Returns undefined if that is not possible. */
export function mountDisk(mebibytes: number): string | undefined {
  const folder = tempFolder()
  const options = `size=${mebibytes}m,mode=0711`
  if (!succeeds('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])) return undefined
  onTestFinished(() => void spawnSync('umount', ['-l', folder]))
  return folder
}

/** A file system that can fail while files on it are open. */
export interface FailingDisk {
  folder: string
  /** Makes it read-only, as Linux does after an I/O error. */
  fail(): void
  /** Mounts it again. No process may use it. */
  mend(): void
}

/** Returns undefined if mounting is not possible. */
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
      // Files that have not been flushed would be lost, such as those of a new database.
      execFileSync('sync', ['-f', folder])
      execFileSync('mount', ['-o', 'remount,abort', folder])
    },
    mend() {
      execFileSync('umount', [folder])
      execFileSync('mount', mount)
    },
  }
}
