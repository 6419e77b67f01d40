import { createReadStream, type ReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { OperatorError } from '../errors.ts'
import { describeFsError } from '../lib/fs-error.ts'

/** The files of an import, and how much of them was read. */
export interface InputFiles {
  open(file: string): Readable
  /** Starts to measure how much of these files is read. */
  expect(files: string[]): void
  /** From 0 to 1. */
  share(): number
}

export function createInputFiles(): InputFiles {
  let streams: ReadStream[] = []
  let size = 1
  return {
    open(file) {
      requireFile(file)
      const stream = createReadStream(file)
      streams.push(stream)
      return stream
    },
    expect(files) {
      streams = []
      size = files.reduce((sum, file) => sum + requireFile(file), 0) || 1
    },
    share: () => Math.min(1, streams.reduce((sum, { bytesRead }) => sum + bytesRead, 0) / size),
  }
}

/** The size of the file. */
export function requireFile(file: string): number {
  try {
    const stats = statSync(file)
    if (stats.isFile()) return stats.size
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${describeFsError(error) ?? 'there is no such file'}.`, {
      cause: error,
    })
  }
  throw new OperatorError(`${file} cannot be read: it is not a file.`)
}
