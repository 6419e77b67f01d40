import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/api.ts'
import { toQueryKey, useApiQuery } from '../../api/use-api.ts'
import type { Entry, Filters } from './entries.ts'

/** Resolves user and tenant ids to names. The entries contain only the names of actors. */
export type Names = (id: string | null) => string | undefined

/** Limits the number of single lookups in the log of the instance. */
const MAX_LOOKUPS = 60
const NAME_STALE_MS = 300_000

export function useNames(tenantId: string | undefined, entries: Entry[], filters: Filters): Names {
  const namesById = new Map<string, string>()
  for (const { actor } of entries) if (actor.id && actor.displayName) namesById.set(actor.id, actor.displayName)
  const members = useApiQuery('GET /api/tenants/{id}/members', {
    input: { path: { id: tenantId ?? '' }, query: { limit: 100 } },
    enabled: tenantId !== undefined,
  })
  for (const { userId, user, status } of members.data?.members ?? [])
    namesById.set(userId, status === 'INVITED' ? user.email : user.displayName)
  const unknownIds = tenantId === undefined ? findUnknownUsers(entries, namesById, filters) : []
  const users = useQueries({
    queries: unknownIds.map((id) => ({
      queryKey: toQueryKey('GET /api/admin/users/{id}', { path: { id } }),
      queryFn: () => call('GET /api/admin/users/{id}', { path: { id } }),
      staleTime: NAME_STALE_MS,
      retry: false,
    })),
  })
  for (const { data } of users) if (data) namesById.set(data.id, data.displayName)
  const tenants = useQueries({
    queries: (tenantId === undefined ? findTenants(entries, filters) : []).map((id) => ({
      queryKey: toQueryKey('GET /api/admin/tenants/{id}', { path: { id } }),
      queryFn: () => call('GET /api/admin/tenants/{id}', { path: { id } }),
      staleTime: NAME_STALE_MS,
      retry: false,
    })),
  })
  for (const { data } of tenants) if (data) namesById.set(data.id, data.name)
  return (id) => (id === null ? undefined : namesById.get(id))
}

const distinctUnknown = (ids: (string | null)[], namesById?: Map<string, string>): string[] =>
  [...new Set(ids)].filter((id): id is string => !!id && !namesById?.has(id)).slice(0, MAX_LOOKUPS)

const findUnknownUsers = (entries: Entry[], namesById: Map<string, string>, { userId, actorId }: Filters): string[] =>
  distinctUnknown([userId, actorId, ...entries.map(({ userId, email }) => (email ? null : userId))], namesById)

/** Deleted tenants cannot be looked up. */
const findTenants = (entries: Entry[], { tenantId }: Filters): string[] => {
  const deleted = entries.flatMap(({ action, tenantId }) => (action === 'tenant.deleted' ? [tenantId] : []))
  return distinctUnknown([tenantId, ...entries.map((entry) => entry.tenantId)]).filter((id) => !deleted.includes(id))
}
