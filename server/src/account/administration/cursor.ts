import type { Ctx } from '../../context.ts'
import { isId } from '../../lib/ids.ts'
import { demand, refuseProblems } from '../../lib/problems.ts'
import { sealText, unsealText } from '../../lib/seal.ts'
import type { Mark } from './directory/store.ts'
import type { UserQuery } from './schema.ts'
import type { UserRow } from './store.ts'

/** Addresses have no place in the addresses of pages, which stand in logs. */
const SEAL = 'user-cursor'

type Sort = UserQuery['sort']

/** The way on from somebody in the list. It stays good when they are gone. */
export function cursorTo(ctx: Ctx, sort: Sort, { id, email, created_mark }: UserRow): string {
  const key = sort.endsWith('email') ? email : created_mark
  return sealText(ctx.keys, SEAL, JSON.stringify([sort, key, id]))
}

/** From where the list goes on; undefined: from its beginning, or by pages. */
export function readCursor(ctx: Ctx, { after, sort, page }: UserQuery): Mark | undefined {
  if (after === undefined) return undefined
  const [itsSort, key, id] = open(ctx, after)
  const isOurs = typeof key === 'string' && typeof id === 'string' && isId(id)
  refuseProblems([
    demand(isOurs, 'after', 'must be the next of a page before'),
    demand(!isOurs || itsSort === sort, 'after', 'goes on in another order: sort must be as it was'),
    demand(page === 1, 'page', 'cannot be given together with after'),
  ])
  return isOurs ? { key, id } : undefined
}

function open(ctx: Ctx, after: string): unknown[] {
  const text = unsealText(ctx.keys, SEAL, after)
  const parsed: unknown = text === undefined ? undefined : JSON.parse(text)
  return Array.isArray(parsed) ? parsed : []
}
