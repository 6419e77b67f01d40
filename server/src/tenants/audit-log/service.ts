import { countTenantEntries, listTenantEntries, type TenantEntry } from '../../audit/tenants.ts'
import type { Tx } from '../../db/open.ts'
import { describePage, toRange } from '../../http/pagination.ts'
import { demand, refuseProblems } from '../../lib/problems.ts'
import { displayNameOf } from '../../users/profile.ts'
import type { AuditPage, AuditQuery } from './schema.ts'

/** What happened in a tenant, for those who answer for it. */
export async function pageOfEntries(
  tx: Tx,
  { tenantId, query }: { tenantId: string; query: AuditQuery },
): Promise<AuditPage> {
  const { action, actorId, userId, from, to } = query
  const filter = { tenantId, action, actorId, userId, from: toDate('from', from), to: toDate('to', to) }
  const total = await countTenantEntries(tx, filter)
  const range = toRange(query)
  const entries = range.offset < total ? await listTenantEntries(tx, filter, range) : []
  return { entries: entries.map(toBody), pagination: describePage(query, total) }
}

function toDate(field: string, text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text)
  // A leap second is a moment by the rules, and none by the clock.
  refuseProblems([demand(!date || !Number.isNaN(date.getTime()), field, 'is no moment')])
  return date
}

function toBody({ personal, ...entry }: TenantEntry): AuditPage['entries'][number] {
  // What told who somebody was may have been taken out since.
  const known = (field: string) => (typeof personal[field] === 'string' ? personal[field] : null)
  const { email, ...names } = entry
  return {
    id: entry.id,
    occurredAt: entry.occurred_at.toISOString(),
    action: entry.action,
    actor: {
      kind: entry.actor_kind,
      id: entry.actor_id,
      displayName: email === null ? null : displayNameOf({ ...names, email }),
    },
    userId: entry.user_id,
    email: known('email'),
    ipAddress: known('ipAddress'),
    userAgent: known('userAgent'),
    requestId: entry.request_id,
    details: entry.details,
  }
}
