import { randomBytes } from 'node:crypto'
import { v7, validate } from 'uuid'

/** A new identifier: UUIDv7, so that rows made together lie together in an index. */
export const newId = (): string => v7()

let last = { ms: 0, seq: 0 }

/** An identifier for something that happens now: in the order of time and, within a millisecond, of asking. */
export function newIdAt(now: Date): string {
  const ms = now.getTime()
  last = { ms, seq: ms === last.ms ? last.seq + 1 : randomBytes(4).readUInt32BE() >>> 1 }
  return v7({ msecs: ms, seq: last.seq })
}

/** Where the identifiers of a moment begin. */
export function firstIdAt(moment: Date): string {
  const ms = Math.max(0, moment.getTime()).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`
}

export const isId = (text: string): boolean => validate(text)

/** An id as the database writes it, in small letters; undefined for what is none. */
export const toId = (text: unknown): string | undefined =>
  typeof text === 'string' && validate(text) ? text.toLowerCase() : undefined

/** An id that nothing and nobody has. */
export const NO_ID = '00000000-0000-0000-0000-000000000000'

/** A name for one request in logs and error bodies; unguessable is not needed, unique is. */
const node = randomBytes(6).toString('base64url')
let count = 0
export const newRequestId = (): string => `${node}-${(++count).toString(36)}`
