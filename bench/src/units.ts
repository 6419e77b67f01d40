import { generateKeyPairSync, sign } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './numbers.ts'

/** Times of two operations that dominate the service's work. They differ by a factor of 100 between machines. */
export interface Units {
  /** An RS256 signature with a 2048-bit key. */
  signatureMs: number
  /** A write of 8 KB, the page size of the write-ahead log, with fdatasync. */
  syncMs: number
}

const SAMPLES = 200
const PAGE = Buffer.alloc(8192)

export const timeUnits = (folder: string): Units => ({
  signatureMs: timeSignature(),
  syncMs: timeSync(join(folder, 'sync')),
})

function timeSignature(): number {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return medianTimeOf(() => sign('sha256', PAGE, privateKey))
}

function timeSync(path: string): number {
  const file = openSync(path, 'w')
  try {
    return medianTimeOf(() => {
      writeSync(file, PAGE, 0, PAGE.length, 0)
      fdatasyncSync(file)
    })
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

function medianTimeOf(work: () => void): number {
  const times = Array.from({ length: SAMPLES }, () => {
    const startedAt = performance.now()
    work()
    return performance.now() - startedAt
  })
  return median(times)
}
