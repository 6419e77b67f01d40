import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import { describePage, toRange } from '../http/routing/pagination.ts'
import { defineJob } from '../jobs/job.ts'
import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { NIL_ID, toId } from '../lib/ids.ts'
import { parseSearchWords } from '../lib/search-words.ts'
import { cacheCount, findCachedCount } from './count-cache.ts'
import { createCursor, parseCursor } from './cursor.ts'
import {
  type Criterion,
  countMatches,
  countUsersByFlags,
  hasRareFlag,
  listAndCountUsers,
  listSortedUsers,
  listUsersByFlags,
  type Order,
  type PageRange,
  scanUsers,
  type UserFilter,
} from './directory-store.ts'
import type { UserPage, UserQuery } from './schema.ts'
import { listUserRowsInOrder, toUserBody } from './service.ts'
import { consolidateCounts, countAccounts, withReadSnapshot } from './store.ts'

/**
 * Lists and searches all users. The cost of a page hardly depends on the number of users: the filter decides which query
 * runs, and each query bounds how many rows it counts or scans. Only `sortForPage`, the last resort, sorts all matches of
 * one criterion.
 */

/** The limit for counting matches, and for reading all of them to sort. */
const MAX_COUNTED = 10_000
/**
 * How many users are scanned for matches, in steps: the last step is skipped when the first finds too few. Users in order
 * of creation are adjacent on disk, so more of them can be scanned.
 */
const SCAN_LIMITS = { createdAt: [1_000, 20_000], email: [200, 1_000] }
/**
 * For several criteria. `createdAt` has no short first step: if that found too few, the long scan would be skipped, and
 * the alternative is to check every match of one criterion.
 */
const MULTI_CRITERIA_SCAN_LIMITS = { createdAt: [20_000], email: SCAN_LIMITS.email }

export async function listUsers(ctx: Ctx, query: UserQuery): Promise<UserPage> {
  const filter = toFilter(query)
  const order = toOrder(query)
  const after = parseCursor(ctx, query)
  const { offset, limit } = toRange(query)
  // One extra row shows whether there is another page.
  const range = { order, after, offset, limit: limit + 1 }
  return withReadSnapshot(ctx.db, async (tx) => {
    const { ids, total, exact } = await findPage({ ctx, db: tx }, filter, range)
    const rows = await listUserRowsInOrder(tx, ids.slice(0, limit))
    const last = rows.at(-1)
    const next = ids.length > limit && last ? createCursor(ctx, query.sort, last) : null
    const pagination = { ...describePage(query, total), totalIsExact: exact, next }
    return { users: rows.map(toUserBody), pagination }
  })
}

function toFilter({ search = '', tenantId, ...flags }: UserQuery): UserFilter {
  const { disabled, emailVerified, superAdmin, deletionRequested } = flags
  return {
    words: parseSearchWords(search),
    disabled,
    emailVerified,
    superAdmin,
    deletionRequested,
    // A malformed tenant id matches nobody.
    tenantId: tenantId === undefined ? undefined : (toId(tenantId) ?? NIL_ID),
  }
}

const toOrder = ({ sort }: UserQuery): Order => ({
  by: sort.endsWith('email') ? 'email' : 'createdAt',
  descending: sort.startsWith('-'),
})

interface PageResult {
  ids: string[]
  total: number
  exact: boolean
}

interface Snapshot {
  ctx: Ctx
  db: Db
}

async function findPage(snapshot: Snapshot, filter: UserFilter, range: PageRange): Promise<PageResult> {
  const { db } = snapshot
  const criteria = criteriaOf(filter)
  if (criteria.length === 0) return hasFlag(filter) ? listByFlags(db, filter, range) : listAll(db, range)
  const { criterion, selective } = await findSelectiveCriteria(snapshot, filter, criteria)
  if (selective.length > 0) {
    return { ...(await listAndCountUsers(db, filter, { criterion, selective, range })), exact: true }
  }
  refuseDistantPage(range)
  const ids =
    (await scanForPage(db, filter, { range, criteria })) ?? (await sortForPage(db, filter, { criterion, range }))
  return { ids, ...estimateTotal(range, ids, criteria) }
}

/**
 * The criteria with at most MAX_COUNTED matches, fewest first, and the criterion to start from: the first of these or, if
 * there are none, the first criterion of the filter.
 */
async function findSelectiveCriteria(
  snapshot: Snapshot,
  filter: UserFilter,
  criteria: Criterion[],
): Promise<{ criterion: Criterion; selective: Criterion[] }> {
  const counted = await countCriteria(snapshot, filter, criteria)
  const selective = counted.filter(({ count }) => count <= MAX_COUNTED).sort((a, b) => a.count - b.count)
  return {
    criterion: (selective[0]?.criterion ?? criteria[0]) as Criterion,
    selective: selective.map(({ criterion }) => criterion),
  }
}

async function countCriteria(
  { ctx, db }: Snapshot,
  filter: UserFilter,
  criteria: Criterion[],
): Promise<{ criterion: Criterion; count: number }[]> {
  // With a rare flag, the count of a word depends on the flags and is not cached.
  const isCacheable = !hasRareFlag(filter)
  const cached = criteria.map((criterion) => ({
    criterion,
    count: isCacheable ? findCachedCount(ctx, criterion) : undefined,
  }))
  const missing = cached.filter(({ count }) => count === undefined).map(({ criterion }) => criterion)
  const counts = missing.length > 0 ? await countMatches(db, filter, { criteria: missing, limit: MAX_COUNTED }) : []
  if (isCacheable) {
    for (const [index, criterion] of missing.entries()) cacheCount(ctx, criterion, counts[index] ?? 0)
  }
  return cached.map(({ criterion, count = counts[missing.indexOf(criterion)] ?? 0 }) => ({
    criterion,
    count,
  }))
}

/** The page, if the matches are dense enough to be found by a scan; else undefined. */
async function scanForPage(
  db: Db,
  filter: UserFilter,
  { range, criteria }: { range: PageRange; criteria: Criterion[] },
): Promise<string[] | undefined> {
  const scanLimits = (criteria.length > 1 ? MULTI_CRITERIA_SCAN_LIMITS : SCAN_LIMITS)[range.order.by]
  const maxScanLimit = scanLimits.at(-1) ?? 0
  const end = range.offset + range.limit
  for (const scanLimit of scanLimits) {
    const ids = await scanUsers(db, filter, { range: { ...range, offset: 0, limit: end }, scanLimit })
    if (ids.length >= end) return ids.slice(range.offset)
    if (ids.length * (maxScanLimit / scanLimit) < end) return undefined
  }
  return undefined
}

/**
 * The first matches, sorted. A user is returned once for every search term that starts with the word, so duplicates are
 * removed. Few users have two such terms, so twice the page size is almost always enough.
 */
async function sortForPage(
  db: Db,
  filter: UserFilter,
  { criterion, range }: { criterion: Criterion; range: PageRange },
): Promise<string[]> {
  const end = range.offset + range.limit
  for (let limit = end * 2; ; limit *= 8) {
    const found = await listSortedUsers(db, filter, { criterion, range, limit })
    const ids = [...new Set(found)]
    if (ids.length >= end || found.length < limit) return ids.slice(range.offset, end)
  }
}

/** Flags are a criterion only when few users have them. */
function criteriaOf(filter: UserFilter): Criterion[] {
  const { words, tenantId } = filter
  return [
    ...words.map((word) => ({ kind: 'word', word }) as const),
    ...(tenantId === undefined ? [] : [{ kind: 'tenant', tenantId } as const]),
    ...(hasRareFlag(filter) ? [{ kind: 'flags' } as const] : []),
  ]
}

const hasFlag = ({ disabled, emailVerified, superAdmin, deletionRequested }: UserFilter) =>
  [disabled, emailVerified, superAdmin, deletionRequested].some((flag) => flag !== undefined)

/** All users. The total comes from the counter table; pages of the second half are read from the end. */
async function listAll(db: Db, range: PageRange): Promise<PageResult> {
  const total = await countAccounts(db)
  const everyone = { words: [] }
  const pageSize = Math.min(range.limit, total - range.offset)
  if (range.after || range.offset < total / 2) {
    return { ids: await listUsersByFlags(db, everyone, range), total, exact: true }
  }
  if (pageSize <= 0) return { ids: [], total, exact: true }
  const { by, descending } = range.order
  const ids = await listUsersByFlags(db, everyone, {
    order: { by, descending: !descending },
    offset: total - range.offset - pageSize,
    limit: pageSize,
  })
  return { ids: ids.reverse(), total, exact: true }
}

/** Users with flag values that most users have. */
async function listByFlags(db: Db, filter: UserFilter, range: PageRange): Promise<PageResult> {
  const count = await countUsersByFlags(db, filter, MAX_COUNTED)
  const exact = count <= MAX_COUNTED
  if (!exact) refuseDistantPage(range)
  return { ids: await listUsersByFlags(db, filter, range), total: Math.min(count, MAX_COUNTED), exact }
}

function refuseDistantPage({ offset, limit }: PageRange): void {
  // `limit` includes the extra row.
  const isReachable = offset + limit - 1 <= MAX_COUNTED
  throwIfInvalid([
    checkField(
      isReachable,
      'page',
      t(
        'must be within the first {max, number} matches; use the parameter `after` for later pages, or narrow the search',
        { max: MAX_COUNTED },
      ),
    ),
  ])
}

/** The total is exact only when this page is the last. */
function estimateTotal(
  { after, offset, limit }: PageRange,
  ids: string[],
  criteria: Criterion[],
): Omit<PageResult, 'ids'> {
  const seen = offset + ids.length
  const isLastPage = !after && ids.length > 0 && ids.length < limit
  if (isLastPage) return { total: seen, exact: true }
  // Every criterion has more than MAX_COUNTED matches, so a single one has at least that many.
  return { total: criteria.length === 1 ? MAX_COUNTED : Math.min(seen, MAX_COUNTED), exact: false }
}

/** Safe to run on every node: each skips the rows that another has locked. */
export const consolidateUserCounts = defineJob<unknown>({
  name: 'sum_up_user_counts',
  schedule: '* * * * *',
  run: (ctx) => consolidateCounts(ctx.db),
})
