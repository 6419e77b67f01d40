import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/open.ts'
import {
  type ListPosition,
  listMemberPage,
  listMemberPageAndCountAfter,
  listPositions,
  type MemberCounts,
  type MemberFilter,
  type MemberRow,
  type PageRange,
} from './store.ts'

/**
 * An offset of 50,000 makes the database count 50,000 members. To do that once and not for every page, each node caches
 * the position of every 200th member as an anchor. The anchors are checked with each use. They are valid when no member
 * has left or moved since (`shuffles`) and the number of members before the last anchor is the same, so that all new
 * members come after it.
 */
interface Anchors {
  positions: ListPosition[]
  shuffles: string
}

const ANCHOR_INTERVAL = 200
/** With more members after the last anchor, anchors are added. */
const MAX_AFTER_LAST_ANCHOR = 10 * ANCHOR_INTERVAL

const cache = new LRUCache<string, Anchors>({
  maxSize: 200_000,
  sizeCalculation: ({ positions }) => positions.length + 1,
})

/** Whether an anchor is closer to the page than the beginning and the end of the list. */
export const isDeepPage = ({ offset, limit }: PageRange, { joined }: MemberCounts): boolean =>
  offset >= ANCHOR_INTERVAL && offset + limit <= joined - ANCHOR_INTERVAL

/** Reads a deep page from the last anchor before it. */
export async function listFromAnchor(
  db: Db,
  filter: MemberFilter,
  range: PageRange,
  counts: MemberCounts,
): Promise<MemberRow[]> {
  const key = [filter.tenantId, filter.status, filter.role].join()
  const cached = cache.get(key)
  const result = cached && (await listFromCached(db, filter, range, { anchors: cached, counts }))
  if (result) {
    if (result.anchors !== cached) cache.set(key, result.anchors)
    return result.rows
  }
  const anchors = {
    positions: await listPositions(db, filter, { every: ANCHOR_INTERVAL }),
    shuffles: counts.shuffles,
  }
  cache.set(key, anchors)
  return listMemberPage(db, filter, toAnchor(anchors, range))
}

/** The same range, relative to the last anchor before it. */
function toAnchor({ positions }: Anchors, { offset, limit }: PageRange): PageRange {
  const last = Math.min(Math.floor(offset / ANCHOR_INTERVAL), positions.length - 1)
  return { offset: offset - last * ANCHOR_INTERVAL, limit, from: positions[last] }
}

/**
 * The page, and the anchors, extended if necessary. Undefined when the anchors are not valid any more. The query of the
 * page also checks the anchors, because a separate statement would cost more than the check itself.
 */
async function listFromCached(
  db: Db,
  filter: MemberFilter,
  range: PageRange,
  { anchors, counts }: { anchors: Anchors; counts: MemberCounts },
): Promise<{ rows: MemberRow[]; anchors: Anchors } | undefined> {
  const { positions, shuffles } = anchors
  const last = positions.at(-1)
  if (shuffles !== counts.shuffles || last === undefined) return undefined
  const { rows, after } = await listMemberPageAndCountAfter(db, filter, toAnchor(anchors, range), last)
  if (counts.joined - after !== (positions.length - 1) * ANCHOR_INTERVAL + 1) return undefined
  if (after <= MAX_AFTER_LAST_ANCHOR) return { rows, anchors }
  const [, ...more] = await listPositions(db, filter, { every: ANCHOR_INTERVAL, from: last })
  return { rows, anchors: { positions: [...positions, ...more], shuffles } }
}
