import type { Db } from '../db/open.ts'
import { describePage, toRange } from '../http/pagination.ts'
import { demand, refuseProblems } from '../lib/problems.ts'
import { type AuditPage, type AuditQuery, toEntryBody } from './entry-body.ts'
import { countEntries, type EntryFilter, listEntries } from './search/store.ts'

/** Beyond so many, nobody counts, and pages are turned by cursor alone: both would take longer the more there are. */
const MOST_COUNTED = 10_000

/** A page of what happened, for those who answer for it. */
export async function pageOfEntries(db: Db, query: AuditQuery): Promise<AuditPage> {
  const { page, order, after } = query
  refuseProblems([demand(after === undefined || page === 1, 'page', 'goes without after')])
  const filter = toFilter(query)
  const counted = await countEntries(db, filter, MOST_COUNTED + 1)
  const total = Math.min(counted, MOST_COUNTED)
  const { offset, limit } = toRange(query)
  const isTooFar = counted > MOST_COUNTED && offset >= MOST_COUNTED
  refuseProblems([demand(!isTooFar, 'page', `leads to ${MOST_COUNTED} entries at most: go on with after`)])
  // One more than asked for tells whether there are more.
  const range = { order, after, offset, limit: limit + 1 }
  const found = offset < total ? await listEntries(db, filter, range) : []
  const entries = found.slice(0, limit).map(toEntryBody)
  return {
    entries,
    pagination: {
      ...describePage(query, total),
      totalIsExact: counted <= MOST_COUNTED,
      next: found.length > limit ? (entries.at(-1)?.id ?? null) : null,
    },
  }
}

type Filters = Omit<AuditQuery, 'page' | 'limit' | 'after' | 'order'>

export function toFilter({ from, to, ...query }: Filters): EntryFilter {
  const { tenantId, action, actorId, userId, clientId, requestId, ipAddress } = query
  return {
    ...{ tenantId, action, actorId, userId, clientId, requestId, ipAddress },
    ...{ from: toDate('from', from), to: toDate('to', to) },
  }
}

function toDate(field: string, text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text)
  // A leap second is a moment by the rules, and none by the clock.
  refuseProblems([demand(!date || !Number.isNaN(date.getTime()), field, 'is no moment')])
  return date
}
