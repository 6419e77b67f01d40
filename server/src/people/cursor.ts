import type { Ctx } from '../context.ts'
import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { isId } from '../lib/ids.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import type { CursorPosition } from './directory-store.ts'
import type { UserQuery } from './schema.ts'
import type { UserRow } from './store.ts'

/** Cursors are encrypted: they contain email addresses, and URLs are logged. */
const SEAL = 'user-cursor'

type Sort = UserQuery['sort']

/** The cursor of the page after this user. It stays valid when the user is deleted. */
export function createCursor(ctx: Ctx, sort: Sort, { id, email, created_at_text }: UserRow): string {
  const key = sort.endsWith('email') ? email : created_at_text
  return sealText(ctx.keys, SEAL, JSON.stringify([sort, key, id]))
}

/** The position to continue from; undefined when the query has no cursor. */
export function parseCursor(ctx: Ctx, { after, sort, page }: UserQuery): CursorPosition | undefined {
  if (after === undefined) return undefined
  const [cursorSort, key, id] = decryptCursor(ctx, after)
  const isValid = typeof key === 'string' && typeof id === 'string' && isId(id)
  throwIfInvalid([
    checkField(isValid, 'after', t('must be the next of an earlier page')),
    checkField(!isValid || cursorSort === sort, 'after', t('belongs to another sort order')),
    checkField(page === 1, 'page', t('cannot be given together with after')),
  ])
  return isValid ? { key, id } : undefined
}

function decryptCursor(ctx: Ctx, cursor: string): unknown[] {
  const text = unsealText(ctx.keys, SEAL, cursor)
  const parsed: unknown = text === undefined ? undefined : JSON.parse(text)
  return Array.isArray(parsed) ? parsed : []
}
