import { useQueries } from '@tanstack/react-query'
import { call } from '../../api/api.ts'
import { keyOf, useRead } from '../../api/use-api.ts'
import type { Entry } from './source.ts'

/** What people are called, by their id: the log itself tells it only of those who did something. */
export type Names = (id: string | null) => string | undefined

/** Of so many people the names are looked up one by one, on the log of the instance. */
const MOST_LOOKED_UP = 60
const LONG_MS = 300_000

export function useNames(tenantId: string | undefined, entries: Entry[]): Names {
  const known = new Map<string, string>()
  for (const { actor } of entries) if (actor.id && actor.displayName) known.set(actor.id, actor.displayName)
  const members = useRead('GET /api/tenants/{id}/members', {
    input: { path: { id: tenantId ?? '' }, query: { limit: 100 } },
    enabled: tenantId !== undefined,
  })
  for (const { userId, user, status } of members.data?.members ?? [])
    known.set(userId, status === 'INVITED' ? user.email : user.displayName)
  const unknown = tenantId === undefined ? strangersIn(entries, known) : []
  const users = useQueries({
    queries: unknown.map((id) => ({
      queryKey: keyOf('GET /api/admin/users/{id}', { path: { id } }),
      queryFn: () => call('GET /api/admin/users/{id}', { path: { id } }),
      staleTime: LONG_MS,
      retry: false,
    })),
  })
  for (const { data } of users) if (data) known.set(data.id, data.displayName)
  return (id) => (id === null ? undefined : known.get(id))
}

const strangersIn = (entries: Entry[], known: Map<string, string>): string[] =>
  [...new Set(entries.flatMap(({ userId, email }) => (userId && !email ? [userId] : [])))]
    .filter((id) => !known.has(id))
    .slice(0, MOST_LOOKED_UP)
