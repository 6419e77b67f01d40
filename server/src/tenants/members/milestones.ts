import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/open.ts'
import {
  listMemberPage,
  listMemberPageBefore,
  listPlaces,
  type MemberCounts,
  type MemberFilter,
  type MemberRow,
  type Place,
  type Stretch,
} from './store.ts'

/**
 * To find the 50,000th member a database counts 50,000 members. So that this is done once and not for every page,
 * each node remembers who stands at every two hundredth place. Whether that still holds is asked of the database each
 * time, and costs as much as two hundred: nobody has left or changed places since, and as many as then stand before
 * the last of the milestones, so those who came since came after it.
 */
interface Milestones {
  places: Place[]
  shuffles: string
}

const EVERY = 200
/** So many behind the last milestone, and it is time to set more. */
const TOO_FAR = 10 * EVERY

const remembered = new LRUCache<string, Milestones>({
  maxSize: 200_000,
  sizeCalculation: ({ places }) => places.length + 1,
})

/** Whether it is quicker to go by milestones than to count from either end. */
export const isFarIn = ({ offset, limit }: Stretch, { joined }: MemberCounts): boolean =>
  offset >= EVERY && offset + limit <= joined - EVERY

/** A page that is far in, from the last milestone before it. */
export async function listFromMilestone(
  db: Db,
  filter: MemberFilter,
  stretch: Stretch,
  counts: MemberCounts,
): Promise<MemberRow[]> {
  const key = [filter.tenantId, filter.status, filter.role].join()
  const known = remembered.get(key)
  const found = known && (await goBy(db, filter, stretch, { milestones: known, counts }))
  if (found) {
    if (found.milestones !== known) remembered.set(key, found.milestones)
    return found.rows
  }
  const milestones = { places: await listPlaces(db, filter, { every: EVERY }), shuffles: counts.shuffles }
  remembered.set(key, milestones)
  return listMemberPage(db, filter, toMilestone(milestones, stretch))
}

/** The same stretch, counted from the last milestone before it. */
function toMilestone({ places }: Milestones, { offset, limit }: Stretch): Stretch {
  const last = Math.min(Math.floor(offset / EVERY), places.length - 1)
  return { offset: offset - last * EVERY, limit, from: places[last] }
}

/**
 * The page, and the milestones with more behind them if that is far; undefined when they do not stand any more. That
 * is asked with the page itself: a statement for it alone would take longer than all it asks.
 */
async function goBy(
  db: Db,
  filter: MemberFilter,
  stretch: Stretch,
  { milestones, counts }: { milestones: Milestones; counts: MemberCounts },
): Promise<{ rows: MemberRow[]; milestones: Milestones } | undefined> {
  const { places, shuffles } = milestones
  const last = places.at(-1)
  if (shuffles !== counts.shuffles || last === undefined) return undefined
  const { rows, behind } = await listMemberPageBefore(db, filter, toMilestone(milestones, stretch), last)
  if (counts.joined - behind !== (places.length - 1) * EVERY + 1) return undefined
  if (behind <= TOO_FAR) return { rows, milestones }
  const [, ...more] = await listPlaces(db, filter, { every: EVERY, from: last })
  return { rows, milestones: { places: [...places, ...more], shuffles } }
}
