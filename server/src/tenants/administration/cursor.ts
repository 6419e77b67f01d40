import { AppError } from '../../errors.ts'
import { decodeBase64Url } from '../../lib/base64url.ts'
import { isId } from '../../lib/ids.ts'
import type { TenantQuery } from './schema.ts'

type Sort = TenantQuery['sort']

/** Where in the list a tenant stands. It holds whether or not the tenant is still there. */
export interface Place {
  /** By which it is sorted; a moment to the last digit, in UTC. */
  key: string
  id: string
}

export const writeCursor = (sort: Sort, { key, id }: Place): string =>
  Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')

/** The place that a cursor names, in a list of this order. */
export function readCursor(sort: Sort, text: string): Place {
  const [order, key, id] = parse(text)
  const fits =
    order === sort && typeof id === 'string' && isId(id) && typeof key === 'string' && isKey(sort, key)
  if (!fits) throw new AppError('VALIDATION_FAILED', { details: [{ field: 'after', message: MISFIT }] })
  return { key, id }
}

const MISFIT = 'must be the next of an answer in the same order'

function parse(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(decodeBase64Url(text)?.toString('utf8') ?? '')
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

function isKey(sort: Sort, key: string): boolean {
  if (sort !== '-createdAt') return !key.includes('\0') && key.isWellFormed()
  if (!MOMENT.test(key)) return false
  const date = new Date(key)
  // A day that no month has would be read as another, and the database knows no year zero.
  return (
    !Number.isNaN(date.getTime()) &&
    date.getUTCFullYear() > 0 &&
    date.toISOString().slice(0, 19) === key.slice(0, 19)
  )
}
