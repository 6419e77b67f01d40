import { AppError } from '../../errors.ts'
import { t, translatable } from '../../languages/translate.ts'
import { decodeBase64Url } from '../../lib/base64url.ts'
import { isId } from '../../lib/ids.ts'
import type { TenantQuery } from './schema.ts'

type Sort = TenantQuery['sort']

/** The position of a tenant in the list. It stays valid when the tenant is deleted. */
export interface ListPosition {
  /** The value of the sort column; a timestamp is in UTC with microseconds. */
  key: string
  id: string
}

export const encodeCursor = (sort: Sort, { key, id }: ListPosition): string =>
  Buffer.from(JSON.stringify([sort, key, id])).toString('base64url')

/** Throws VALIDATION_FAILED for a malformed cursor and for one of another sort order. */
export function decodeCursor(sort: Sort, text: string): ListPosition {
  const [order, key, id] = parse(text)
  const isValid =
    order === sort && typeof id === 'string' && isId(id) && typeof key === 'string' && isValidKey(sort, key)
  if (!isValid) throw new AppError('VALIDATION_FAILED', { details: [{ field: 'after', message: t(CURSOR_RULE) }] })
  return { key, id }
}

const CURSOR_RULE = translatable('must be the `next` value of a page with the same sort order')

function parse(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(decodeBase64Url(text)?.toString('utf8') ?? '')
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

function isValidKey(sort: Sort, key: string): boolean {
  if (sort !== '-createdAt') return !key.includes('\0') && key.isWellFormed()
  if (!TIMESTAMP.test(key)) return false
  const date = new Date(key)
  // JavaScript turns February 30 into March 1, and PostgreSQL has no year zero.
  return (
    !Number.isNaN(date.getTime()) && date.getUTCFullYear() > 0 && date.toISOString().slice(0, 19) === key.slice(0, 19)
  )
}
