import { generateKeyPairSync, sign } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './numbers.ts'

/** What much of the service's work comes down to, timed by itself: machines differ in it by a hundred times. */
export interface Units {
  /** A signature with RS256 and 2048 bits. */
  signatureMs: number
  /** A page of the database's log, written and on the disk. */
  syncMs: number
}

const TIMES = 200
const PAGE = Buffer.alloc(8192)

export const timeUnits = (folder: string): Units => ({
  signatureMs: timeSignature(),
  syncMs: timeSync(join(folder, 'sync')),
})

function timeSignature(): number {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return timeOf(() => sign('sha256', PAGE, privateKey))
}

function timeSync(path: string): number {
  const file = openSync(path, 'w')
  try {
    return timeOf(() => {
      writeSync(file, PAGE, 0, PAGE.length, 0)
      fdatasyncSync(file)
    })
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

function timeOf(work: () => void): number {
  const times = Array.from({ length: TIMES }, () => {
    const begin = performance.now()
    work()
    return performance.now() - begin
  })
  return median(times)
}
