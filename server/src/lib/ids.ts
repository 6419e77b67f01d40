import { createHash, randomBytes } from 'node:crypto'
import { v7, validate } from 'uuid'

/** UUIDv7, so that rows created together are close together in an index. */
export const newId = (): string => nextSeededId?.() ?? v7()

/** As `newId`, but never repeated, not even after `seedIds`: for ids in tokens, and for rows that jobs create. */
export const newUniqueId = (): string => v7()

let nextSeededId: (() => string) | undefined

/** The time in the first seeded id; each later id is a millisecond later. */
const SEEDED_SINCE = Date.UTC(2026, 0, 1)

/** For test mode: from now on the ids depend only on the seed and on the number of calls. Undefined ends that. */
export function seedIds(seed: string | undefined): void {
  let calls = 0
  const next = () => {
    calls += 1
    const random = createHash('sha256').update(`${seed}/${calls}`).digest()
    return v7({ msecs: SEEDED_SINCE + calls, random })
  }
  nextSeededId = seed === undefined ? undefined : next
}

let last = { ms: 0, seq: 0 }

/** A UUIDv7 for the given time. Ids of the same millisecond are in the order of the calls. */
export function newIdAt(now: Date): string {
  const ms = now.getTime()
  last = { ms, seq: ms === last.ms ? last.seq + 1 : randomBytes(4).readUInt32BE() >>> 1 }
  return v7({ msecs: ms, seq: last.seq })
}

/** The lowest UUIDv7 of the given time. */
export function firstIdAt(date: Date): string {
  const ms = Math.max(0, date.getTime()).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`
}

export const isId = (text: string): boolean => validate(text)

/** The id in lowercase, as PostgreSQL prints it; undefined if the value is not an id. */
export const toId = (text: unknown): string | undefined =>
  typeof text === 'string' && validate(text) ? text.toLowerCase() : undefined

/** The nil UUID, which no row has. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000'

/** Request ids in logs and error bodies. They are unique, but not secret. */
const node = randomBytes(6).toString('base64url')
let count = 0
export const newRequestId = (): string => `${node}-${(++count).toString(36)}`
