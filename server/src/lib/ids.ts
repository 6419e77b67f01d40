import { randomBytes } from 'node:crypto'
import { v7, validate } from 'uuid'

/** A new identifier: UUIDv7, so that rows made together lie together in an index. */
export const newId = (): string => v7()

export const isId = (text: string): boolean => validate(text)

/** A name for one request in logs and error bodies; unguessable is not needed, unique is. */
const node = randomBytes(6).toString('base64url')
let count = 0
export const newRequestId = (): string => `${node}-${(++count).toString(36)}`
