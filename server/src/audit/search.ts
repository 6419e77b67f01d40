import type { Db } from '../db/open.ts'
import { describePage, toRange } from '../http/routing/pagination.ts'
import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { type AuditPage, type AuditQuery, toEntryBody } from './entry-body.ts'
import { countEntries, type EntryFilter, listEntries } from './search-store.ts'

/** Beyond this, entries are not counted and pages need a cursor, because both costs grow with the offset. */
const MAX_COUNTED = 10_000

export async function searchAuditLog(db: Db, query: AuditQuery): Promise<AuditPage> {
  const { page, order, after } = query
  throwIfInvalid([checkField(after === undefined || page === 1, 'page', t('goes without after'))])
  const filter = toFilter(query)
  const counted = await countEntries(db, filter, MAX_COUNTED + 1)
  const total = Math.min(counted, MAX_COUNTED)
  const { offset, limit } = toRange(query)
  const isTooFar = counted > MAX_COUNTED && offset >= MAX_COUNTED
  throwIfInvalid([
    checkField(!isTooFar, 'page', t('leads to {max} entries at most: go on with after', { max: MAX_COUNTED })),
  ])
  // One entry more than requested shows whether there is a next page.
  const range = { order, after, offset, limit: limit + 1 }
  const found = offset < total ? await listEntries(db, filter, range) : []
  const entries = found.slice(0, limit).map(toEntryBody)
  return {
    entries,
    pagination: {
      ...describePage(query, total),
      totalIsExact: counted <= MAX_COUNTED,
      next: found.length > limit ? (entries.at(-1)?.id ?? null) : null,
    },
  }
}

type Filters = Omit<AuditQuery, 'page' | 'limit' | 'after' | 'order'>

export function toFilter({ from, to, ...query }: Filters): EntryFilter {
  const { tenantId, action, actorId, userId, clientId, requestId, ipAddress } = query
  return {
    tenantId,
    action,
    actorId,
    userId,
    clientId,
    requestId,
    ipAddress,
    from: toDate('from', from),
    to: toDate('to', to),
  }
}

function toDate(field: string, text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text)
  // RFC 3339 allows a leap second, which Date cannot represent.
  throwIfInvalid([checkField(!date || !Number.isNaN(date.getTime()), field, t('is not a valid time'))])
  return date
}
