import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/open.ts'
import { describePage, toRange } from '../../http/pagination.ts'
import { defineJob } from '../../jobs/job.ts'
import { NO_ID, toId } from '../../lib/ids.ts'
import { demand, refuseProblems } from '../../lib/problems.ts'
import { readWords } from '../../lib/search-words.ts'
import { cursorTo, readCursor } from './cursor.ts'
import {
  countSources,
  countWalked,
  gatherUsers,
  glanceAtUsers,
  isUnusual,
  type Order,
  type Source,
  type Stretch,
  sortUsers,
  type UserFilter,
  walkUsers,
} from './directory/store.ts'
import { recallCount, rememberCount } from './known-counts.ts'
import type { UserPage, UserQuery } from './schema.ts'
import { listShown, showUser } from './service.ts'
import { countAccounts, startReading, sumUpCounts } from './store.ts'

/**
 * The list of everybody. However many there are, a page costs about the same: what is asked for decides by which way it
 * is come by, and none of them counts, sorts or passes more than it must.
 */

/** So many are counted, and gathered to be sorted. */
const MOST = 10_000
/**
 * So many are passed in search of what should be found often; or fewer, if that was a mistake. Who came one after the other
 * lies side by side and is passed quickly, and far, where nothing else is left but to ask everybody whom a word leads to.
 */
const GLANCES = { createdAt: [1_000, 20_000], email: [200, 1_000] }
const LONG_GLANCE = { createdAt: [20_000], email: GLANCES.email }

export async function pageOfUsers(ctx: Ctx, query: UserQuery): Promise<UserPage> {
  const filter = readFilter(query)
  const order = readOrder(query)
  const after = readCursor(ctx, query)
  const { offset, limit } = toRange(query)
  // One more tells whether there is another page.
  const stretch = { order, after, offset, limit: limit + 1 }
  return startReading(ctx.db, async (tx) => {
    const { ids, total, exact } = await find({ ctx, db: tx }, filter, stretch)
    const shown = await listShown(tx, ids.slice(0, limit))
    const last = shown.at(-1)
    const next = ids.length > limit && last ? cursorTo(ctx, query.sort, last) : null
    const pagination = { ...describePage(query, total), totalIsExact: exact, next }
    return { users: shown.map(showUser), pagination }
  })
}

function readFilter({ search = '', tenantId, ...flags }: UserQuery): UserFilter {
  const words = readWords(search)
  const { disabled, emailVerified, superAdmin, deletionRequested } = flags
  return {
    ...{ words, disabled, emailVerified, superAdmin, deletionRequested },
    // Nobody belongs to what is no tenant.
    tenantId: tenantId === undefined ? undefined : (toId(tenantId) ?? NO_ID),
  }
}

const readOrder = ({ sort }: UserQuery): Order => ({
  by: sort.endsWith('email') ? 'email' : 'createdAt',
  descending: sort.startsWith('-'),
})

interface Found {
  ids: string[]
  total: number
  exact: boolean
}

/** A moment of the database. */
interface Reading {
  ctx: Ctx
  db: Db
}

async function find(reading: Reading, filter: UserFilter, stretch: Stretch): Promise<Found> {
  const { db } = reading
  const sources = sourcesOf(filter)
  if (sources.length === 0) return isAnybody(filter) ? listAll(db, stretch) : listMost(db, filter, stretch)
  const { source, few } = await findNarrowest(reading, filter, sources)
  if (few.length > 0) return { ...(await gatherUsers(db, filter, { source, few, stretch })), exact: true }
  refuseFarPage(stretch)
  const ids =
    (await lookAhead(db, filter, { stretch, sources })) ?? (await sortOut(db, filter, { source, stretch }))
  return { ids, ...guessTotal(stretch, ids, sources) }
}

/** The source that leads to the fewest people, and all that lead to few. */
async function findNarrowest(
  { ctx, db }: Reading,
  filter: UserFilter,
  sources: Source[],
): Promise<{ source: Source; few: Source[] }> {
  const counted = await countThem({ ctx, db }, filter, sources)
  const few = counted.filter(({ count }) => count <= MOST).sort((one, other) => one.count - other.count)
  return { source: (few[0]?.source ?? sources[0]) as Source, few: few.map(({ source }) => source) }
}

async function countThem(
  { ctx, db }: Reading,
  filter: UserFilter,
  sources: Source[],
): Promise<{ source: Source; count: number }[]> {
  // Of whom something unusual is asked, fewer are found by the same word.
  const isPlain = !isUnusual(filter)
  const known = sources.map((source) => ({ source, count: isPlain ? recallCount(ctx, source) : undefined }))
  const open = known.filter(({ count }) => count === undefined).map(({ source }) => source)
  const counts = open.length > 0 ? await countSources(db, filter, { sources: open, most: MOST }) : []
  for (const [index, source] of open.entries()) if (isPlain) rememberCount(ctx, source, counts[index] ?? 0)
  return known.map(({ source, count = counts[open.indexOf(source)] ?? 0 }) => ({ source, count }))
}

/** The page, if those who match stand close enough together ahead. */
async function lookAhead(
  db: Db,
  filter: UserFilter,
  { stretch, sources }: { stretch: Stretch; sources: Source[] },
): Promise<string[] | undefined> {
  const glances = (sources.length > 1 ? LONG_GLANCE : GLANCES)[stretch.order.by]
  const far = glances.at(-1) ?? 0
  const end = stretch.offset + stretch.limit
  for (const within of glances) {
    const ids = await glanceAtUsers(db, filter, { stretch: { ...stretch, offset: 0, limit: end }, within })
    if (ids.length >= end) return ids.slice(stretch.offset)
    if (ids.length * (far / within) < end) return undefined
  }
  return undefined
}

/** Few are found by more than one word that begins alike, so a little more than is wanted will do almost always. */
async function sortOut(
  db: Db,
  filter: UserFilter,
  { source, stretch }: { source: Source; stretch: Stretch },
): Promise<string[]> {
  const end = stretch.offset + stretch.limit
  for (let many = end * 2; ; many *= 8) {
    const found = await sortUsers(db, filter, { source, stretch, many })
    const ids = [...new Set(found)]
    if (ids.length >= end || found.length < many) return ids.slice(stretch.offset, end)
  }
}

/** What is so of few people leads to them; what is so of most does not. */
function sourcesOf(filter: UserFilter): Source[] {
  const { words, tenantId } = filter
  return [
    ...words.map((word) => ({ kind: 'word', word }) as const),
    ...(tenantId === undefined ? [] : [{ kind: 'tenant', tenantId } as const]),
    ...(isUnusual(filter) ? [{ kind: 'flags' } as const] : []),
  ]
}

const isAnybody = ({ disabled, emailVerified, superAdmin, deletionRequested }: UserFilter) =>
  [disabled, emailVerified, superAdmin, deletionRequested].every((flag) => flag === undefined)

/** Everybody: the database keeps count of them, and what lies nearer to the end is reached from there. */
async function listAll(db: Db, stretch: Stretch): Promise<Found> {
  const total = await countAccounts(db)
  const anybody = { words: [] }
  const wanted = Math.min(stretch.limit, total - stretch.offset)
  if (stretch.after || stretch.offset < total / 2) {
    return { ids: await walkUsers(db, anybody, stretch), total, exact: true }
  }
  if (wanted <= 0) return { ids: [], total, exact: true }
  const { by, descending } = stretch.order
  const fromEnd = { order: { by, descending: !descending }, offset: total - stretch.offset - wanted }
  const ids = await walkUsers(db, anybody, { ...fromEnd, limit: wanted })
  return { ids: ids.reverse(), total, exact: true }
}

/** Those of whom something is so that is so of most. */
async function listMost(db: Db, filter: UserFilter, stretch: Stretch): Promise<Found> {
  const counted = await countWalked(db, filter, MOST)
  const exact = counted <= MOST
  if (!exact) refuseFarPage(stretch)
  return { ids: await walkUsers(db, filter, stretch), total: Math.min(counted, MOST), exact }
}

function refuseFarPage({ offset, limit }: Stretch): void {
  const isNear = offset + limit - 1 <= MOST
  refuseProblems([
    demand(isNear, 'page', 'must lie within the first 10,000 who match; go on with after, or say more'),
  ])
}

/** Who has seen the end knows how many there are. */
function guessTotal({ after, offset, limit }: Stretch, ids: string[], sources: Source[]): Omit<Found, 'ids'> {
  const seen = offset + ids.length
  const isEnd = !after && ids.length > 0 && ids.length < limit
  if (isEnd) return { total: seen, exact: true }
  return { total: sources.length === 1 ? MOST : Math.min(seen, MOST), exact: false }
}

/** Every node may do it at once: each takes what no other has. */
export const sumUpUserCounts = defineJob<unknown>({
  name: 'sum_up_user_counts',
  schedule: '* * * * *',
  run: (ctx) => sumUpCounts(ctx.db),
})
