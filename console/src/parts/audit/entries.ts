import type { Reply } from '@latchkey/client'
import { call } from '../../api/api.ts'
import { download } from '../../api/download.ts'
import { useInfiniteList } from '../../api/query-hooks.ts'

export type Entry = Reply<'GET /api/admin/audit'>['entries'][number]

export const FILTERS = [
  'action',
  'from',
  'to',
  'actorId',
  'userId',
  'clientId',
  'ipAddress',
  'requestId',
  'tenantId',
] as const
export type FilterName = (typeof FILTERS)[number]
export type Filters = Record<FilterName, string>

const PAGE_SIZE = 50

/** The audit log of a tenant, or of the instance if `tenantId` is undefined. */
export function useEntries(tenantId: string | undefined, filters: Filters) {
  const query = toQuery(filters, tenantId)
  return useInfiniteList(['audit', tenantId ?? null, query], {
    fetchPage: (after: string | undefined) => {
      const pageQuery = { ...query, limit: PAGE_SIZE, ...(after !== undefined && { after }) }
      return tenantId === undefined
        ? call('GET /api/admin/audit', { query: pageQuery })
        : call('GET /api/tenants/{id}/audit', { path: { id: tenantId }, query: pageQuery })
    },
    getNextCursor: ({ pagination }) => pagination.next,
  })
}

export const exportEntries = (tenantId: string | undefined, filters: Filters, format: 'csv' | 'jsonl') =>
  download(tenantId === undefined ? '/api/admin/audit/export' : `/api/tenants/${tenantId}/audit/export`, {
    ...toQuery(filters, tenantId),
    format,
  })

/** Converts the filters to query parameters. Days are in the browser's time zone, and the last day is included. */
function toQuery(
  { from, to, tenantId: tenantFilter, ...filters }: Filters,
  tenantId: string | undefined,
): Record<string, string> {
  const query = {
    ...filters,
    from: startOfDay(from, 0),
    to: startOfDay(to, 1),
    // The log of one tenant needs no tenant filter.
    ...(tenantId === undefined && { tenantId: tenantFilter }),
  }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}

function startOfDay(day: string, addDays: number): string {
  const date = new Date(`${day}T00:00:00`)
  if (Number.isNaN(date.getTime())) return ''
  date.setDate(date.getDate() + addDays)
  return date.toISOString()
}
