import type { Reply } from 'latchkey-sdk'
import { call } from '../../api/api.ts'
import { download } from '../../api/download.ts'
import { useEndless } from '../../api/use-door.ts'

export type Entry = Reply<'GET /api/admin/audit'>['entries'][number]

export const FILTERS = [
  'action',
  'from',
  'to',
  'actorId',
  'userId',
  'ipAddress',
  'requestId',
  'tenantId',
] as const
export type FilterName = (typeof FILTERS)[number]
export type Filters = Record<FilterName, string>

const PART = 50

/** The log of a tenant, or of the whole instance. */
export function useEntries(tenantId: string | undefined, filters: Filters) {
  const query = toQuery(filters, tenantId)
  return useEndless(['audit', tenantId ?? null, query], {
    read: (after: string | undefined) => {
      const asked = { ...query, limit: PART, ...(after !== undefined && { after }) }
      return tenantId === undefined
        ? call('GET /api/admin/audit', { query: asked })
        : call('GET /api/tenants/{id}/audit', { path: { id: tenantId }, query: asked })
    },
    nextOf: ({ pagination }) => pagination.next,
  })
}

export const exportEntries = (tenantId: string | undefined, filters: Filters, format: 'csv' | 'jsonl') =>
  download(tenantId === undefined ? '/api/admin/audit/export' : `/api/tenants/${tenantId}/audit/export`, {
    ...toQuery(filters, tenantId),
    format,
  })

/** What was chosen, as the service takes it: days are those of whoever looks, and the last one counts in full. */
function toQuery(
  { from, to, tenantId: chosen, ...filters }: Filters,
  tenantId: string | undefined,
): Record<string, string> {
  const query = {
    ...filters,
    from: startOf(from, 0),
    to: startOf(to, 1),
    // A tenant's own log tells of that tenant anyway.
    ...(tenantId === undefined && { tenantId: chosen }),
  }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}

function startOf(day: string, later: number): string {
  const moment = new Date(`${day}T00:00:00`)
  if (Number.isNaN(moment.getTime())) return ''
  moment.setDate(moment.getDate() + later)
  return moment.toISOString()
}
