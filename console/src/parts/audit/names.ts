import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/api.ts'
import { keyOf, useRead } from '../../api/use-api.ts'
import type { Entry, Filters } from './source.ts'

/** What people and tenants are called, by their id: the log itself tells it only of those who did something. */
export type Names = (id: string | null) => string | undefined

/** Of so many people the names are looked up one by one, on the log of the instance. */
const MOST_LOOKED_UP = 60
const LONG_MS = 300_000

export function useNames(tenantId: string | undefined, entries: Entry[], filters: Filters): Names {
  const known = new Map<string, string>()
  for (const { actor } of entries) if (actor.id && actor.displayName) known.set(actor.id, actor.displayName)
  const members = useRead('GET /api/tenants/{id}/members', {
    input: { path: { id: tenantId ?? '' }, query: { limit: 100 } },
    enabled: tenantId !== undefined,
  })
  for (const { userId, user, status } of members.data?.members ?? [])
    known.set(userId, status === 'INVITED' ? user.email : user.displayName)
  const unknown = tenantId === undefined ? strangersIn(entries, known, filters) : []
  const users = useQueries({
    queries: unknown.map((id) => ({
      queryKey: keyOf('GET /api/admin/users/{id}', { path: { id } }),
      queryFn: () => call('GET /api/admin/users/{id}', { path: { id } }),
      staleTime: LONG_MS,
      retry: false,
    })),
  })
  for (const { data } of users) if (data) known.set(data.id, data.displayName)
  const tenants = useQueries({
    queries: (tenantId === undefined ? tenantsIn(entries, filters) : []).map((id) => ({
      queryKey: keyOf('GET /api/admin/tenants/{id}', { path: { id } }),
      queryFn: () => call('GET /api/admin/tenants/{id}', { path: { id } }),
      staleTime: LONG_MS,
      retry: false,
    })),
  })
  for (const { data } of tenants) if (data) known.set(data.id, data.name)
  return (id) => (id === null ? undefined : known.get(id))
}

const unlike = (ids: (string | null)[], known?: Map<string, string>): string[] =>
  [...new Set(ids)].filter((id): id is string => !!id && !known?.has(id)).slice(0, MOST_LOOKED_UP)

const strangersIn = (entries: Entry[], known: Map<string, string>, { userId, actorId }: Filters): string[] =>
  unlike([userId, actorId, ...entries.map(({ userId, email }) => (email ? null : userId))], known)

/** Those that were deleted have no name any more, and the entry that tells of it names the tenant too. */
const tenantsIn = (entries: Entry[], { tenantId }: Filters): string[] => {
  const deleted = entries.flatMap(({ action, tenantId }) => (action === 'tenant.deleted' ? [tenantId] : []))
  return unlike([tenantId, ...entries.map((entry) => entry.tenantId)]).filter((id) => !deleted.includes(id))
}
