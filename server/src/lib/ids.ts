import { randomBytes } from 'node:crypto'
import { v7, validate } from 'uuid'

/** A new identifier: UUIDv7, so that rows made together lie together in an index. */
export const newId = (): string => v7()

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
