import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/open.ts'
import {
  countBehind,
  listPlaces,
  type MemberCounts,
  type MemberFilter,
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

/** The same stretch, from the last milestone before it. */
export async function fromMilestone(
  db: Db,
  filter: MemberFilter,
  { offset, limit }: Stretch,
  counts: MemberCounts,
): Promise<Stretch> {
  const key = [filter.tenantId, filter.status, filter.role].join()
  const known = remembered.get(key)
  const milestones = (known && (await goOnWith(db, filter, known, counts))) ?? (await set(db, filter, counts))
  if (milestones !== known) remembered.set(key, milestones)
  const last = Math.min(Math.floor(offset / EVERY), milestones.places.length - 1)
  return { offset: offset - last * EVERY, limit, from: milestones.places[last] }
}

/** Those that still stand, with more behind them if that is far; undefined when they do not. */
async function goOnWith(
  db: Db,
  filter: MemberFilter,
  milestones: Milestones,
  counts: MemberCounts,
): Promise<Milestones | undefined> {
  const { places, shuffles } = milestones
  const last = places.at(-1)
  if (shuffles !== counts.shuffles || last === undefined) return undefined
  const behind = await countBehind(db, filter, last)
  if (counts.joined - behind !== (places.length - 1) * EVERY + 1) return undefined
  if (behind <= TOO_FAR) return milestones
  const [, ...more] = await listPlaces(db, filter, { every: EVERY, from: last })
  return { places: [...places, ...more], shuffles }
}

const set = async (db: Db, filter: MemberFilter, { shuffles }: MemberCounts): Promise<Milestones> => ({
  places: await listPlaces(db, filter, { every: EVERY }),
  shuffles,
})
